import JSON
import Providers
import Syntax
import Testing

@testable import Settings

@Suite struct `Rules of a provider` {
    @Test func `a public client has no secret and cannot do without PKCE`() throws {
        let yaml = leastWith("clientAuthentication: none")
        let faults = load(yaml).faults
        #expect(faults.map(\.key) == ["provider.zenkey.clientSecret"])
        #expect(faults.map(\.kind) == [.conflict])
        #expect(!faults.description.contains("s3cret"))
        let section = "provider: {zenkey: {clientID: ccid-0123456789abcdef, clientAuthentication: none"
        let provider = try #require(load(section + "}}\n").settings?.listedProviders.sections.first)
        #expect(provider.clientAuthentication == .publicClient)
        #expect(provider.clientSecret == nil)
        let careless = load(section + ", requirePKCE: false}}\n").faults
        #expect(careless.map(\.key) == ["provider.zenkey.requirePKCE"])
        #expect(careless.map(\.kind) == [.conflict])
    }

    @Test(arguments: [
        ("zenkey", ClientAuthentication.BasicEncoding.raw), ("openid", .form), ("beyond-identity", .form),
        ("telenor-id", .form),
        ("tim", .form),
    ])
    func `the Basic header is made as the profile's providers take it, unless somebody says how`(
        profile: String, usual: ClientAuthentication.BasicEncoding
    ) throws {
        let more = profile == "zenkey" ? "" : "\n    issuer: https://a.example\n    redirectURIs: ['app:/x']"
        let loaded = load(leastWith("profile: \(profile)" + more))
        #expect(loaded.settings?.listedProviders.sections.first?.basicEncoding == usual)
        let shown = loaded.effective.first { $0.key == "provider.zenkey.basicEncoding" }?.value
        #expect(shown == .string(usual.rawValue))
        for choice in ClientAuthentication.BasicEncoding.allCases {
            let chosen = load(leastWith("basicEncoding: \(choice.rawValue)\n    profile: \(profile)" + more))
            #expect(chosen.settings?.listedProviders.sections.first?.basicEncoding == choice)
        }
    }

    @Test func `a secret that the encoding changes is worth a notice where nobody chose one`() {
        func notices(_ secret: String, _ line: String = "userinfo: true") -> [String] {
            load(leastWith(line), environment: ["GATEHOUSE_PROVIDER_ZENKEY_CLIENT_SECRET": secret]).notices.map(\.key)
        }
        #expect(notices("a+b/c==") == ["provider.zenkey.basicEncoding"])
        #expect(notices("abc-123_~.") == [])
        #expect(notices("a+b/c==", "basicEncoding: raw") == [])
        #expect(notices("a+b/c==", "basicEncoding: form") == [])
        #expect(notices("a+b/c==", "clientAuthentication: client_secret_post") == [])
    }

    @Test func `a challenge stands in for no time of authentication that every token tells`() {
        #expect(
            load(leastWith("freshness: challenge\n    authTime: always")).faults.map(\.key)
                == ["provider.zenkey.freshness"])
        for time in ["auto", "never"] {
            #expect(load(leastWith("freshness: challenge\n    authTime: \(time)")).faults.isEmpty)
        }
        #expect(load(leastWith("authTime: always")).faults.isEmpty)
        #expect(load(leastWith("authTime: sometimes")).faults.map(\.kind) == [.value])
    }

    @Test func `the hash of EdDSA's at_hash is only for who allows EdDSA`() {
        #expect(load(leastWith("atHashOfEdDSA: sha256")).faults.map(\.key) == ["provider.zenkey.atHashOfEdDSA"])
        let right = load(leastWith("atHashOfEdDSA: sha256\n    algorithms: [RS256, EdDSA]"))
        #expect(right.settings?.listedProviders.sections.first?.atHashOfEdDSA == .sha256)
        #expect(load(leastWith("atHashOfEdDSA: md5")).faults.map(\.kind) == [.value])
    }

    @Test func `the page for choosing a carrier is a web address`() {
        let page = "https://app.example/ui?client_id=x"
        let right = load(leastWith("discoveryUI: '\(page)'"))
        #expect(right.settings?.listedProviders.sections.first?.discoveryUI?.text == page)
        for wrong in ["app.example", "javascript:alert(1)", "http://app.example/ui"] {
            let faults = load(leastWith("discoveryUI: '\(wrong)'")).faults
            #expect(faults.map(\.key) == ["provider.zenkey.discoveryUI"])
        }
    }

    @Test func `port tokens have an age at carriers only`() {
        let line = "portTokenMaxAgeDays: 100"
        #expect(load(leastWith(line)).faults.isEmpty)
        let other = load(
            leastWith(line + "\n    profile: openid\n    issuer: https://a.example\n    redirectURIs: ['app:/x']"))
        #expect(other.faults.map(\.key) == ["provider.zenkey.portTokenMaxAgeDays"])
    }

    @Test(arguments: ["https://a.example/?b", "https://a.example/#b"])
    func `an issuer has neither query nor fragment`(issuer: String) {
        let faults = load(leastWith("profile: openid\n    issuer: '\(issuer)'\n    redirectURIs: ['app:/x']")).faults
        #expect(faults.contains { $0.key == "provider.zenkey.issuer" })
        let alias = load(leastWith("issuerAliases: ['\(issuer)=https://c.example']")).faults
        #expect(alias.map(\.key) == ["provider.zenkey.issuerAliases"])
    }

    @Test func `scopes without the one for signing in are a fault`() {
        for profile in ["zenkey", "openid\n    issuer: https://a.example\n    redirectURIs: ['app:/x']"] {
            let faults = load(leastWith("scopes: [name, email]\n    profile: \(profile)")).faults
            #expect(faults.map(\.key) == ["provider.zenkey.scopes"])
            #expect(faults.map(\.value) == ["name, email"])
            #expect(faults.first?.expected.contains("openid") == true)
        }
    }

    @Test func `scopes are the profile's own until somebody names others`() {
        #expect(load(least).settings?.providers.map(\.scopes) == [["openid", "name", "email", "phone", "postal_code"]])
        #expect(load(leastWith("scopes: [openid, email]")).settings?.providers.map(\.scopes) == [["openid", "email"]])
        let plain = "profile: openid\n    issuer: https://a.example\n    redirectURIs: ['app:/x']"
        #expect(load(leastWith(plain)).settings?.providers.map(\.scopes) == [["openid", "profile", "email"]])
    }
}
