import Crypto
import Providers
import Testing

@testable import Settings

@Suite struct `Whose word counts, by the configuration` {
    private static func section(_ profile: String, _ lines: [String] = []) -> String {
        let own: [String] =
            switch profile {
            case "zenkey", "facebook", "google", "telenor-id", "line": []
            case "apple": ["clientKeyFile: key.p8", "appleTeamID: TEAM123456", "appleKeyID: KEY1234567"]
            case "microsoft": ["tenants: ['*']"]
            default: ["issuer: https://login.example", "redirectURIs: ['com.example.app:/callback']"]
            }
        let telenor = profile == "telenor-id" ? ["redirectURIs: ['com.example.app:/callback']"] : []
        let secret = profile == "apple" ? [] : ["clientSecret: s3cret-of-it"]
        return "providers: [p]\nprovider:\n  p:\n"
            + (["profile: \(profile)", "clientID: c"] + secret + own + telenor + lines).map { "    \($0)\n" }.joined()
    }

    private static func trust(_ profile: String, _ lines: [String] = []) throws -> EmailTrust {
        let pem = try PrivateKey.generate(.ellipticCurve(.p256)).pemRepresentation().revealedText
        let loaded = load(section(profile, lines), files: ["key.p8": pem])
        return try #require(loaded.settings?.providers.first?.emailTrust, "\(loaded.faults)")
    }

    @Test(arguments: [
        ("zenkey", EmailTrust.Extent.all), ("apple", .all), ("google", .owned), ("microsoft", .none),
        ("facebook", .none), ("openid", .owned), ("auth0", .owned), ("okta", .owned), ("keycloak", .owned),
        ("cognito", .owned), ("line", .owned), ("telenor-id", .owned), ("tim", .owned), ("beyond-identity", .owned),
    ])
    func `is the profile's where nobody has chosen`(profile: String, extent: EmailTrust.Extent) throws {
        let trust = try Self.trust(profile)
        #expect(trust.extent == extent && trust.isDefault)
        #expect(trust.domains == (profile == "google" ? ["gmail.com", "googlemail.com"] : []))
        #expect(trust.takesHostedDomain == (profile == "google"))
    }

    @Test func `is what somebody has chosen, and is known to be`() throws {
        for extent in EmailTrust.Extent.allCases {
            let trust = try Self.trust("microsoft", ["trustEmails: \(extent.rawValue)"])
            #expect(trust.extent == extent && !trust.isDefault)
        }
        #expect(try Self.trust("openid", ["emailDomains: [Example.COM]"]).domains == ["example.com"])
        #expect(try Self.trust("google", ["emailDomains: [example.com]"]).domains == ["example.com"])
    }

    @Test(arguments: ["all", "none"])
    func `is a fault where domains have no effect`(extent: String) {
        let lines = ["trustEmails: \(extent)", "emailDomains: [example.com]"]
        let faults = load(Self.section("openid", lines)).faults
        #expect(faults.map(\.key) == ["provider.p.emailDomains"])
    }

    @Test(arguments: ["'@example.com'", "'*.example.com'", "com", "10.0.0.1", "'exa mple.com'"])
    func `is a fault where a domain is none`(domain: String) {
        let faults = load(Self.section("openid", ["emailDomains: [\(domain)]"])).faults
        #expect(faults.map(\.key) == ["provider.p.emailDomains"])
    }
}
