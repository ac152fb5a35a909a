import AccountsSQLite
import Crypto
import Foundation
import GatehouseTesting
import HTTPTesting
import JOSE
import JSON
import Providers
import SignIn
import SimulatedCarriers
import System
import Telemetry
import Testing

@testable import Composition
@testable import Operations

/// Sign-ins at the simulated Apple by a server that has its key, so that it redeems codes.
struct NativeAppleFlow {
    static let app = "com.example.app"
    static let web = "com.example.web"

    let flow: NativeFlow
    private let section: [String]

    var gatehouse: RunningGatehouse { flow.gatehouse }

    static func with(
        _ lines: [String] = [], top: String = "", _ body: (NativeAppleFlow) async throws -> Void
    ) async throws {
        let key = try PrivateKey.generate(.ellipticCurve(.p256))
        let file = FileManager.default.temporaryDirectory.appending(path: "apple-\(UUID().uuidString).p8")
        try Data(key.pemRepresentation().revealedBytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let apple = [
            "clientSecret: ''", "clientAuthentication: apple", "appleTeamID: DEMOTEAM01", "appleKeyID: key-1",
            "clientKeyFile: '\(file.path)'", "redirectURI: optional",
        ]
        let changed = Set(lines.map { $0.prefix { $0 != ":" } })
        let all = apple.filter { !changed.contains($0.prefix { $0 != ":" }) } + lines
        try await NativeFlow.with([.apple], all, top: top) { flow in
            let set: JSONValue = ["keys": [.object(key.publicKey.jwk(keyID: "key-1", algorithm: .es256))]]
            for client in [app, web] {
                let answer = try await flow.send("/control/clients/\(client)/keys", set.serialized)
                #expect(answer.status == 200)
            }
            try await body(NativeAppleFlow(flow: flow, section: NativeFlow.section(.apple, all)))
        }
    }

    func ask(
        _ subscriber: String = "ada", misbehaving name: String? = nil, client: String = app, isFirst: Bool = false
    ) async throws -> NativeFlow.Handed {
        try await flow.ask(
            .apple, subscriber,
            changing: ["misbehave": name, "client_id": client, "first": isFirst ? "true" : nil])
    }

    /// Posts an ID token, with the code that came with it or another one.
    func post(
        _ handed: NativeFlow.Handed, code: JSONValue? = nil, user: JSONValue? = nil
    ) async throws -> HTTPTestAnswer {
        try await flow.post(handed, to: "apple", ["code": code ?? handed.answer["code"], "user": user])
    }

    /// How many codes Apple has been sent.
    var exchanges: Int { gatehouse.simulation.counts[.apple, .token] }

    /// Tells providers what is due, as the server does now and then.
    func deliver() async throws {
        let delivery = OutboxDelivery(
            repository: gatehouse.server.repository, providers: ProviderRegistry(gatehouse.server.providers),
            transport: gatehouse.server.grantTransport, clock: Clock { Int64(Date().timeIntervalSince1970) },
            giveUpSeconds: 3600, observers: .none)
        try await delivery.deliver { OutboxLog.tell($0, gatehouse.log.logger) }
    }

    /// `gatehouse providers transfer`, beside the server.
    func transfer(to team: String) async throws -> CommandRun {
        let file = gatehouse.folder.appending(path: "transfer-\(UUID().uuidString).yaml")
        let yaml = RunningGatehouse.yaml(gatehouse.simulation, gatehouse.folder, others: ["apple": section])
        try Data(yaml.utf8).write(to: file)
        return try await CommandRun(
            ["providers", "transfer", "apple", "--target", team, "--config", file.path, "--json"])
    }
}

extension NativeFlow {
    /// Sends something to the dialects' port.
    func send(_ path: String, _ body: [UInt8], type: String = "application/json") async throws -> HTTPTestAnswer {
        let url = try #require(URLComponents(string: gatehouse.simulation.url(of: .apple)))
        return try await LoopbackClient(port: UInt16(try #require(url.port))).send(
            "POST", path, headers: ["Content-Type": type], body: body)
    }
}
