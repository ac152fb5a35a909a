import Crypto
import Foundation
import JOSE
import JSON
import SimulatedCarriers
import Synchronization
import Testing

@testable import gatehouse

@Suite struct `The probe of a provider that people use` {
    private static let steps = ["discovery", "clock", "keys", "token"]

    /// Probes a dialect under the section that its native sign-ins have.
    private func probe(_ issuer: SimulatedIssuer, _ lines: [String] = []) async throws -> CommandRun {
        let result = Mutex<CommandRun?>(nil)
        try await RunningGatehouse.with { gatehouse in
            let file = gatehouse.folder.appending(path: "probe.yaml")
            let others = [issuer.rawValue: NativeFlow.section(issuer, lines)]
            let yaml = RunningGatehouse.yaml(gatehouse.simulation, gatehouse.folder, others: others)
            try Data(yaml.utf8).write(to: file)
            let run = try await CommandRun(
                ["providers", "probe", issuer.rawValue, "--json", "--config", file.path])
            result.withLock { $0 = run }
        }
        let run = result.withLock { $0 }
        return try #require(run)
    }

    /// The one step that is not well, and the last, in a line.
    private func expectBad(
        _ step: String, _ words: String, _ issuer: SimulatedIssuer, _ lines: [String]
    ) async throws {
        let run = try await probe(issuer, lines)
        let bad = run.json.array?.filter { $0["good"] == false } ?? []
        #expect(run.status == 1 && bad.map { $0["step"]?.string } == [step], "\(run.everything)")
        let sentence = bad.first?["sentence"]?.string ?? ""
        #expect(sentence.contains(words) && !sentence.contains("\n"), "\(run.everything)")
        #expect(!run.everything.contains("demo-secret"))
    }

    @Test(arguments: [SimulatedIssuer.google, .entra, .auth0, .okta, .keycloak, .line])
    func `finds it well, by whatever names it has`(issuer: SimulatedIssuer) async throws {
        let run = try await probe(issuer, [.entra, .keycloak].contains(issuer) ? ["requirePKCE: true"] : [])
        #expect(run.status == 0, "\(run.everything)")
        #expect(run.json.array?.compactMap { $0["step"]?.string } == Self.steps)
    }

    @Test(arguments: [SimulatedIssuer.facebook, .firebase])
    func `finds it well that redeems no codes, where apps post ID tokens`(issuer: SimulatedIssuer) async throws {
        let run = try await probe(issuer)
        #expect(run.status == 0, "\(run.everything)")
        let last = run.json.array?.last
        #expect(last?["sentence"]?.string?.contains("no token endpoint") == true, "\(run.everything)")
    }

    @Test func `tells of a wrong issuer`() async throws {
        try await expectBad("discovery", "may be another", .google, ["issuer: '{google}/wrong'"])
        try await expectBad("discovery", "name another issuer", .apple, ["issuers: []"])
        let one = "discoveryURL: '{entra}/\(NativeFlow.personal)/v2.0/.well-known/openid-configuration'"
        try await expectBad("discovery", "name another issuer", .entra, [one])
    }

    @Test func `tells of a host that there is not`() async throws {
        try await expectBad("discovery", "has no address", .google, ["issuer: 'https://no-such-host.invalid'"])
    }

    @Test func `tells of keys that the section allows none of, and of a wrong secret`() async throws {
        try await expectBad("keys", "no key is for what algorithms allows (ES256: 0)", .okta, ["algorithms: [ES256]"])
        try await expectBad("token", "does not know us", .google, ["clientSecret: another"])
        try await expectBad("token", "it is the value that counts", .entra, ["clientSecret: another"])
    }
}

@Suite(.enabled(if: TLSServer.isAvailable, "needs the openssl command")) struct `The probe of a provider behind TLS` {
    /// Probes a server whose documents are laid down, and gives what it finds by step.
    private func probe(
        isOver: Bool = false, _ date: Date = Date(), caFile: (TLSServer) -> String = { $0.certificate.path }
    ) async throws -> CommandRun {
        let folder = FileManager.default.temporaryDirectory.appending(path: "probe-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try TLSServer(folder, isOver: isOver, hasDocuments: true)
        defer { server.stop() }
        let key = try PrivateKey.generate(.rsa(bits: 2048)).publicKey.jwk(keyID: "1", algorithm: .rs256)
        let metadata: JSONValue = [
            "issuer": .string(server.url), "jwks_uri": .string(server.url + "/keys"),
            "authorization_endpoint": .string(server.url + "/authorize"),
            "token_endpoint": .string(server.url + "/token"),
        ]
        try server.write(
            String(decoding: metadata.serialized, as: UTF8.self), at: ".well-known/openid-configuration", date: date)
        let keys: JSONValue = ["keys": [.object(key)]]
        try server.write(String(decoding: keys.serialized, as: UTF8.self), at: "keys", date: date)
        let file = folder.appending(path: "gatehouse.yaml")
        try Data(
            """
            storage: {url: 'file:\(folder.path)/users.db'}
            providers: [p]
            provider:
              p:
                profile: openid
                issuer: \(server.url)
                clientID: gatehouse
                clientSecret: s3cret
                redirectURIs: ['com.example.app:/callback']
                caFile: '\(caFile(server))'
            """.utf8
        ).write(to: file)
        return try await CommandRun(["providers", "probe", "p", "--json", "--config", file.path])
    }

    private func finding(_ step: String, of run: CommandRun) throws -> (isGood: Bool, sentence: String) {
        let finding = try #require(run.json.array?.first { $0["step"]?.string == step }, "\(run.everything)")
        return (finding["good"] == true, finding["sentence"]?.string ?? "")
    }

    @Test func `tells of a certificate whose time is over`() async throws {
        let (isGood, sentence) = try finding("discovery", of: try await probe(isOver: true))
        #expect(!isGood && sentence.contains("expired") && !sentence.contains("\n"), "\(sentence)")
        #expect(try finding("discovery", of: try await probe()).isGood)
    }

    @Test(arguments: [-600.0, 600])
    func `tells of a clock that is ten minutes off`(seconds: Double) async throws {
        let (isGood, sentence) = try finding("clock", of: try await probe(Date(timeIntervalSinceNow: seconds)))
        let words = seconds < 0 ? "behind" : "ahead"
        #expect(!isGood && sentence.contains(words) && sentence.contains("clockSkewSeconds"), "\(sentence)")
        #expect(try finding("clock", of: try await probe()).isGood)
    }
}
