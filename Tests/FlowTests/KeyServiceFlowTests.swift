import Accounts
import AccountsSQLite
import EventLoop
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import Settings
import SignIn
import System
import Telemetry
import Testing
import Wings

@testable import Composition
@testable import Operations

/// A client of TIM's, as its source has it: POST and JSON, no Authorization, a success of exactly 200, and what went
/// wrong by the status.
struct TIMClient {
    /// What its errors are called.
    enum Failure: Error, Equatable { case badPassword, keyLocked, keyMissing, unableToCreateKey, unknown(Int) }

    struct Key: Equatable {
        let id: String
        let key: [UInt8]
        let longSecret: String
    }

    let port: UInt16
    /// The URL of the KeyService, without scheme and authority.
    let base: String
    /// On Android it appends a slash.
    var isAndroid = false

    func createKey(_ secret: String) async throws -> Key {
        try key(await send("createkey", ["secret": .string(secret)]))
    }

    func key(_ id: String, secret: String) async throws -> Key {
        try key(await send("key", ["secret": .string(secret), "keyid": .string(id)]))
    }

    func key(_ id: String, longSecret: String) async throws -> Key {
        try key(await send("key", ["longsecret": .string(longSecret), "keyid": .string(id)]))
    }

    func send(_ name: String, _ body: JSONValue) async throws -> HTTPTestAnswer {
        try await LoopbackClient(port: port).send(
            "POST", "\(base)/\(name)\(isAndroid ? "/" : "")",
            headers: ["Content-Type": "application/json; charset=utf-8", "Accept": "application/json"],
            body: body.serialized)
    }

    /// The same request, sent twice, for the answer to the first was lost: the answer to the second.
    func retrying(_ name: String, _ body: JSONValue) async throws -> HTTPTestAnswer {
        _ = try await send(name, body)
        return try await send(name, body)
    }

    func key(_ answer: HTTPTestAnswer) throws -> Key {
        switch answer.status {
        case 200: break
        case 401: throw Failure.badPassword
        case 204, 403: throw Failure.keyLocked
        case 404: throw Failure.keyMissing
        case 500: throw Failure.unableToCreateKey
        default: throw Failure.unknown(answer.status)
        }
        #expect(answer.json.object?.members.map(\.name).sorted() == ["key", "keyid", "longsecret"])
        let key = try #require(answer["key"]?.string)
        // Foundation reads the one alphabet and its padding only.
        return Key(
            id: try #require(answer["keyid"]?.string), key: Array(try #require(Data(base64Encoded: key))),
            longSecret: try #require(answer["longsecret"]?.string))
    }
}

@Suite struct `TIM's clients` {
    private static let on = "keyService: {enabled: true, scryptCost: 14}"
    private static let realm = "/auth/realms/acme/keyservice/v1"

    /// By the table of what they send and read, a line after the other.
    private func transcript(_ client: TIMClient) async throws {
        let made = try await client.createKey("1234")
        #expect(made.key.count == 32 && !made.id.isEmpty && !made.longSecret.isEmpty)
        #expect(try await client.key(made.id, secret: "1234") == made)
        #expect(try await client.key(made.id, longSecret: made.longSecret) == made)
        let other = try await client.createKey("1234")
        #expect(other.id != made.id && other.key != made.key && other.longSecret != made.longSecret)

        await #expect(throws: TIMClient.Failure.badPassword) {
            try await client.key(made.id, longSecret: other.longSecret)
        }
        await #expect(throws: TIMClient.Failure.keyMissing) {
            try await client.key(String(made.id.reversed()), secret: "1234")
        }
        await #expect(throws: TIMClient.Failure.keyMissing) {
            try await client.key("none", longSecret: made.longSecret)
        }
        await #expect(throws: TIMClient.Failure.unknown(400)) { try await client.createKey("") }

        for _ in 0..<2 {
            for _ in 0..<2 {
                await #expect(throws: TIMClient.Failure.badPassword) { try await client.key(made.id, secret: "0000") }
            }
            #expect(try await client.key(made.id, secret: "1234") == made)
        }
        for failure in [TIMClient.Failure.badPassword, .badPassword, .keyLocked, .keyLocked] {
            await #expect(throws: failure) { try await client.key(made.id, secret: "0000") }
        }
        await #expect(throws: TIMClient.Failure.keyLocked) { try await client.key(made.id, secret: "1234") }
        await #expect(throws: TIMClient.Failure.keyLocked) {
            try await client.key(made.id, longSecret: made.longSecret)
        }
        // A lost or locked key is no matter of the KeyService's: the user signs in, and there is another key.
        #expect(try await client.key(other.id, secret: "1234") == other)
    }

    @Test func `are answered line by line, with a slash at the end and two at the beginning`() async throws {
        try await RunningGatehouse.with(top: Self.on) { gatehouse in
            for base in ["/keyservice/v1", "//keyservice/v1"] {
                for isAndroid in [false, true] {
                    try await transcript(TIMClient(port: gatehouse.port, base: base, isAndroid: isAndroid))
                }
            }
            #expect(try await gatehouse.call("GET", "/keyservice/v1/key").status == 405)
            #expect(try await gatehouse.call("GET", "/keyservice/v1/key").header("allow") == "POST, OPTIONS")
        }
    }

    @Test func `find the KeyService and the issuer below one realm`() async throws {
        try await RunningGatehouse.with(
            top: "keyService: {enabled: true, scryptCost: 14, basePath: \(Self.realm)}"
        ) { gatehouse in
            for start in ["", "/"] {
                try await transcript(TIMClient(port: gatehouse.port, base: start + Self.realm, isAndroid: start == "/"))
                let metadata = try await gatehouse.call(
                    "GET", "\(start)/auth/realms/acme/.well-known/openid-configuration")
                #expect(metadata.status == 200)
                #expect(
                    try await gatehouse.call("GET", "/.well-known/openid-configuration").body == metadata.body)
            }
            #expect(try await gatehouse.post("/keyservice/v1/createkey", ["secret": "1"]).status == 404)
        }
    }

    @Test func `may send everything twice`() async throws {
        try await RunningGatehouse.with(top: Self.on) { gatehouse in
            let client = TIMClient(port: gatehouse.port, base: "/keyservice/v1")
            let first = try await client.createKey("1234")
            let second = try client.key(try await client.retrying("createkey", ["secret": "1234"]))
            for made in [first, second] { #expect(try await client.key(made.id, secret: "1234") == made) }
            let right: JSONValue = ["secret": "1234", "keyid": .string(first.id)]
            #expect(try client.key(try await client.retrying("key", right)) == first)
            // A wrong password counts each time that it comes.
            let wrong: JSONValue = ["secret": "0", "keyid": .string(first.id)]
            #expect(try await client.retrying("key", wrong).status == 401)
            #expect(try await client.send("key", wrong).status == 403)
        }
    }

    @Test func `are answered alike after a restart, and by the database without its master key not at all`()
        async throws
    {
        try await RunningGatehouse.with { gatehouse in
            let folder = gatehouse.folder.appending(path: "keys")
            let yaml = RunningGatehouse.yaml(gatehouse.simulation, folder, top: Self.on)
            let log = RecordedLog()
            let server = try await RunningGatehouse.start(yaml, log, [:])
            var client = TIMClient(port: server.address.port, base: "/keyservice/v1")
            let (made, locked) = (try await client.createKey("first-password"), try await client.createKey("1234"))
            _ = try? await client.key(made.id, secret: "wrong-password")
            for _ in 0..<3 { _ = try? await client.key(locked.id, secret: "0") }
            await server.stop()

            let database = try Data(contentsOf: folder.appending(path: "users.db"))
            for secret in ["first-password", made.longSecret] { #expect(database.range(of: Data(secret.utf8)) == nil) }
            #expect(database.range(of: Data(made.key)) == nil)

            let again = try await RunningGatehouse.start(yaml, log, [:])
            client = TIMClient(port: again.address.port, base: "/keyservice/v1")
            #expect(try await client.key(made.id, longSecret: made.longSecret) == made)
            let keys = client
            await #expect(throws: TIMClient.Failure.keyLocked) { try await keys.key(locked.id, secret: "1234") }
            await #expect(throws: TIMClient.Failure.badPassword) { try await keys.key(made.id, secret: "0") }
            await #expect(throws: TIMClient.Failure.keyLocked) { try await keys.key(made.id, secret: "0") }
            await again.stop()
            for secret in ["first-password", "wrong-password", made.longSecret, made.id, locked.id] {
                #expect(!log.text.contains(secret))
            }
        }
    }

    @Test func `are turned away while too many wait, and the rest is served`() async throws {
        try await RunningGatehouse.with(
            top: "keyService: {enabled: true, scryptCost: 16, hashesAtOnce: 1, waiting: 1}"
        ) { gatehouse in
            let client = TIMClient(port: gatehouse.port, base: "/keyservice/v1")
            let made = try await client.createKey("1234")
            let answers = await withTaskGroup(of: HTTPTestAnswer?.self) { group in
                for _ in 0..<30 {
                    group.addTask {
                        try? await client.send("key", ["secret": "1234", "keyid": .string(made.id)])
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let statuses = answers.compactMap { $0?.status }
            #expect(Set(statuses).isSubset(of: [200, 503]) && statuses.contains(200) && statuses.contains(503))
            for answer in answers.compactMap(\.self) where answer.status == 503 {
                #expect(answer["error"] == "overloaded" && answer.header("retry-after") != nil)
            }
            // They count for nothing.
            #expect(try await client.key(made.id, secret: "1234") == made)
        }
    }

    @Test func `are limited in making keys`() async throws {
        try await RunningGatehouse.with(
            top: Self.on, environment: ["GATEHOUSE_RATE_LIMIT_KEYS_PER_MINUTE_PER_ADDRESS": "1"]
        ) { gatehouse in
            let client = TIMClient(port: gatehouse.port, base: "/keyservice/v1")
            _ = try await client.createKey("1")
            var refused = try await client.send("createkey", ["secret": "1"])
            // A minute may pass in which a crowded machine does other things, but not between so many.
            for _ in 0..<20 where refused.status != 429 {
                refused = try await client.send("createkey", ["secret": "1"])
            }
            #expect(refused.status == 429 && refused["error"] == "rate_limited" && refused.header("retry-after") != nil)
            let huge = try await client.send("createkey", ["secret": .string(String(repeating: "1", count: 70_000))])
            #expect(huge.status == 413)
        }
    }

    @Test func `lose a key that nobody has unlocked for long, where that is wanted`() async throws {
        try await RunningGatehouse.with(top: Self.on) { gatehouse in
            let client = TIMClient(port: gatehouse.port, base: "/keyservice/v1")
            let made = try await client.createKey("1234")
            let now = WallClock.now.seconds
            func job(_ section: String, afterDays days: Int64) throws -> HousekeepingJob? {
                let yaml = RunningGatehouse.yaml(gatehouse.simulation, gatehouse.folder, top: "keyService: \(section)")
                guard case .valid(let settings, _, _) = Settings.load(yaml: yaml) else {
                    Issue.record("the test's configuration is faulty")
                    return nil
                }
                return Wing.keyService.open(settings, .none)
                    .jobs(gatehouse.server.jobParts(at: Clock { now + days * 86_400 })).first
            }
            #expect(try job("{enabled: false}", afterDays: 9999) == nil)
            #expect(try job("{enabled: true, unusedDays: 0}", afterDays: 9999) == nil)
            try await job("{enabled: true, unusedDays: 30}", afterDays: 29)?.work()
            #expect(try await client.key(made.id, secret: "1234") == made)
            try await job("{enabled: true, unusedDays: 30}", afterDays: 31)?.work()
            await #expect(throws: TIMClient.Failure.keyMissing) { try await client.key(made.id, secret: "1234") }
        }
    }

    @Test func `are unknown where the KeyService is off`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let answer = try await gatehouse.post("/keyservice/v1/createkey", ["secret": "1"])
            #expect(answer.status == 404)
        }
    }
}
