import Foundation
import GatehouseClient
import Testing

@Suite(.serialized) struct `Somebody unknown, where registration is by ticket,` {
    /// What a sign-in of somebody unknown is refused with.
    private func unlinked(_ signIn: () async throws -> some Sendable) async throws -> UnlinkedUser {
        do {
            _ = try await signIn()
        } catch GatehouseError.unlinkedUser(let user) {
            return user
        }
        throw Service.Failure(words: "nobody was asked to register")
    }

    @Test func `is told what the provider said, and registers once`() async throws {
        try await Stage.with(registration: "ticket") { stage in
            let session = try stage.session()
            let user = try await unlinked { try await session.signIn(with: stage.service.evidence(), at: "auth0") }
            #expect(user.attributes.email == "ada@example.com" && user.attributes.name != nil)
            #expect(user.expires == 600)
            #expect(await !session.isSignedIn)
            let grant = try await session.register(ticket: user.ticket, values: ["nickname": "Countess"])
            #expect(try await session.user().id == grant.userID && grant.receipt == nil)
            stage.clock.pass(seconds: 900)
            #expect(try await session.accessToken() == stage.store.load()?.accessToken)
            let other = try stage.session(MemoryStore())
            await #expect(throws: GatehouseError.self) { try await other.register(ticket: user.ticket) }
            #expect(try await other.signIn(with: stage.service.evidence(), at: "auth0").user.id == grant.userID)
        }
    }

    @Test func `is one more identity of the user who is signed in`() async throws {
        try await Stage.with(registration: "ticket") { stage in
            let session = try stage.session()
            let user = try await unlinked { try await session.signIn(with: stage.service.evidence(), at: "auth0") }
            let grant = try await session.register(ticket: user.ticket)
            let other = try await unlinked {
                try await session.signIn(with: stage.service.evidence(at: "okta"), at: "other")
            }
            #expect(await session.isSignedIn, "a sign-in that fails ends nothing")
            #expect(try await session.link(ticket: other.ticket).provider == "other")
            let again = try await session.signIn(with: stage.service.evidence(at: "okta"), at: "other")
            #expect(again.user.id == grant.userID && !again.isNewUser)
        }
    }

    @Test func `registers with the app that they came to by the browser`() async throws {
        try await Stage.with(registration: "ticket") { stage in
            let session = try stage.session()
            let user = try await unlinked { try await session.signIn(with: stage.service.browserCode()) }
            let grant = try await session.register(ticket: user.ticket, values: ["name": "Ada L."])
            #expect(grant.scopes.contains("account.read"))
            stage.clock.pass(seconds: 900)
            #expect(try await session.user().id == grant.userID, "with a refresh token of the app's")
        }
    }

    @Test func `is in no text`() async throws {
        try await Stage.with(registration: "ticket") { stage in
            let session = try stage.session()
            let user = try await unlinked { try await session.signIn(with: stage.service.evidence(), at: "auth0") }
            let error = GatehouseError.unlinkedUser(user)
            var dumped = ""
            dump(error, to: &dumped)
            for shown in ["\(error)", String(reflecting: error), dumped, "\(user.ticket)", "\(user.attributes)"] {
                #expect(!shown.contains("ada@example.com") && !shown.contains("auth0."), "\(shown)")
            }
        }
    }
}

@Suite(.serialized) struct `A sign-in through the browser` {
    @Test func `opens a session of the app, which is renewed and ended as such`() async throws {
        try await Stage.with { stage in
            let session = try stage.session()
            let grant = try await session.signIn(with: stage.service.browserCode())
            #expect(try await session.user().id == grant.userID)
            #expect(Set(grant.scopes) == ["openid", "offline_access", "account.read", "account.identities"])
            #expect(grant.receipt == nil)
            let first = try await session.accessToken()
            stage.clock.pass(seconds: 900)
            let later = try stage.session()
            let token = try await later.accessToken()
            #expect(token != first)
            let address = try await later.linkByBrowser(
                at: "plain", redirectURI: Service.redirectURI, state: "of the app", parameters: ["max_age": "0"])
            #expect(address.url.path == "/auth/link" && address.expires > 0 && !"\(address)".contains("token="))
            try await later.signOut()
            #expect(try await stage.status(of: token) == 401)
        }
    }

    @Test func `has a receipt where the user has approved a text with it`() async throws {
        try await Stage.with { stage in
            let session = try stage.session()
            let code = try await stage.service.browserCode(
                scope: "openid offline_access transactions", ["context": "Pay 1.00 to Bo?", "acr_values": "a3"])
            let receipt = try #require(try await session.signIn(with: code).receipt)
            #expect(receipt.jwt.split(separator: ".").count == 3 && !"\(receipt)".contains(receipt.jwt))
        }
    }

    @Test func `without a refresh token is given up, and told`() async throws {
        try await Stage.with { stage in
            let session = try stage.session()
            let code = try await stage.service.browserCode(scope: "openid account.read")
            await #expect(throws: GatehouseError.notRenewable) { try await session.signIn(with: code) }
            #expect(stage.store.load() == nil && stage.proxy.count("/auth/revoke") == 1)
        }
    }
}
