import PostgresTestSupport
import Testing

@testable import Postgres

@Suite struct `What the driver knows without a server` {
    @Test(
        arguments: [
            ("40001", .serializationFailure), ("40P01", .deadlock), ("23505", .uniqueViolation(constraint: "c")),
            ("25006", .readOnly), ("57P01", .adminShutdown), ("53300", .tooManyConnections), ("53100", .diskFull),
            ("42P01", .other("42P01")),
        ] as [(String, SQLState)])
    func `is what a code of the server's means`(code: String, state: SQLState) {
        #expect(SQLState(code: code, constraint: "c") == state)
    }

    @Test(
        arguments: [
            .refused(.serializationFailure), .refused(.deadlock), .refused(.other("57P03")), .overloaded,
            .lost(.notSent, .adminShutdown), .notConnected(.unreachable), .notConnected(.refused(.tooManyConnections)),
        ] as [PostgresError])
    func `is what may be run again`(error: PostgresError) {
        #expect(error.isRetryable)
    }

    @Test(
        arguments: [
            .refused(.uniqueViolation(constraint: "c")), .refused(.readOnly), .refused(.diskFull), .lost(.unknown, nil),
            .lost(.unknown, .adminShutdown), .timedOut(.unknown), .timedOut(.notSent), .closed, .wrongParameters,
            .unexpectedResult, .transactionOver, .notConnected(.refused(.other("28P01"))),
        ] as [PostgresError])
    func `is what may not be run again`(error: PostgresError) {
        #expect(!error.isRetryable)
    }

    @Test func `is how long to wait for a server, which doubles up to two seconds and is never the same for all`() {
        var (short, long) = (Backoff(), Backoff())
        let shortest = (0..<8).map { _ in short.next(chance: 0) }
        let longest = (0..<8).map { _ in long.next(chance: 1) }
        #expect(longest == [50, 100, 200, 400, 800, 1600, 2000, 2000].map { .milliseconds($0) })
        #expect(shortest == longest.map { $0 / 2 })
        long.reset()
        #expect(long.next(chance: 1) == .milliseconds(50))
    }

    @Test func `is which hosts a string names`() throws {
        let one = try ConnectionString("postgres://app@db.example:6432/users").hosts
        #expect(one == [ServerHost(name: "db.example", address: "", port: "6432")])
        let some = try ConnectionString("host=a,b hostaddr=,10.0.0.2 port=1,2").hosts
        #expect(
            some == [
                ServerHost(name: "a", address: "", port: "1"), ServerHost(name: "b", address: "10.0.0.2", port: "2"),
            ])
        let shared = try ConnectionString("host=/run/postgresql,b port=7").hosts
        #expect(shared.map(\.port) == ["7", "7"])
    }

    @Test func `is that every address of a host stands beside its name`() async throws {
        let hosts = await ServerHost.lookUp([
            ServerHost(name: "localhost", address: "", port: "1"), ServerHost(name: "/run", address: "", port: "2"),
            ServerHost(name: "gatehouse.invalid", address: "", port: "3"),
            ServerHost(name: "gatehouse.invalid", address: "10.0.0.1", port: "4"),
        ])
        #expect(hosts.contains(ServerHost(name: "localhost", address: "127.0.0.1", port: "1")))
        #expect(
            hosts.suffix(2) == [
                ServerHost(name: "/run", address: "", port: "2"),
                ServerHost(name: "gatehouse.invalid", address: "10.0.0.1", port: "4"),
            ])
        let string = try ConnectionString("host=localhost sslmode=verify-full options='-c geqo=off'")
        let parameters = string.parameters(
            hosts: Array(hosts.suffix(2)), settings: ["synchronous_commit=off", "statement_timeout=7"])
        #expect(parameters["host"] == "/run,gatehouse.invalid")
        #expect(parameters["hostaddr"] == ",10.0.0.1")
        #expect(parameters["port"] == "2,4")
        #expect(parameters["sslmode"] == "verify-full")
        #expect(parameters["options"] == "-c geqo=off -c synchronous_commit=off -c statement_timeout=7")
    }
}
