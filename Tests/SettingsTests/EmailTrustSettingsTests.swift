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
        #expect(trust.extent == extent)
        #expect(trust.domains == (profile == "google" ? ["gmail.com", "googlemail.com"] : []))
        #expect(trust.takesHostedDomain == (profile == "google"))
    }

    private static func trustInOlderStore(
        _ profile: String, _ lines: [String] = []
    ) throws -> (extent: EmailTrust.Extent, notice: String?) {
        var settings = try #require(load(section(profile, lines)).settings)
        try settings.makeWhatIsServed(writtenBefore: true)
        let notice = settings.noticesOfEarlierMeanings().first { $0.key == "provider.p.trustEmails" }
        return (try #require(settings.providers.first).emailTrust.extent, notice.map { "\($0)" })
    }

    @Test func `is what it was in a store that is older than its keys, with a notice, until somebody sets one`() throws
    {
        for (profile, usual) in [("openid", "owned"), ("google", "owned"), ("microsoft", "none")] {
            let meant = try Self.trustInOlderStore(profile)
            #expect(meant.extent == .all && meant.notice?.contains("\(usual) is what a new installation has") == true)
            for extent in EmailTrust.Extent.allCases {
                let told = try Self.trustInOlderStore(profile, ["trustEmails: \(extent.rawValue)"])
                #expect(told.extent == extent && told.notice == nil)
            }
        }
        let domains = try Self.trustInOlderStore("openid", ["emailDomains: [example.com]"])
        #expect(domains.extent == .owned && domains.notice == nil)
        let carriers = try Self.trustInOlderStore("zenkey")
        #expect(carriers.extent == .all && carriers.notice == nil)
    }

    @Test func `is what somebody has chosen`() throws {
        for extent in EmailTrust.Extent.allCases {
            #expect(try Self.trust("microsoft", ["trustEmails: \(extent.rawValue)"]).extent == extent)
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
