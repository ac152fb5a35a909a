import Crypto
import JSON
import Providers
import Testing

@testable import Settings
@testable import Wings

@Suite struct `The settings of sign-ins that begin on the phone` {
    private static func pem(_ kind: PrivateKey.Kind) -> String {
        guard let pem = try? PrivateKey.generate(kind).pemRepresentation() else { preconditionFailure("OpenSSL") }
        return pem.revealedText
    }

    @Test func `are off, and limits of what is off are faults`() {
        let loaded = load(least)
        #expect(loaded.settings?.providers.first?.requestSigner == nil)
        for line in ["lifetimeSeconds: 60", "perUser: 1", "windowSeconds: 1", "maximumPending: 1"] {
            let faults = load(least + "push: {\(line)}\n").faults
            #expect(faults.map(\.key) == ["push." + line.prefix { $0 != ":" }] && faults.map(\.kind) == [.notAvailable])
        }
    }

    @Test func `take a key of ours where the provider has none of its own`() throws {
        let settings = try #require(load(leastWith("serverInitiated: true")).settings)
        let provider = try #require(settings.providers.first)
        #expect(provider.requestSigner?.sharedKey == .rs256 && provider.sharedKeys == [.rs256])
        let push = settings.wing(PushSettings.self)
        #expect(push.lifetimeSeconds == 600 && push.perUser == 3)
        #expect(push.windowSeconds == 600 && push.maximumPending == 20_000 && push.perMinutePerAddress == 60)
    }

    @Test func `come with a notice where no API key is asked for`() {
        #expect(load(leastWith("serverInitiated: true")).notices.map(\.key) == ["apiKeys"])
        #expect(load(leastWith("serverInitiated: true") + "apiKeys: [a-key-of-the-app]\n").notices == [])
        #expect(load(least).notices == [])
        let minimal = load(leastWith("serverInitiated: minimal")).settings?.providers.first
        #expect(minimal?.takesMinimalPushes == true && minimal?.requestSigner != nil)
        #expect(load(leastWith("serverInitiated: true")).settings?.providers.first?.takesMinimalPushes == false)
        #expect(load(leastWith("serverInitiated: most")).faults.map(\.key) == ["provider.zenkey.serverInitiated"])
    }

    @Test func `take the key of a file, also beside a secret, and no key but RSA`() throws {
        let rsa = load(
            leastWith("serverInitiated: true\n    clientKeyFile: key.pem\n    clientKeyID: k1"),
            files: ["key.pem": Self.pem(.rsa(bits: 2048))])
        #expect(rsa.faults == [])
        let signer = rsa.settings?.providers.first?.requestSigner
        #expect(signer?.publishedKey?["kid"] == "k1" && signer?.sharedKey == nil)
        let faults = load(
            leastWith("serverInitiated: true\n    clientKeyFile: key.pem"),
            files: ["key.pem": Self.pem(.ellipticCurve(.p256))]
        ).faults
        #expect(faults.map(\.key) == ["provider.zenkey.serverInitiated"] && faults.map(\.kind) == [.conflict])
    }

    @Test func `are a fault with any other profile`() {
        let yaml = """
            provider:
              zenkey:
                profile: openid
                issuer: https://login.example.com
                clientID: a
                clientSecret: b
                redirectURIs: ['a:/b']
                serverInitiated: true
            """
        #expect(load(yaml).faults.map(\.key) == ["provider.zenkey.serverInitiated"])
    }

    @Test func `need an address that carriers reach by https`() {
        let yaml = leastWith("serverInitiated: true")
        #expect(load(yaml + "session: {issuer: 'http://sign-in.example'}\n").faults.map(\.key) == ["session.issuer"])
        #expect(load(yaml + "session: {issuer: 'https://sign-in.example'}\n").faults == [])
        #expect(load(yaml + "http: {host: 0.0.0.0}\n").faults.map(\.key) == ["session.issuer"])
    }

    @Test func `come with a notice where a request can be answered for more than ten minutes`() {
        let yaml = leastWith("serverInitiated: true") + "apiKeys: [a-key-of-the-app]\n"
        #expect(load(yaml + "push: {lifetimeSeconds: 600}\n").notices == [])
        let notices = load(yaml + "push: {lifetimeSeconds: 601}\n").notices
        #expect(notices.map(\.key) == ["push.lifetimeSeconds"])
        #expect(notices.first?.description.contains("601") == true)
    }

    @Test(arguments: ["59", "172801"]) func `let no request live for less than a minute or more than 48 hours`(
        seconds: String
    ) {
        let yaml = leastWith("serverInitiated: true")
        #expect(load(yaml + "push: {lifetimeSeconds: \(seconds)}\n").faults.map(\.key) == ["push.lifetimeSeconds"])
    }
}
