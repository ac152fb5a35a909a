import Apps
import Crypto
import Providers
import Testing

@testable import Settings

@Suite struct `What ties a posted code, by the configuration` {
    private static let openid = "profile: openid\n    issuer: https://login.example"

    /// One provider's section beside the public address of this service.
    private static func load(_ lines: String..., session: String = "https://gatehouse.example") -> LoadedSettings {
        SettingsTests.load("session: {issuer: '\(session)'}\n" + leastWith(lines.joined(separator: "\n    ")))
    }

    @Test(arguments: [
        "https://gatehouse.example/auth/zenkey/callback", "https://gatehouse.example/auth/another/callback",
        "https://GATEHOUSE.example:443/auth/zenkey/callback", "https://gatehouse.example/%61uth/zenkey/callback",
        "https://gatehouse.example/auth/zenkey/callback?x=1",
    ])
    func `is nothing for what comes back to this service, so that such an address is a fault`(address: String) throws {
        let faults = Self.load(Self.openid, "redirectURIs: ['app:/x', '\(address)']").faults
        let fault = try #require(faults.first)
        #expect(faults.count == 1 && fault.key == "provider.zenkey.redirectURIs" && fault.value == address)
        #expect(fault.expected.contains("what comes back to this service is a browser's and never posted"))
    }

    @Test func `is known to be nothing without a public address too`() {
        let line = Self.openid + "\n    redirectURIs: ['http://127.0.0.1:8080/auth/zenkey/callback']"
        #expect(SettingsTests.load(leastWith(line)).faults.map(\.key) == ["provider.zenkey.redirectURIs"])
    }

    @Test(arguments: [
        "https://gatehouse.example/acme/callback", "https://other.example/auth/zenkey/callback", "app:/x",
    ])
    func `is looked at where it comes back to an app`(address: String) {
        #expect(Self.load(Self.openid, "redirectURIs: ['\(address)']").faults == [])
    }

    @Test func `is not asked for where all sign-ins go by the browser`() {
        let section = least + "    \(Self.openid)\n"
        #expect(SettingsTests.load(section).faults.map(\.key) == ["provider.zenkey.redirectURIs"])
        let app = "apps: [acme]\napp:\n  acme: {clientID: a, redirectURIs: ['https://acme.example/cb']"
        #expect(SettingsTests.load(section + app + "}\n").faults == [])
    }

    @Test(arguments: ["requireNonce: true", "requireChallenge: true"])
    func `is a fault where a nonce is demanded and need not be named`(line: String) {
        #expect(Self.load("codeNonce: optional", line).faults.map(\.key) == ["provider.zenkey.codeNonce"])
    }

    @Test func `is told where a nonce need not be named`() {
        let loaded = Self.load("codeNonce: optional")
        #expect(loaded.notices.map(\.key).contains("provider.zenkey.codeNonce"))
        #expect(loaded.settings?.providers.first?.codeProtection.nonce == .optional)
        #expect(!Self.load("codeNonce: required").notices.map(\.key).contains("provider.zenkey.codeNonce"))
    }

    @Test func `is a fault where a client without a secret has neither`() {
        let yaml = """
            providers: [p]
            provider:
              p:
                profile: openid
                issuer: https://login.example
                clientID: c
                clientAuthentication: none
                redirectURIs: ['app:/x']
                pkce: ignored

            """
        #expect(SettingsTests.load(yaml).faults.map(\.key) == ["provider.p.pkce"])
    }

    @Test(arguments: [
        ("zenkey", CodeProtection.PKCE.enforced), ("microsoft", .enforced), ("cognito", .enforced),
        ("apple", .ignored), ("google", .auto), ("facebook", .auto), ("line", .auto), ("openid", .auto),
        ("keycloak", .auto), ("twitch", .ignored),
    ])
    func `is what is known of the profile's PKCE`(profile: String, pkce: CodeProtection.PKCE) {
        #expect(ProviderProfile(rawValue: profile)?.pkce == pkce)
    }
}
