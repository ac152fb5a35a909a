import Accounts
import Apps
import HTTPServer
import HTTPTesting
import JSON
import Providers
import SignIn
import TestSupport
import Testing

@testable import WebAPI

/// Who may ask for what: every operation that a session token may be shown to, by everybody who can show one.
///
/// The answers are written down in the two tables, one word a cell:
///
/// - `ok`: it is done. `token`: 401 `invalid_token`. `scope`: 403 `insufficient_scope`.
/// - `again`: 401 `insufficient_user_authentication`. `new`: 403 `identity_too_new`.
/// - `none`: 404, there is no such thing of theirs. `taken`: 409, it is somebody else's.
/// - `last`: 409, they have no other. `bad`: 400, what they have of the other account is another client's.
/// - `app`: 403 `unauthorized_client`, it is for apps of ours.
/// - `else`: 401 `invalid_id_token`, it is somebody else who has approved.
///
/// `.own` is the operation on the asker's own session or identity, `.name` on what others don't find a user by.
@Suite struct `An operation by who asks for it` {
    /// By what token is shown.
    ///
    /// - `nobody`: none. `made-up`: one that nobody has made. `address`: a good one, in the address.
    /// - `expired`, `ended`: a good one once, of an app that has everything. `backend`: one made out to a backend.
    /// - `without`: an app's that has everything but what it takes. `alone`: an app's that has nothing but that.
    /// - `posted`: of an app that posts codes. `exchanged`: for a provider's access token.
    private static let byToken = """
                                nobody made-up address expired ended backend without alone posted exchanged
        credentialBindingLink   ok     token   ok      token   token token   scope   ok    ok     scope
        beginPush               ok     token   ok      token   token token   scope   ok    ok     scope
        currentUser             token  token   token   token   token token   scope   ok    ok     ok
        editCurrentUser         token  token   token   token   token token   scope   ok    ok     scope
        editCurrentUser.name    token  token   token   token   token token   scope   ok    ok     scope
        eraseCurrentUser        token  token   token   token   token token   scope   ok    ok     scope
        refreshProfile          token  token   token   token   token token   scope   ok    ok     ok
        matchCurrentUser        token  token   token   token   token token   scope   ok    ok     ok
        approveTransaction      token  token   token   token   token token   scope   ok    ok     scope
        listIdentities          token  token   token   token   token token   scope   ok    ok     ok
        linkIdentity            token  token   token   token   token token   scope   ok    ok     scope
        linkByBrowser           token  token   token   token   token token   scope   ok    app    scope
        mergeAccounts           token  token   token   token   token token   scope   ok    ok     scope
        unlinkIdentity          token  token   token   token   token token   scope   ok    ok     scope
        unlinkIdentity.own      token  token   token   token   token token   scope   ok    ok     scope
        providerAccessToken     token  token   token   token   token token   scope   ok    token  token
        listSessions            token  token   token   token   token token   scope   ok    ok     ok
        revokeSessions          token  token   token   token   token token   scope   ok    ok     scope
        revokeSession           token  token   token   token   token token   scope   ok    ok     scope
        revokeSession.own       token  token   token   token   token token   scope   ok    ok     scope
        userinfo                token  token   token   token   token token   scope   ok    ok     ok
        userinfoByPost          token  token   token   token   token token   scope   ok    ok     ok
        signOut                 ok     token   ok      ok      token token   ok      ok    ok     ok
        """

    /// By what its user has shown; the token has every permission that it can have.
    ///
    /// - `other`: another user's, who asks for Jane's. `probation`: by an identity that was added just now.
    /// - `long-ago`: who authenticated before the time that is allowed.
    /// - No word of when they authenticated: `iat`: a posted code's with a nonce of the app's own; `challenge`: with
    ///   our challenge; `section`: likewise, at a provider with `freshness: challenge`; `browser`: with our nonce, by
    ///   the browser.
    private static let byUser = """
                                other  probation long-ago iat    challenge section browser
        credentialBindingLink   ok     new       again    again  again     ok      again
        beginPush               ok     ok        ok       ok     ok        ok      ok
        currentUser             ok     ok        ok       ok     ok        ok      ok
        editCurrentUser         ok     new       again    again  again     ok      again
        editCurrentUser.name    ok     ok        ok       ok     ok        ok      ok
        eraseCurrentUser        ok     new       again    again  ok        ok      ok
        refreshProfile          none   ok        ok       ok     ok        ok      ok
        matchCurrentUser        ok     ok        ok       ok     ok        ok      ok
        approveTransaction      else   new       ok       ok     ok        ok      ok
        listIdentities          ok     ok        ok       ok     ok        ok      ok
        linkIdentity            taken  new       again    again  again     ok      again
        linkByBrowser           ok     new       again    again  again     app     again
        mergeAccounts           bad    new       again    again  again     ok      again
        unlinkIdentity          none   new       again    again  ok        ok      ok
        unlinkIdentity.own      last   ok        again    again  ok        ok      ok
        providerAccessToken     none   ok        ok       token  token     token   ok
        listSessions            ok     ok        ok       ok     ok        ok      ok
        revokeSessions          ok     new       again    again  ok        ok      ok
        revokeSession           none   new       again    again  ok        ok      ok
        revokeSession.own       ok     ok        ok       ok     ok        ok      ok
        userinfo                ok     ok        ok       ok     ok        ok      ok
        userinfoByPost          ok     ok        ok       ok     ok        ok      ok
        signOut                 ok     ok        ok       ok     ok        ok      ok
        """

    /// What a token must hold, by operation; nil where any will do.
    private static let needs: [String: Permission?] = [
        "credentialBindingLink": .accountIdentities, "beginPush": .transactions, "currentUser": .accountRead,
        "editCurrentUser": .accountWrite, "eraseCurrentUser": .accountErase, "refreshProfile": .accountRead,
        "matchCurrentUser": .accountRead,
        "approveTransaction": .transactions, "listIdentities": .accountRead, "linkIdentity": .accountIdentities,
        "linkByBrowser": .accountIdentities, "mergeAccounts": .accountIdentities,
        "unlinkIdentity": .accountIdentities, "providerAccessToken": .tokens, "listSessions": .accountRead,
        "revokeSessions": .accountSessions, "revokeSession": .accountSessions, "userinfo": .openid,
        "userinfoByPost": .openid, "signOut": nil,
    ]

    /// The cells of a table: by asker, what each row says.
    private static func cells(
        _ table: String
    ) throws -> [(asker: PermissionAsker, answers: [(row: PermissionAsker.Row, cell: String)])] {
        let lines = table.split(separator: "\n").map { $0.split(separator: " ").map { String($0) } }
        return try lines[0].enumerated().map { column, name in
            let answers = try lines.dropFirst().map { line in
                try #require(line.count == lines[0].count + 1, "\(line)")
                let operation = line[0].prefix { $0 != "." }
                return (PermissionAsker.Row(text: line[0], needed: needs[String(operation)] ?? nil), line[column + 1])
            }
            return (try #require(PermissionAsker(rawValue: name)), answers)
        }
    }

    private static func word(_ answer: HTTPTestAnswer) -> String {
        switch (answer.status, answer.error) {
        case (200..<300, _): "ok"
        case (401, "invalid_token"): "token"
        case (403, "insufficient_scope"): "scope"
        case (401, "insufficient_user_authentication"): "again"
        case (403, "identity_too_new"): "new"
        case (403, "unauthorized_client"): "app"
        case (404, "not_found"): "none"
        case (409, "identity_in_use"): "taken"
        case (409, "last_identity"): "last"
        case (400, "invalid_request"): "bad"
        case (401, "invalid_id_token") where answer.json["reason"] == "subject": "else"
        default: "?"
        }
    }

    @Test func `says in the table what a token must hold`() throws {
        let operations = Operations.all(with: .ofTests)
        let shown = operations.filter { [.user, .userOrApp, .bearer, .userAndClient].contains($0.access) }
        #expect(Dictionary(uniqueKeysWithValues: shown.map { ($0.description.id, $0.permission) }) == Self.needs)
        // No other operation is given a session by the shell.
        #expect(operations.allSatisfy { $0.permission == nil || Self.needs[$0.description.id] != nil })
        let columns = try Self.cells(Self.byToken) + Self.cells(Self.byUser)
        #expect(Set(columns.map(\.asker)) == Set(PermissionAsker.allCases))
        for (asker, answers) in columns {
            #expect(Set(answers.map(\.row.operation)) == Set(Self.needs.keys), "\(asker)")
            #expect(Set(answers.map(\.row.text)).count == answers.count, "\(asker)")
        }
    }

    @Test(arguments: PermissionAsker.allCases, StoreKind.allCases)
    func `answers everybody as it is written down`(asker: PermissionAsker, store: StoreKind) async throws {
        let columns = try Self.cells(Self.byToken) + Self.cells(Self.byUser)
        let answers = try #require(columns.first { $0.asker == asker }).answers
        try await store.with { repository in
            var stage = try await PermissionStage(
                in: repository, freshness: asker == .section ? .challenge : .authenticationTime)
            for (row, cell) in answers {
                let target = try await stage.target()
                let token = try await asker.token(for: row, &stage)
                let before = try await stage.belongings
                let app = asker == .alone ? (row.needed ?? .openid).rawValue : "all"
                let answer = try await asker.ask(for: row, with: token, of: app, about: target, &stage)
                #expect(Self.word(answer) == cell, "\(row.text) \(answer.status) \(answer.text)")
                if cell == "scope" {
                    let scope = row.needed?.rawValue ?? ""
                    #expect(answer.header("www-authenticate")?.hasSuffix(#"scope="\#(scope)""#) == true)
                }
                // A refused caller has changed nothing, and nobody but Jane has changed what is hers.
                if cell != "ok" || asker == .other {
                    #expect(try await stage.belongings == before, "\(row.text)")
                }
            }
        }
    }

    @Test(arguments: Permission.allCases, StoreKind.allCases)
    func `opens to a token that holds what it takes, and to no other`(
        held: Permission, store: StoreKind
    ) async throws {
        try await store.with { repository in
            var stage = try await PermissionStage(in: repository, freshness: .authenticationTime)
            for (row, _) in try Self.cells(Self.byToken)[0].answers {
                let target = try await stage.target()
                let token = try await stage.appToken(
                    of: held.rawValue, Permissions([held]), for: .jane, authenticatedAt: stage.api.stage.now)
                let asker = PermissionAsker.alone
                let answer = try await asker.ask(for: row, with: token, of: held.rawValue, about: target, &stage)
                let isOpen = row.needed == nil || row.needed == held
                #expect(Self.word(answer) == (isOpen ? "ok" : "scope"), "\(row.text) \(answer.status) \(answer.text)")
            }
        }
    }

    @Test func `is shut to a token that is made out to a backend`() async throws {
        let stage = try await PermissionStage(freshness: .authenticationTime)
        let all = Permissions(Permission.allCases)
        let first = try await stage.appTokens(of: "all", all, for: .jane, authenticatedAt: stage.api.stage.now).json
        let refreshed = await stage.api.post(
            "/auth/token",
            form: FormText.encode([
                ("grant_type", "refresh_token"), ("refresh_token", first["refresh_token"]?.string ?? ""),
                ("resource", "https://backend.example"),
            ]), headers: [PermissionStage.basic("all")])
        let token = try #require(refreshed.json["access_token"]?.string, "\(refreshed.text)")
        #expect(await stage.api.send(.get, "/users/me", headers: bearer(token)).error == "invalid_token")
        // The session goes on, and has another one for this service.
        let ours = bearer(try #require(first["access_token"]?.string))
        #expect(await stage.api.send(.get, "/users/me", headers: ours).status == 200)
    }

    @Test func `is open to an app that posts codes until the operator says otherwise`() async throws {
        let narrow = try await APIStage(permissions: Permissions([.openid, .profile]))
        let token = try await narrow.signedIn().token
        #expect(await narrow.send(.get, "/users/me", headers: bearer(token)).error == "insufficient_scope")
        #expect(await narrow.send(.get, "/auth/userinfo", headers: bearer(token)).status == 200)
    }

    @Test func `takes a posted code's token for two, or for this service alone, as the operator has it`() async throws {
        let shared = try await APIStage()
        let (token, _) = try await shared.signedIn()
        #expect(await shared.send(.get, "/users/me", headers: bearer(token)).status == 200)
        let split = try await APIStage(splitsAudiences: true)
        let (ours, refreshToken) = try await split.signedIn()
        #expect(await split.send(.get, "/users/me", headers: bearer(ours)).status == 200)
        let answer = await split.post(
            "/auth/token",
            json: [
                "grant_type": "refresh_token", "refresh_token": .string(refreshToken), "resource": "api",
            ])
        let theirs = try #require(answer.json["access_token"]?.string)
        #expect(await split.send(.get, "/users/me", headers: bearer(theirs)).error == "invalid_token")
    }
}
