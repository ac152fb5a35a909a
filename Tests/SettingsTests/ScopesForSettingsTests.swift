import JSON
import Providers
import Testing

@testable import Settings

@Suite struct `What a provider is asked for by app` {
    private static func load(_ lines: String..., environment: [String: String] = [:]) -> LoadedSettings {
        let apps = """
            apps: [shop, desk]
            app:
              shop: {clientID: shop-id, redirectURIs: ['https://shop.example/cb']}
              desk: {clientID: desk-id, redirectURIs: ['https://desk.example/cb'], providers: [other]}
            providers: [zenkey, other]

            """
        let other = """
              other: {profile: openid, issuer: 'https://other.example', clientID: o, clientSecret: s3cret-of-other}

            """
        return SettingsTests.load(
            apps + least + lines.map { "    \($0)\n" }.joined() + other, environment: environment)
    }

    private static func scopes(_ loaded: LoadedSettings) throws -> [String: [String]] {
        try #require(loaded.settings?.providers.first, "\(loaded.faults)").scopesFor
    }

    @Test func `is nothing of its own where the section says nothing`() throws {
        #expect(try Self.scopes(Self.load()) == [:])
        #expect(try Self.scopes(Self.load("scopesFor: {}")) == [:])
    }

    @Test func `is what the section says, by the name by which the app comes`() throws {
        let loaded = Self.load("scopesFor: {shop: [openid, email, 'https://api.example/read']}")
        #expect(try Self.scopes(loaded) == ["shop-id": ["openid", "email", "https://api.example/read"]])
        let shown = loaded.effective.first { $0.key == "provider.zenkey.scopesFor" }
        #expect(shown?.value == ["shop": ["openid", "email", "https://api.example/read"]])
    }

    @Test func `is what a variable says`() throws {
        let loaded = Self.load(environment: ["GATEHOUSE_PROVIDER_ZENKEY_SCOPES_FOR": "shop=openid email"])
        #expect(try Self.scopes(loaded) == ["shop-id": ["openid", "email"]])
    }

    @Test(arguments: [
        "scopesFor: {nobody: [openid]}", "scopesFor: {shop: [email]}", "scopesFor: {shop: [openid, port_data]}",
        "scopesFor: {shop: []}", "scopesFor: {shop: openid}", "scopesFor: {shop: [openid, openid]}",
        "scopesFor: {shop: {openid: true}}", "scopesFor: [shop]", "scopesFor: everything",
        "scopesFor: {shop: [openid, 'e mail\"']}", "scopesFor: {desk: [openid]}",
    ])
    func `is refused where it can't be meant`(line: String) {
        #expect(Self.load(line).faults.map(\.key) == ["provider.zenkey.scopesFor"])
    }

    @Test func `names the apps that there are beside one that there is not`() throws {
        let fault = try #require(Self.load("scopesFor: {nobody: [openid]}").faults.first)
        #expect(fault.value == "nobody" && fault.expected == "names that apps lists: shop, desk")
        let foreign = try #require(Self.load("scopesFor: {desk: [openid]}").faults.first)
        #expect(foreign.value == "desk" && foreign.expected.contains("app.desk.providers has no zenkey"))
    }

    @Test func `is refused where a variable names an app twice`() {
        let loaded = Self.load(environment: ["GATEHOUSE_PROVIDER_ZENKEY_SCOPES_FOR": "shop=openid,shop=openid email"])
        #expect(loaded.faults.map(\.expected) == ["each app once"])
    }
}
