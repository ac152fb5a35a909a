import Crypto
import EventLoop
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import Patience
import SimulatedCarriers
import Testing

/// What an app does whose user is asked on the phone, and what the carrier's subscriber answers there.
struct PushFlow {
    static let path = "/auth/zenkey-async-signin"
    static let ada = "+13105550101"
    static let zenkey = ["serverInitiated: true"]

    /// A key that the provider is given for itself: making one for each server takes longer than most tests.
    private static let keyFile: URL? = {
        let file = FileManager.default.temporaryDirectory.appending(path: "push-\(UUID().uuidString).pem")
        guard let key = try? PrivateKey.generate(.rsa(bits: 2048)).pemRepresentation(),
            (try? Data(key.revealedBytes).write(to: file)) != nil
        else { return nil }
        return file
    }()

    let gatehouse: RunningGatehouse
    /// Where the service listens, if it is another one with the same carriers.
    var port: UInt16?
    var apiKey: String?

    init(_ gatehouse: RunningGatehouse, port: UInt16? = nil, apiKey: String? = nil) async throws {
        self.gatehouse = gatehouse
        self.port = port
        self.apiKey = apiKey
    }

    /// A Gatehouse that may have users asked, whose keys the carriers know.
    static func with(
        top: String = "", zenkey: [String] = [], _ body: (PushFlow) async throws -> Void
    ) async throws {
        let key = "clientKeyFile: '\(try #require(keyFile).path)'"
        let usual = zenkey.contains { $0.hasPrefix("serverInitiated") } ? [] : Self.zenkey
        try await RunningGatehouse.with(top: top, zenkey: usual + [key] + zenkey) { gatehouse in
            let flow = try await PushFlow(gatehouse)
            try await flow.registerKeys()
            try await body(flow)
        }
    }

    /// The carriers read our keys at their address; the simulated ones are given what they would read.
    func registerKeys() async throws {
        let published = try await send("GET", "/auth/client-jwks.json")
        let answer = try await control(
            "/control/clients/\(RunningGatehouse.clientID)/keys", published.json)
        #expect(answer.status == 200, "\(answer.text)")
    }

    func send(
        _ method: String, _ path: String, _ body: JSONValue? = nil, bearer: String? = nil
    ) async throws -> HTTPTestAnswer {
        var headers = ["Content-Type": "application/json"]
        if let apiKey { headers["X-API-KEY"] = apiKey }
        if let bearer { headers["Authorization"] = "Bearer \(bearer)" }
        return try await LoopbackClient(port: port ?? gatehouse.port).send(
            method, path, headers: headers,
            body: body?.serialized ?? (method == "POST" ? [] : nil))
    }

    func begin(_ changes: [String: JSONValue?] = [:], bearer: String? = nil) async throws -> HTTPTestAnswer {
        var members: [String: JSONValue] = [
            "client_id": .string(RunningGatehouse.clientID), "login_hint": .string(Self.ada), "mccmnc": "310410",
            "context": "Sign in at the counter",
        ]
        for (name, value) in changes { members[name] = value }
        return try await send(
            "POST", Self.path, .object(JSONObject(members.map { (name: $0.key, value: $0.value) })), bearer: bearer)
    }

    /// Begins, and waits until the subscriber is asked.
    func begun(_ changes: [String: JSONValue?] = [:], bearer: String? = nil) async throws -> String {
        let before = gatehouse.simulation.counts[.push]
        let answer = try await begin(changes, bearer: bearer)
        let id = try #require(answer["auth_req_id"]?.string, "\(answer.status) \(answer.text)")
        try await pushed(more: before)
        return id
    }

    /// Waits until a carrier has got one more request, and answered it.
    func pushed(more count: Int) async throws {
        for _ in 0..<1_000 {
            if gatehouse.simulation.counts[.push] > count { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("no carrier was asked")
    }

    func poll(_ id: String) async throws -> HTTPTestAnswer { try await send("GET", "\(Self.path)/\(id)") }

    /// Polls, once a second at most, until the answer is another than that it is pending.
    func ended(_ id: String) async throws -> HTTPTestAnswer {
        for _ in 0..<20 {
            let answer = try await poll(id)
            if answer.status != 200, answer.status != 429 { return answer }
            try await Task.sleep(for: .milliseconds(500))
        }
        Issue.record("it stays pending")
        return try await poll(id)
    }

    /// What the subscriber answers.
    ///
    /// - Returns: with what statuses the notifications were answered.
    @discardableResult
    func answer(
        _ decision: String = "approve", subscriber: String = "ada", misbehaving names: [String] = [],
        again: Bool = false, at carrier: SimulatedIssuer = .aurora
    ) async throws -> [Int] {
        let command: JSONValue = [
            "subscriber": .string(subscriber), "decision": .string(decision),
            "misbehaviours": .array(names.map { .string($0) }), "again": .boolean(again),
            "issuer": .string(carrier.rawValue),
        ]
        for _ in 0..<200 {
            let answer = try await control("/control/push", command)
            if answer.status == 200 {
                return answer["statuses"]?.array?.compactMap { $0.integer.map { Int($0) } } ?? []
            }
            // The request is on its way still.
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("the subscriber is asked for nothing")
        return []
    }

    /// A port that the kernel has just chosen, and that is free again: for a server that must be found again where it
    /// was.
    static func freePort() throws -> UInt16 {
        let listening = try ListeningSocket(host: "127.0.0.1", port: 0, sharesPort: false)
        return listening.address.port
    }

    /// Every byte of the database and of its log.
    func store() throws -> [Data] {
        try ["users.db", "users.db-wal"].map { try Data(contentsOf: gatehouse.folder.appending(path: $0)) }
    }

    /// The same, once what the carrier has answered is written down.
    func settledStore() async throws -> [Data] {
        var last = try store()
        var unchanged = 0
        try await eventually("a store that stays as it is") {
            try await Task.sleep(for: .milliseconds(50))
            let next = try store()
            unchanged = next == last ? unchanged + 1 : 0
            last = next
            return unchanged >= 5
        }
        return last
    }

    func control(_ path: String, _ body: JSONValue) async throws -> HTTPTestAnswer {
        let port = try #require(URLComponents(string: gatehouse.simulation.aurora)?.port)
        return try await LoopbackClient(port: UInt16(port)).send(
            "POST", path, headers: ["Content-Type": "application/json"], body: body.serialized)
    }
}
