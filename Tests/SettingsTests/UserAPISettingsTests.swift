import Crypto
import Providers
import Testing

@testable import Settings

@Suite struct `The API of a directory of users` {
    private static let least =
        "profile: beyond-identity\n    issuer: https://auth.example\n    redirectURIs: ['app:/x']"
    private static let of2021 = "\n    userAPI: {url: 'https://api.example/v1/manage', token: the-api-token"
    private static let v1 = """

            userAPI:
              url: https://api.example/realm
              version: v1
              tokenURL: https://auth.example/token
              clientID: management
              clientSecret: the-secret
              authenticatorConfigID: config
        """

    private func load(_ more: String) -> LoadedSettings { SettingsTests.load(leastWith(Self.least + more)) }

    @Test func `of 2021 takes a token`() throws {
        let api = try #require(load(Self.of2021 + "}").settings?.providers.first?.userAPI)
        #expect(api.version == .of2021 && !api.returnsLinks)
        #expect(api.authenticatorURL == "https://app.byndid.com/downloads")
        #expect(api.limits == UserAPI.Limits(mailsPerHour: 3, pending: 10_000, unfinishedSeconds: 30 * 86_400))
    }

    @Test func `of today takes a client, and what credentials are bound by`() throws {
        let loaded = load(Self.v1)
        let api = try #require(loaded.settings?.providers.first?.userAPI, "\(loaded.faults)")
        #expect(api.version == .v1 && api.returnsLinks && api.binding?.authenticatorConfigID == "config")
        #expect(loaded.notices.map(\.key) == ["provider.zenkey.userAPI.returnLinks"])
        let byMail = load(Self.v1 + "\n      returnLinks: false")
        #expect(byMail.settings?.providers.first?.userAPI?.returnsLinks == false && byMail.notices.isEmpty)
    }

    @Test(arguments: ["tokenURL", "clientID", "clientSecret", "authenticatorConfigID"])
    func `of today is not half a configuration`(missing: String) {
        let lines = Self.v1.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.contains("\(missing):") }
        let faults = load(lines.joined(separator: "\n")).faults
        #expect(faults.map(\.key) == ["provider.zenkey.userAPI.\(missing)"])
        #expect(faults.map(\.kind) == [.missing])
    }

    @Test(arguments: [
        ("{url: 'https://api.example'}", ["token"]), ("{token: x}", ["url"]), ("{clientSecret: x}", ["url"]),
        ("{mailsPerHour: 7}", ["mailsPerHour"]),
        ("{url: 'https://api.example', token: x, tokenURL: 'https://a.example'}", ["tokenURL"]),
        ("{url: 'https://api.example', token: x, returnLinks: false}", ["returnLinks"]),
        ("{url: 'http://api.example', token: x}", ["url"]), ("{url: 'https://api.example?a', token: x}", ["url"]),
    ])
    func `tells what does not go together by its key`(section: String, keys: [String]) {
        let faults = load("\n    userAPI: \(section)").faults
        #expect(faults.map(\.key) == keys.map { "provider.zenkey.userAPI.\($0)" }, "\(faults)")
    }

    @Test(arguments: ["zenkey", "openid", "tim", "telenor-id"])
    func `is nothing for other profiles`(profile: String) {
        let issuer = profile == "zenkey" ? "" : "\n    issuer: https://a.example"
        let faults = SettingsTests.load(
            leastWith("profile: \(profile)\(issuer)\n    redirectURIs: ['app:/x']" + Self.of2021 + "}")
        ).faults
        #expect(Set(faults.map(\.key)) == ["provider.zenkey.userAPI.url", "provider.zenkey.userAPI.token"])
    }

    @Test func `never shows its token`() {
        let shown = "\(load(Self.of2021 + "}"))\(load(Self.of2021 + ", version: v1}"))"
        #expect(!shown.contains("the-api-token"))
    }

    @Test func `leaves no other way of knowing people`() {
        #expect(
            load(Self.of2021 + "}\n    crossClientKey: person").faults.map(\.key) == ["provider.zenkey.crossClientKey"])
        #expect(load(Self.v1 + "\n    userinfo: false").faults.map(\.key) == ["provider.zenkey.userinfo"])
    }

    @Test func `the profile takes both algorithms, and one where one is written`() throws {
        #expect(try #require(load("").settings?.providers.first).algorithms == [.rs256, .es256])
        #expect(try #require(load("\n    algorithms: [ES256]").settings?.providers.first).algorithms == [.es256])
        #expect(load("").notices.isEmpty)
    }

    @Test func `without PKCE our own requests have none in this profile, and in no other`() throws {
        #expect(try #require(load("\n    requirePKCE: false").settings?.providers.first).omitsPKCE)
        #expect(try !#require(load("").settings?.providers.first).omitsPKCE)
        let other =
            "profile: openid\n    issuer: https://a.example\n    redirectURIs: ['app:/x']\n    requirePKCE: false"
        #expect(try !#require(SettingsTests.load(leastWith(other)).settings?.providers.first).omitsPKCE)
    }
}
