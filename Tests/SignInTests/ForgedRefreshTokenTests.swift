import Accounts
import Crypto
import JSON
import Syntax
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite
@testable import SignIn

/// What an attacker presents as a refresh token.
@Suite struct `A refresh token that is not ours, or not what it says` {
    /// Jane is signed in; the attacker knows everything of her token but the key.
    private struct Scene {
        let stage: SignInStage
        let tokens: TokenIssuer.Tokens
        let jane: UserID
        let subject: String
        let session: SessionID
        let key: SecretKey

        init() async throws {
            stage = try await SignInStage()
            let outcome = try await stage.signIn()
            tokens = outcome.tokens
            jane = outcome.signedIn.user
            subject = outcome.signedIn.reference
            session = try await stage.sessions.principal(of: tokens.accessToken).session.id
            key = try #require(try await stage.repository.secretKeys(for: .refresh).first)
        }

        func claims(
            uid: String? = nil, sid: SessionID? = nil, gen: Int64 = 1, exp: Int64? = nil
        ) -> String {
            """
            {"sub":"\(subject)","uid":"\(uid ?? jane.description)","sid":"\((sid ?? session).description)",\
            "gen":\(gen),"iat":\(stage.now),"exp":\(exp ?? stage.now + 86_400)}
            """
        }

        func header(_ kid: Int64? = nil) -> String { #"{"typ":"rt+jwt","alg":"HS256","kid":"\#(kid ?? key.number)"}"# }

        func token(_ header: String? = nil, _ claims: String? = nil, key bytes: [UInt8]? = nil) -> String {
            let input =
                Base64URL.encode(Array((header ?? self.header()).utf8)) + "."
                + Base64URL.encode(Array((claims ?? self.claims()).utf8))
            return input + "." + Base64URL.encode(HMAC.sha256(Array(input.utf8), key: bytes ?? key.bytes))
        }

        func isRefused(_ text: String) async -> Bool {
            do throws(ServiceError) {
                _ = try await stage.sessions.refresh(text)
                return false
            } catch {
                return error == .invalidGrant(.unknownRefreshToken)
            }
        }

        /// Sets the session back to a generation, as a backup does that is put in the place of the store.
        func restore(generation: Int64) async throws {
            let store = try #require(stage.repository as? SQLiteAccounts)
            try await store.writer.write { [session] connection throws(RepositoryError) in
                try connection.run(Query("UPDATE sessions SET generation = ? WHERE id = ?"), generation, session)
            }
        }
    }

    /// Texts that must never get as far as the store.
    private static func worthless(_ scene: Scene) async throws -> [String: String] {
        let good = scene.token()
        let (head, rest) = (good.split(separator: ".")[0], good.split(separator: ".")[1...].joined(separator: "."))
        let parts = good.split(separator: ".").map(String.init)
        let repository = scene.stage.repository
        let challenge = try #require(try await repository.secretKeys(for: .challenge).first)
        let contact = try #require(try await repository.secretKeys(for: .contact).first)
        let signingKey = try #require(try await repository.signingKeys().first { $0.entry.purpose == .session })
        let publicKey = try #require(try JSONValue(parsing: scene.stage.issuer.keyDocument)["keys"]?.array?.first)
        let session = try #require(try await repository.session(scene.session, now: scene.stage.now))
        let receipt = try scene.stage.issuer.receipt(
            Receipt(
                id: "1", user: scene.jane, session: scene.session, contextHash: Sample.hash(), nonce: nil,
                authentication: Authentication(acr: nil, amr: [], time: nil), provider: "zenkey", client: "app",
                createdAt: scene.stage.now), under: session)
        let none = Base64URL.encode(Array(#"{"typ":"rt+jwt","alg":"none","kid":"\#(scene.key.number)"}"#.utf8))
        return [
            "nothing": "", "garbage": "garbage", "one dot": ".", "two dots": "..", "three dots": "...",
            "very long": String(repeating: "a", count: 100_000), "too long": good + String(repeating: "A", count: 512),
            "access token": scene.tokens.accessToken, "receipt": receipt,
            "ID token": try scene.stage.carrier.idToken { _ in },
            "challenge": try await scene.stage.useCases.challenges.issue(),
            "alg none": none + "." + parts[1] + ".", "alg none with our hash": none + "." + parts[1] + "." + parts[2],
            "alg RS256": scene.token(#"{"typ":"rt+jwt","alg":"RS256","kid":"\#(scene.key.number)"}"#),
            "alg ES256, our kid": scene.token(#"{"typ":"rt+jwt","alg":"ES256","kid":"\#(signingKey.kid)"}"#),
            "public key as the hash's": scene.token(
                #"{"typ":"rt+jwt","alg":"HS256","kid":"\#(signingKey.kid)"}"#, key: publicKey.serialized),
            "public key under our kid": scene.token(key: publicKey.serialized),
            "signing key under our kid": scene.token(key: signingKey.privateKey),
            "key of challenges": scene.token(scene.header(challenge.number), key: challenge.bytes),
            "key of contacts": scene.token(scene.header(contact.number), key: contact.bytes),
            "key of challenges under our kid": scene.token(key: challenge.bytes),
            "no key": scene.token(key: []), "zeros": scene.token(key: [UInt8](repeating: 0, count: 32)),
            "kid of nobody": scene.token(scene.header(99)), "kid 0": scene.token(scene.header(0)),
            "negative kid": scene.token(scene.header(-1)),
            "no kid": scene.token(#"{"typ":"rt+jwt","alg":"HS256"}"#),
            "type of access tokens": scene.token(#"{"typ":"at+jwt","alg":"HS256","kid":"\#(scene.key.number)"}"#),
            "no type": scene.token(#"{"alg":"HS256","kid":"\#(scene.key.number)"}"#),
            "expired": scene.token(nil, scene.claims(exp: scene.stage.now)),
            "expired long ago": scene.token(nil, scene.claims(exp: 0)),
            "generation 0": scene.token(nil, scene.claims(gen: 0)),
            "other claims under her hash": parts[0] + "."
                + Base64URL.encode(Array(scene.claims(gen: 2).utf8)) + "." + parts[2],
            "no hash": parts[0] + "." + parts[1] + ".", "half a hash": String(good.dropLast(21)),
            "padded": good + "=", "spaced": " " + good, "her hash twice": good + "." + parts[2],
            "header alone": String(head), "no header": "." + rest,
            "made up in the earlier form": "\(scene.session).guess",
        ]
    }

    @Test func `a refresh token that is not ours, or not what it says is refused before the store is asked`()
        async throws
    {
        let scene = try await Scene()
        let worthless = try await Self.worthless(scene)
        // A store that is closed fails every call but that for the keys, which are in memory.
        await scene.stage.repository.close()
        await #expect(throws: ServiceError.storageUnavailable(.closed)) {
            try await scene.stage.sessions.refresh(scene.token())
        }
        for (name, text) in worthless { #expect(await scene.isRefused(text), "\(name)") }
        // Those two are looked at as access tokens, of which one is good and the other may be of a new key.
        for (name, text) in worthless where !["access token", "receipt"].contains(name) {
            try await scene.stage.sessions.revoke(text, for: nil)
        }
    }

    @Test func `ends nothing, for jane goes on`() async throws {
        let scene = try await Scene()
        for (name, text) in try await Self.worthless(scene) {
            #expect(await scene.isRefused(text), "\(name)")
            if name != "access token" { try await scene.stage.sessions.revoke(text, for: nil) }
        }
        // As the scene makes tokens, so does the service: nothing above was refused for a slip in making it.
        #expect(scene.token() == scene.tokens.refreshToken)
        _ = try await scene.stage.sessions.refresh(scene.tokens.refreshToken)
        #expect(try await scene.stage.repository.auditEvents(after: 0, limit: 99).map(\.kind) == [.userCreated])
    }

    @Test
    func
        `a refresh token that is not ours, or not what it says is refused for another user's session, and for her session under another user`()
        async throws
    {
        let scene = try await Scene()
        try scene.stage.answerToken { $0.claims[setting: "sub"] = "310260-other" }
        scene.stage.answerUserinfo(["sub": "310260-other"])
        let john = try await scene.stage.signIn(["code": "another"])
        let hisSession = try await scene.stage.sessions.principal(of: john.tokens.accessToken).session.id
        #expect(john.signedIn.user != scene.jane)
        for claims in [
            scene.claims(uid: john.signedIn.user.description), scene.claims(sid: hisSession),
            scene.claims(sid: SessionID(high: 1, low: 1)), scene.claims(uid: "0"), scene.claims(uid: "-1"),
        ] {
            #expect(await scene.isRefused(scene.token(nil, claims)))
            try await scene.stage.sessions.revoke(scene.token(nil, claims), for: nil)
        }
        _ = try await scene.stage.sessions.refresh(scene.tokens.refreshToken)
        _ = try await scene.stage.sessions.refresh(john.tokens.refreshToken)
    }

    @Test
    func
        `a refresh token that is not ours, or not what it says is refused when it is newer than what a restored store knows, and revokes nothing`()
        async throws
    {
        let scene = try await Scene()
        var token = scene.tokens.refreshToken ?? ""
        for _ in 0..<3 { token = try await scene.stage.sessions.refresh(token).refreshToken ?? "" }
        try await scene.restore(generation: 2)
        #expect(await scene.isRefused(token))
        #expect(try await scene.stage.repository.session(scene.session, now: scene.stage.now)?.generation == 2)
        #expect(try await scene.stage.repository.auditEvents(after: 0, limit: 9).map(\.kind) == [.userCreated])
        // To leave, it is good enough.
        try await scene.stage.sessions.revoke(token, for: nil)
        #expect(try await scene.stage.repository.session(scene.session, now: scene.stage.now) == nil)
    }

    @Test func `opens nothing as an access token, and does not sign out`() async throws {
        let scene = try await Scene()
        for text in [scene.tokens.refreshToken ?? "", scene.token(#"{"typ":"at+jwt","alg":"HS256","kid":"1"}"#)] {
            await #expect(throws: ServiceError.invalidToken) { try await scene.stage.sessions.principal(of: text) }
            await #expect(throws: ServiceError.invalidToken) { try await scene.stage.sessions.signOut(text) }
        }
        _ = try await scene.stage.sessions.refresh(scene.tokens.refreshToken)
    }

    @Test func `opens nothing once its session is revoked or its user erased`() async throws {
        for isErased in [false, true] {
            let scene = try await Scene()
            let second = try await scene.stage.sessions.refresh(scene.tokens.refreshToken).refreshToken ?? ""
            if isErased {
                _ = try await scene.stage.repository.erase(scene.jane, now: scene.stage.now)
            } else {
                try await scene.stage.sessions.revoke(second, for: nil)
            }
            for token in [scene.tokens.refreshToken ?? "", second, scene.token(nil, scene.claims(gen: 3))] {
                #expect(await scene.isRefused(token))
            }
        }
    }
}
