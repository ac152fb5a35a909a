import Crypto
import Providers
import Syntax
import Testing

@testable import Settings

@Suite struct `The profile telenor-id` {
    private static let least = "profile: telenor-id\n    redirectURIs: ['app:/x']"

    private func provider(_ more: String = "") throws -> ProviderSettings {
        let loaded = load(leastWith(Self.least + more))
        #expect(loaded.faults.isEmpty && loaded.notices.isEmpty, "\(loaded.faults) \(loaded.notices)")
        return try #require(loaded.settings?.listedProviders.sections.first)
    }

    @Test func `fills in what is the same for everybody`() throws {
        let provider = try provider()
        #expect(provider.issuer?.text == "https://id.telenor.no")
        #expect(provider.scopes == ["openid", "profile", "email", "phone", "offline_access"])
        #expect(provider.clientAuthentication == .basic && provider.basicEncoding == .form)
        #expect(provider.algorithms == [.rs256])
        #expect(provider.crossClientKey == nil)
        #expect(try provider.configuration(sharedRedirectURIs: []).takesLineTokens)
    }

    @Test func `is overridden in everything`() throws {
        let provider = try provider(
            """

                issuer: https://id-test.telenor.no
                scopes: [openid, tnn.ids]
                clientAuthentication: client_secret_post
                crossClientKey: kurtid
            """)
        #expect(provider.issuer?.text == "https://id-test.telenor.no")
        #expect(provider.scopes == ["openid", "tnn.ids"])
        #expect(provider.clientAuthentication == .post)
        #expect(try provider.configuration(sharedRedirectURIs: []).crossClientKey == "kurtid")
    }

    @Test(arguments: ["openid", "beyond-identity", "tim"])
    func `alone takes the session of a line`(profile: String) throws {
        let yaml = leastWith("profile: \(profile)\n    issuer: https://a.example\n    redirectURIs: ['app:/x']")
        let provider = try #require(load(yaml).settings?.listedProviders.sections.first)
        #expect(try !provider.configuration(sharedRedirectURIs: []).takesLineTokens)
    }

    @Test func `a key of the person is no matter of carriers, and none of the protocol's claims`() {
        let carriers = load(leastWith("crossClientKey: kurtid")).faults
        #expect(carriers.map(\.key) == ["provider.zenkey.crossClientKey"])
        for claim in ["sub", "nonce", "'a b'"] {
            let faults = load(leastWith(Self.least + "\n    crossClientKey: \(claim)")).faults
            #expect(faults.map(\.key) == ["provider.zenkey.crossClientKey"])
            #expect(faults.map(\.kind) == [.value])
        }
    }
}
