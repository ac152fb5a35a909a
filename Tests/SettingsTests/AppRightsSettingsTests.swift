import Apps
import Testing

@testable import Settings

@Suite struct `What an app's section lets it do` {
    private func app(_ lines: String...) -> LoadedSettings {
        load(appWith(lines.joined(separator: "\n    ")))
    }

    @Test func `is little where the section says nothing`() throws {
        let rights = try #require(app().settings?.apps.first).rights
        #expect(rights.permissions.scope == "openid profile email phone offline_access")
        #expect(rights.implied.isEmpty && rights.audiences.isEmpty)
        #expect(rights.offlineAccess == .asked && rights.grants == [.authorizationCode, .refreshToken])
    }

    @Test func `is what the section says`() throws {
        let loaded = app(
            "scopes: [openid, account.read, account.erase]", "impliedScopes: [account.read]", "offlineAccess: always",
            "grants: [authorization_code, token_exchange]", "audiences: ['https://api.example', other-app]")
        #expect(loaded.faults == [])
        let rights = try #require(loaded.settings?.apps.first).rights
        #expect(rights.permissions == Permissions([.openid, .accountRead, .accountErase]))
        #expect(rights.implied == Permissions([.accountRead]) && rights.offlineAccess == .always)
        #expect(rights.grants == [.authorizationCode, .tokenExchange])
        #expect(rights.audiences == ["https://api.example", "other-app"])
    }

    @Test(arguments: [
        ("scopes: [openid, admin]", "scopes"), ("scopes: []", "scopes"), ("scopes: [everything]", "scopes"),
        ("impliedScopes: [account.read]", "impliedScopes"), ("offlineAccess: never", "offlineAccess"),
        ("grants: [password]", "grants"), ("scopes: [openid, tokens]", "scopes"),
    ])
    func `is refused where it can't be meant`(line: String, key: String) {
        #expect(app(line).faults.map(\.key) == ["app.acme.\(key)"])
    }

    @Test func `has reusable refresh tokens always`() {
        let limits = "refreshTokens: reusable\n    inactivityDays: 30\n    absoluteDays: 365"
        #expect(app(limits, "offlineAccess: asked").faults.map(\.key) == ["app.acme.offlineAccess"])
        #expect(app(limits).settings?.apps.first?.rights.offlineAccess == .always)
    }

    @Test func `is what it was in a store that is older than its keys, until somebody sets them`() throws {
        let untold = try #require(app().settings)
        var meant = untold
        try meant.makeWhatIsServed(writtenBefore: true)
        let rights = try #require(meant.apps.first).rights
        #expect(rights.offlineAccess == .always && rights.grants == RegisteredApp.GrantType.allCases)
        let keys = meant.noticesOfEarlierMeanings().map(\.key).filter { $0.hasPrefix("app.") }
        #expect(keys == ["app.acme.offlineAccess", "app.acme.grants"])
        var told = try #require(
            app("offlineAccess: asked", "grants: [authorization_code, refresh_token]").settings)
        let before = told.apps
        try told.makeWhatIsServed(writtenBefore: true)
        #expect(told.apps == before)
    }

    @Test
    func `of sessions that are no app's is everything but tokens, and nothing that changes something by exchange`()
        throws
    {
        let usual = try #require(load(least).settings).session
        #expect(usual.permissions == .everything && !usual.permissions.contains(.tokens))
        #expect(usual.exchangePermissions.scope == "openid profile email phone account.read")
        let narrow = load(least + "\nsession: {scopes: [openid, account.read], exchangeScopes: [openid]}\n")
        #expect(narrow.settings?.session.permissions.scope == "openid account.read")
        #expect(narrow.settings?.session.exchangePermissions.scope == "openid")
        for line in ["scopes: [tokens]", "exchangeScopes: [account.erase]", "exchangeScopes: [everything]"] {
            let key = "session." + line.prefix { $0 != ":" }
            #expect(load(least + "\nsession: {\(line)}\n").faults.map(\.key) == [key], "\(line)")
        }
    }

    @Test func `is told to a backend only where that is meant`() {
        let shared = load(least + "\nsession: {audience: api}\n")
        #expect(shared.notices.map(\.key) == ["session.splitAudiences"])
        #expect(load(least + "\nsession: {audience: api, splitAudiences: true}\n").notices.isEmpty)
    }
}
