import Accounts
import Crypto
import JOSE
import JSON
import Syntax
import TestSupport
import Testing

@testable import SignIn

@Suite struct `An access token` {
    private static let session = SessionID(high: 1, low: 2)

    private func token(_ stage: SignInStage, acr: String? = "a3", amr: [String] = ["hwk"], authTime: Int64? = 9) throws
        -> String
    {
        try stage.issuer.accessToken(
            for: "7", session: Self.session, client: "app",
            to: stage.issuer.configuration.audience, permissions: nil,
            Authentication(acr: acr, amr: amr, time: authTime),
            now: stage.now)
    }

    private func decoded(_ token: String) throws -> (header: JSONObject, claims: JSONObject) {
        let parts = try token.split(separator: ".").prefix(2).map { part in
            let bytes = try #require(Base64URL.decode(String(part)))
            return try #require(try JSONValue(parsing: bytes).object)
        }
        return (parts[0], parts[1])
    }

    @Test func `an access token has exactly the claims it should`() async throws {
        let stage = try await SignInStage()
        let (header, claims) = try decoded(token(stage))
        #expect(header.members.map(\.name) == ["typ", "alg", "kid"])
        #expect(header["typ"] == "at+jwt")
        #expect(header["alg"] == "ES256")
        #expect(
            claims.members.map(\.name) == [
                "iss", "sub", "aud", "client_id", "sid", "iat", "exp", "jti", "acr", "amr", "auth_time",
            ])
        #expect(claims["iss"] == "https://gatehouse.example")
        #expect(claims["sub"] == "7")
        #expect(claims["aud"] == "api")
        #expect(claims["client_id"] == "app")
        #expect(claims["sid"] == .string(Self.session.description))
        #expect(claims["iat"] == .integer(stage.now))
        #expect(claims["exp"] == .integer(stage.now + 900))
        #expect(claims["acr"] == "a3")
        #expect(claims["amr"] == ["hwk"])
        #expect(claims["auth_time"] == 9)
        #expect(try #require(claims["jti"]?.string).utf8.count == 22)
    }

    @Test func `leaves out what the carrier did not say`() async throws {
        let stage = try await SignInStage()
        let claims = try decoded(token(stage, acr: nil, amr: [], authTime: nil)).claims
        #expect(claims.members.map(\.name) == ["iss", "sub", "aud", "client_id", "sid", "iat", "exp", "jti"])
    }

    @Test func `an access token is never the same twice`() async throws {
        let stage = try await SignInStage()
        #expect(try decoded(token(stage)).claims["jti"] != decoded(token(stage)).claims["jti"])
    }

    @Test func `speaks for its user and session until it expires`() async throws {
        let stage = try await SignInStage()
        let token = try token(stage)
        let bearer = try #require(stage.issuer.bearer(of: token, at: stage.now + 899))
        #expect(bearer.subject == "7")
        #expect(bearer.session == Self.session)
        #expect(stage.issuer.bearer(of: token, at: stage.now + 900) == nil)
    }

    @Test func `speaks for nobody when its session is another user's`() async throws {
        let stage = try await SignInStage()
        let session = try await stage.sessions.principal(of: stage.signIn().tokens.accessToken).session
        let other = try stage.issuer.accessToken(
            for: session.userReference + "A", session: session.id, client: "app",
            to: stage.issuer.configuration.audience, permissions: nil,
            Authentication(acr: nil, amr: [], time: nil), now: stage.now)
        await #expect(throws: ServiceError.invalidToken) { try await stage.sessions.principal(of: other) }
    }

    @Test func `verifies with the published keys`() async throws {
        let stage = try await SignInStage()
        let keys = try JWKSet(parsing: stage.issuer.keyDocument.span, maximumKeyCount: 5)
        _ = try JWS.verify(token(stage), keys: keys, allowed: [.es256], maximumByteCount: 4096)
        let document = String(decoding: stage.issuer.keyDocument, as: UTF8.self)
        #expect(!document.contains("\"d\""))
    }

    /// A token with our own key, and header and claims changed.
    private func changed(
        _ stage: SignInStage, signedBy purpose: SigningKeyEntry.Purpose = .session,
        _ change: (inout TokenDraft) -> Void
    ) async throws -> String {
        let (header, claims) = try decoded(token(stage))
        let stored = try #require(try await stage.repository.signingKeys().first { $0.entry.purpose == purpose })
        let key = try PrivateKey(pem: Secret(stored.privateKey))
        return try TokenDraft(header: header, claims: claims).changed(change).signed(by: key, with: .es256)
    }

    @Test func `an access token is taken when it is ours, whatever else it says`() async throws {
        let stage = try await SignInStage()
        let token = try await changed(stage) { $0.claims[setting: "extra"] = "x" }
        #expect(stage.issuer.bearer(of: token, at: stage.now) != nil)
    }

    @Test func `an access token is refused when the key of receipts has signed it`() async throws {
        let stage = try await SignInStage()
        let kid = try #require(stage.sessionKeys.receiptSigner.keyID)
        let token = try await changed(stage, signedBy: .receipt) { $0.header[setting: "kid"] = .string(kid) }
        await #expect(throws: ServiceError.invalidToken) { try await stage.sessions.principal(of: token).session }
    }

    @Test(
        arguments: [
            ("iss", "https://other.example"), ("iss", nil), ("aud", nil), ("aud", ["api"]),
            ("exp", nil),
            ("exp", "99999999999"), ("exp", .number(1e300)), ("sub", nil), ("sub", 7), ("sid", nil),
            ("sid", "1"), ("sid", "0000000000000001000000000000000"),
        ] as [(String, JSONValue?)])
    func `an access token is refused with a wrong claim`(claim: String, value: JSONValue?) async throws {
        let stage = try await SignInStage()
        let token = try await changed(stage) { $0.claims[setting: claim] = value }
        #expect(stage.issuer.bearer(of: token, at: stage.now) == nil)
    }

    @Test func `an access token that is made out to somebody else says so, and is refused here`() async throws {
        let stage = try await SignInStage()
        let token = try await changed(stage) { $0.claims[setting: "aud"] = "other" }
        #expect(stage.issuer.bearer(of: token, at: stage.now)?.audience == "other")
        await #expect(throws: ServiceError.invalidToken) { try await stage.sessions.principal(of: token) }
        await #expect(throws: ServiceError.invalidToken) { try await stage.sessions.signOut(token) }
    }

    @Test(arguments: [nil, "JWT", "id_token+jwt", "port_token+jwt"] as [JSONValue?])
    func `an access token is refused with another type`(type: JSONValue?) async throws {
        let stage = try await SignInStage()
        let token = try await changed(stage) { $0.header[setting: "typ"] = type }
        #expect(stage.issuer.bearer(of: token, at: stage.now) == nil)
    }

    @Test func `an access token is refused when a foreign key signed it`() async throws {
        let stage = try await SignInStage()
        let (header, claims) = try decoded(token(stage))
        let forged = try TokenDraft(header: header, claims: claims).signed(by: TestKeys.p256, with: .es256)
        #expect(stage.issuer.bearer(of: forged, at: stage.now) == nil)
    }

    @Test func `an access token is refused when it is another start's or another service's`() async throws {
        let (ours, theirs) = (try await SignInStage(), try await SignInStage())
        #expect(try ours.issuer.bearer(of: token(theirs), at: ours.now) == nil)
    }

    @Test(arguments: ["", "garbage", "a.b.c", "e30.e30.e30", String(repeating: "a", count: 5000)])
    func `an access token is refused when it is no token`(text: String) async throws {
        let stage = try await SignInStage()
        #expect(stage.issuer.bearer(of: text, at: stage.now) == nil)
    }

    @Test func `an access token is refused unsigned`() async throws {
        let stage = try await SignInStage()
        var (header, claims) = try decoded(token(stage))
        header[setting: "alg"] = "none"
        let parts = [header, claims].map { Base64URL.encode(JSONValue.object($0).serialized) }
        #expect(stage.issuer.bearer(of: parts.joined(separator: ".") + ".", at: stage.now) == nil)
    }
}
