import Crypto
import JSON
import Providers
import Syntax
import Testing

@testable import Settings

@Suite struct `How a provider is told who we are` {
    private static let rsa = pem(.rsa(bits: 2048))
    private static let p256 = pem(.ellipticCurve(.p256))

    private static func pem(_ kind: PrivateKey.Kind) -> String {
        guard let pem = try? PrivateKey.generate(kind).pemRepresentation() else { preconditionFailure("OpenSSL") }
        return pem.revealedText
    }

    /// A provider's section without a secret, with more lines.
    private func section(_ lines: String...) -> String {
        "provider:\n  zenkey:\n    clientID: ccid-0123456789abcdef\n" + lines.map { "    \($0)\n" }.joined()
    }

    private func authentication(_ loaded: LoadedSettings) -> ClientAuthentication? {
        #expect(loaded.faults == [])
        return loaded.settings?.providers.first?.authentication
    }

    @Test(arguments: [("", SignatureAlgorithm.rs256), ("RS256", .rs256), ("ES256", .es256)])
    func `an assertion is signed with a key of ours where no other is given`(
        chosen: String, algorithm: SignatureAlgorithm
    ) {
        let loaded = load(section("clientAuthentication: private_key_jwt", "assertionAlgorithm: '\(chosen)'"))
        #expect(authentication(loaded)?.sharedKey == algorithm)
    }

    @Test(arguments: [(rsa, "RS256"), (p256, "ES256")])
    func `an assertion is signed with the key of a file, by the algorithm that goes with it`(
        pem: String, algorithm: String
    ) throws {
        let lines = ["clientAuthentication: private_key_jwt", "clientKeyFile: key.pem", "clientKeyID: k1"]
        let loaded = load(section(lines[0], lines[1], lines[2]), files: ["key.pem": pem])
        let key = try #require(authentication(loaded)?.publishedKey)
        #expect(key["kid"] == "k1" && key["alg"] == .string(algorithm))
        #expect(loaded.effective.first { $0.key == "provider.zenkey.clientKey" }?.value == .string(Secret.redacted))
        let other = algorithm == "RS256" ? "ES256" : "RS256"
        let faults = load(
            section(lines[0], lines[1], "assertionAlgorithm: \(other)"), files: ["key.pem": pem]
        ).faults
        #expect(faults.map(\.key) == ["provider.zenkey.assertionAlgorithm"] && faults.map(\.kind) == [.conflict])
    }

    @Test func `a key is read however its lines came through an environment`() {
        let lines = Self.p256.split(separator: "\n").map(String.init)
        let escaped = lines.joined(separator: "\\n")
        let plain = lines.joined(separator: "\n")
        let indented = lines.map { "    " + $0 }.joined(separator: "\n")
        let trailed = lines.map { $0 + " \t" }.joined(separator: "\n")
        var forms = [escaped, indented, trailed, lines.joined(separator: " "), lines.joined()]
        forms.append(lines.joined(separator: "\\r\\n") + "\\n")
        forms.append(lines.joined(separator: "\r\n"))
        forms.append("\"" + escaped + "\"")
        forms.append("'" + plain + "'")
        forms.append("\n\n" + lines.joined(separator: "\n\n") + "\n")
        for written in forms {
            let loaded = load(
                section("clientAuthentication: private_key_jwt", "clientKeyFile: key.pem", "clientKeyID: k1"),
                files: ["key.pem": written])
            #expect(authentication(loaded)?.publishedKey?["alg"] == "ES256", "\(written.prefix(40))")
        }
    }

    @Test func `what is no key is named, and not shown`() {
        let lines = Self.p256.split(separator: "\n").map(String.init)
        let inBase64 = Base64.encode(Array(Self.p256.utf8))
        let texts: [(String, String)] = [
            (inBase64, "a PEM text in base64 once more"),
            (lines.dropLast().joined(separator: "\n"), "without its last line"),
            (lines.dropFirst().dropLast().joined(), "base64 without the lines"),
            ("/run/secrets/key.pem", "the path of a file"),
            ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n-----END ENCRYPTED PRIVATE KEY-----", "takes a password"),
            ("-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----", "a certificate"),
            ("-----BEGIN PUBLIC KEY-----\nAA==\n-----END PUBLIC KEY-----", "a public key"),
            ("-----BEGIN OPENSSH PRIVATE KEY-----\nAA==\n-----END OPENSSH PRIVATE KEY-----", "OpenSSH"),
            (#"{"kty":"EC","d":"hidden"}"#, "JWK"), ("hidden!", "without a line -----BEGIN"),
            (Self.pem(.ellipticCurve(.p384)), "another kind or curve"), (Self.pem(.ed25519), "another kind or curve"),
        ]
        for (written, name) in texts {
            let faults = load(
                section("clientAuthentication: private_key_jwt", "clientKeyFile: key.pem"), files: ["key.pem": written]
            ).faults
            #expect(faults.map(\.key) == ["provider.zenkey.clientKey"])
            let text = faults.description
            #expect(text.contains(name), "\(name): \(text)")
            #expect(!text.contains("hidden") && !text.contains(inBase64.prefix(20)))
            #expect(!text.contains(lines[1].prefix(20)))
        }
    }

    @Test(arguments: ["no key", "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n"])
    func `a file without a key in it is a fault that does not show what it holds`(text: String) {
        let yaml = section("clientAuthentication: private_key_jwt", "clientKeyFile: key.pem")
        let faults = load(yaml, files: ["key.pem": text]).faults
        #expect(faults.map(\.key) == ["provider.zenkey.clientKey"] && faults.map(\.kind) == [.value])
        #expect(!faults.description.contains("no key") && !faults.description.contains("AA=="))
        #expect(load(yaml).faults.map(\.kind) == [.unreadableFile])
    }

    @Test func `a secret for Apple is made of team, key and the key's name, and of nothing less`() {
        let lines = [
            "clientAuthentication: apple", "appleTeamID: TEAM123456", "appleKeyID: KEY1234567", "clientKeyFile: key.p8",
        ]
        func faults(without left: Int?, _ pem: String = Self.p256) -> [String] {
            let kept = lines.indices.filter { $0 != left }.map { "    \(lines[$0])\n" }.joined()
            return load(section() + kept, files: ["key.p8": pem]).faults.map(\.key)
        }
        #expect(faults(without: nil) == [])
        #expect(faults(without: 1) == ["provider.zenkey.appleTeamID"])
        #expect(faults(without: 2) == ["provider.zenkey.appleKeyID"])
        #expect(faults(without: 3) == ["provider.zenkey.clientKey"])
        #expect(faults(without: nil, Self.rsa) == ["provider.zenkey.clientKey"])
    }

    @Test func `who somebody was before an app moved is believed of Apple alone`() throws {
        let apple = load(
            section(
                "clientAuthentication: apple", "appleTeamID: TEAM123456", "appleKeyID: KEY1234567",
                "clientKeyFile: key.p8"), files: ["key.p8": Self.p256])
        let provider = try #require(apple.settings?.providers.first)
        #expect(provider.takesTransfers && provider.authentication.appleTeamID == "TEAM123456")
        for lines in [
            "", "\n    clientAuthentication: client_secret_post", "\n    clientAuthentication: private_key_jwt",
        ] {
            let yaml =
                lines.contains("private") ? section(String(lines.dropFirst(5))) : leastWith("requirePKCE: true" + lines)
            let other = try #require(load(yaml).settings?.providers.first)
            #expect(!other.takesTransfers && other.authentication.appleTeamID == nil)
        }
    }

    @Test func `who somebody was before an app moved is never handed to it, under no key`() {
        let claims = load(leastWith("claims: [transfer_sub]")).faults
        #expect(claims.map(\.key) == ["provider.zenkey.claims"] && claims.map(\.kind) == [.value])
        let key = load(
            leastWith("profile: telenor-id\n    redirectURIs: ['app:/x']\n    crossClientKey: Transfer_Sub")
        ).faults
        #expect(key.map(\.key) == ["provider.zenkey.crossClientKey"] && key.map(\.kind) == [.value])
    }

    @Test func `a client secret signs assertions, and a short one is worth a notice`() {
        let yaml = leastWith("clientAuthentication: client_secret_jwt")
        #expect(load(yaml).notices.map(\.key) == ["provider.zenkey.clientSecret"])
        let long = ["GATEHOUSE_PROVIDER_ZENKEY_CLIENT_SECRET": String(repeating: "s", count: 32)]
        let loaded = load(yaml, environment: long)
        #expect(loaded.faults == [] && loaded.notices.isEmpty)
        let missing = load(section("clientAuthentication: client_secret_jwt")).faults
        #expect(missing.map(\.key) == ["provider.zenkey.clientSecret"] && missing.map(\.kind) == [.missing])
    }

    @Test(arguments: [
        ("client_secret_basic", "clientKeyFile: key.pem", "clientKey"), ("none", "clientKeyFile: key.pem", "clientKey"),
        ("private_key_jwt", "clientSecret: s3cret", "clientSecret"), ("apple", "clientSecret: s3cret", "clientSecret"),
        ("client_secret_post", "assertionAlgorithm: ES256", "assertionAlgorithm"),
        ("client_secret_basic", "assertionAudience: issuer", "assertionAudience"),
        ("private_key_jwt", "clientKeyID: k1", "clientKeyID"), ("private_key_jwt", "appleKeyID: k1", "appleKeyID"),
    ])
    func `what is given for another way than the chosen one is a fault`(way: String, line: String, key: String) {
        let faults = load(
            section("clientAuthentication: \(way)", line), files: ["key.pem": Self.rsa]
        ).faults
        #expect(faults.contains { $0.key == "provider.zenkey.\(key)" && $0.kind == .conflict })
        #expect(!faults.description.contains("s3cret"))
    }
}
