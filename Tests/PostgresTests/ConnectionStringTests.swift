import EventLoop
import Postgres
import PostgresTestSupport
import Testing

@Suite struct `A connection string` {
    private static let one = Statement("one", "SELECT 1")

    private func failure(_ address: String) async throws -> PostgresError? {
        var failure: PostgresError?
        try await withPool(at: address, limits: PoolLimits(connections: 1)) { pool in
            do throws(PostgresError) { _ = try await pool.query(Self.one, timeout: .patience) } catch {
                failure = error
            }
        }
        return failure
    }

    @Test func `shows nothing of its password, and neither does what comes of it`() async throws {
        let secret = "s3cr3t"
        for text in [
            "postgres://app:\(secret)@127.0.0.1/db", "host=127.0.0.1 password=\(secret)",
            // A password that was not escaped, and now is a part of something else.
            "postgres://app:x@\(secret).invalid/db", "postgres://app:\(secret)/x@127.0.0.1/db",
        ] {
            let string = try? ConnectionString(text)
            var dumped = ""
            dump(string, to: &dumped)
            #expect(!"\(String(describing: string)) \(String(reflecting: string)) \(dumped)".contains(secret))
            let error = try? await failure(text)
            #expect(!String(reflecting: error).contains(secret))
        }
    }

    @Test(arguments: [
        "postgres://[::1/db", "host", "hostt=127.0.0.1", "host=a,b port=1,2,3", "host=a,b hostaddr=127.0.0.1",
        "host=127.0.0.1\0",
    ])
    func `that says nothing sensible is refused`(text: String) {
        #expect(throws: ConnectionStringError.malformed) { try ConnectionString(text) }
    }

    @Test func `that names a service is refused`() {
        #expect(throws: ConnectionStringError.namesService) { try ConnectionString("service=main") }
    }

    @Test func `with a wrong password is told so, without it`() async throws {
        try await withPool(at: SharedServer.ownAddress("postgres")) { pool in
            let name = "guarded_\(UInt64.random(in: 0 ... .max))"
            _ = try await pool.query(.once("CREATE ROLE \(name) LOGIN PASSWORD 'right'"), timeout: .patience)
            let address = try SharedServer.ownAddress("postgres")
            let right = try await failure("\(address) user=\(name) password=right")
            #expect(right == nil)
            let wrong = try await failure("\(address) user=\(name) password=wrong")
            #expect(wrong == .notConnected(.refused(.other("28P01"))))
        }
    }

    @Test func `of a database that is not there is told so`() async throws {
        let error = try await failure(SharedServer.address("gatehouse_none"))
        #expect(error == .notConnected(.refused(.other("3D000"))))
    }

    @Test func `of a name without an address is told so`() async throws {
        let error = try await failure("host=gatehouse.invalid")
        #expect(error == .notConnected(.nameNotFound))
    }

    @Test func `of a port where nobody listens is told so`() async throws {
        let error = try await failure("postgres://127.0.0.1:1/db")
        #expect(error == .notConnected(.nobodyThere))
    }

    @Test func `of several hosts finds the one that is there`() async throws {
        let address = try SharedServer.ownAddress("postgres")
        let folder = try #require(address.split(separator: " ").first?.dropFirst("host=".count))
        let error = try await failure(
            "host=gatehouse.invalid,127.0.0.1,\(folder) port=1,1,5432 user=gatehouse dbname=postgres")
        #expect(error == nil)
    }

    @Test func `of several hosts gets past one that never says a word`() async throws {
        // Connections to it are made by the system, and nobody takes them.
        let silent = try ListeningSocket(host: "127.0.0.1", port: 0, sharesPort: false)
        let folder = try #require(SharedServer.ownAddress("postgres").split(separator: " ").first?.dropFirst(5))
        let address = "host=127.0.0.1,\(folder) port=\(silent.address.port),5432 user=gatehouse dbname=postgres"
        let limits = PoolLimits(connections: 1, connectTimeout: .milliseconds(300))
        try await withPool(at: address, limits: limits) { pool in
            await #expect(throws: PostgresError.notConnected(.timedOut)) {
                try await pool.query(Self.one, timeout: .patience)
            }
            // The one that speaks may take as long, too, where much else runs.
            let end = ContinuousClock.now + .patience
            var answer: Rows?
            while answer == nil, ContinuousClock.now < end {
                answer = try? await pool.query(Self.one, timeout: .patience)
            }
            #expect(answer != nil)
        }
    }
}
