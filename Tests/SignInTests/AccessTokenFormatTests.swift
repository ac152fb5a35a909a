import Accounts
import Apps
import Crypto
import JOSE
import JSON
import Syntax
import TestSupport
import Testing

@testable import SignIn

@Suite struct `The format of access tokens` {
    private static let formats = AccessTokenFormat.TokenType.allCases.flatMap { type in
        SigningAlgorithm.allCases.map { AccessTokenFormat(type: type, algorithm: $0) }
    }
    private static let apps = AppRegistry(
        [
            RegisteredApp(
                name: "desk", clientID: "desk", secret: nil, redirectURIs: [], providers: [], origins: [],
                postLogoutRedirectURIs: [], otherBrowser: .refuse, consent: .implicit, idTokenAlgorithm: .rs256)
        ], resourceServers: [])

    private func issuer(
        _ stage: SignInStage, _ format: AccessTokenFormat, audience: String = "api"
    ) async throws -> (TokenIssuer, SessionKeys) {
        let keys = try await SessionKeys.load(from: stage.repository, for: [.idToken], format, now: stage.now)
        var configuration = stage.issuer.configuration
        configuration.audience = audience
        return (TokenIssuer(configuration: configuration, keys: keys, repository: stage.repository), keys)
    }

    private func token(_ issuer: TokenIssuer, _ stage: SignInStage) throws -> String {
        try issuer.accessToken(
            for: "7", session: issuer.makeSessionID(at: stage.now * 1000), client: "desk",
            to: issuer.configuration.audience, permissions: nil,
            Authentication(acr: "a3", amr: [], time: stage.now), now: stage.now)
    }

    private func header(of token: String) throws -> JSONValue {
        let text = String(token.prefix { $0 != "." })
        let bytes = try #require(Base64URL.decode(text))
        return try JSONValue(parsing: bytes.span)
    }

    @Test(arguments: Self.formats)
    func `is what the operator has chosen, and every key of it is published`(format: AccessTokenFormat) async throws {
        let stage = try await SignInStage(apps: Self.apps)
        let (issuer, keys) = try await issuer(stage, format)
        let token = try token(issuer, stage)
        let header = try header(of: token)
        #expect(header["typ"]?.string == format.type.rawValue && header["alg"]?.string == format.algorithm.rawValue)
        let kid = try #require(header["kid"]?.string)
        #expect(String(decoding: keys.document, as: UTF8.self).contains(kid))
        #expect(issuer.bearer(of: token, at: stage.now)?.subject == "7")
        #expect(issuer.bearer(of: token, at: stage.now + 900) == nil)
        #expect(try await !issuer.findsKey(of: token, now: stage.now))
    }

    /// With one type for both, and one audience by mistake, what is said of an authentication would open the API.
    @Test(arguments: SigningAlgorithm.allCases, SigningAlgorithm.allCases)
    func `never lets an ID token pass for one`(algorithm: SigningAlgorithm, ofApp: SigningAlgorithm) async throws {
        let stage = try await SignInStage(apps: Self.apps)
        let (issuer, keys) = try await issuer(
            stage, AccessTokenFormat(type: .jwt, algorithm: algorithm), audience: "desk")
        var claims = JSONWriter(reservingCapacity: 256)
        claims.object { claims in
            claims.member("iss", issuer.configuration.issuer.text)
            claims.member("sub", "7")
            claims.member("aud", "desk")
            claims.member("exp", stage.now + 900)
            claims.member("sid", issuer.makeSessionID(at: stage.now * 1000).description)
        }
        let idToken = try keys.idTokenSigner(ofApp).sign(claims.bytes)
        #expect(issuer.idTokenHint(idToken) != nil)
        #expect(issuer.bearer(of: idToken, at: stage.now) == nil)
    }

    @Test func `may change while tokens of the one before are under way`() async throws {
        let stage = try await SignInStage(apps: Self.apps)
        let (before, _) = try await issuer(stage, AccessTokenFormat())
        let (after, _) = try await issuer(stage, AccessTokenFormat(type: .jwt, algorithm: .rs256))
        let token = try token(before, stage)
        #expect(after.bearer(of: token, at: stage.now) != nil)
        // Back again it is only the type that nobody else has.
        #expect(before.bearer(of: try self.token(after, stage), at: stage.now) == nil)
    }

    @Test func `takes a rotated key of its algorithm over`() async throws {
        let stage = try await SignInStage(apps: Self.apps)
        let (issuer, keys) = try await issuer(stage, AccessTokenFormat(algorithm: .rs256))
        let first = try token(issuer, stage)
        let new = try await SessionKeys.rotate(.idToken, in: stage.repository, now: stage.now, signsAtOnce: true)
        #expect(try await keys.reload(from: stage.repository, now: stage.now))
        #expect(try header(of: try token(issuer, stage))["kid"]?.string == new)
        #expect(issuer.bearer(of: first, at: stage.now) != nil)
    }
}
