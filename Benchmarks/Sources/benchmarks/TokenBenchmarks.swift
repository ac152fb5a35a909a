internal import Accounts
internal import AccountsSQLite
internal import Crypto
internal import JOSE
internal import JSON
internal import Providers
internal import Syntax

@testable internal import SignIn

/// Tokens and documents: a carrier's read, ours made.
enum TokenBenchmarks {
    static func all(_ carrier: Carrier, _ repository: SQLiteAccounts) async throws -> [Benchmark] {
        let verifier = IDTokenVerifier(
            issuer: IssuerNames(exactly: Carrier.issuer), clientID: Carrier.clientID, nonce: .exactly(Carrier.nonce),
            authentication: [RequiredAuthentication(values: "a1")].compactMap(\.self), context: .anything,
            freshness: .anyAge, accessToken: Carrier.accessToken, accessTokenDigestOfEdDSA: .sha512,
            clockSkewSeconds: 60)
        let issuer = TokenIssuer(
            configuration: .benchmarks, keys: try await SessionKeys.load(from: repository, for: [], now: Carrier.now),
            repository: repository)
        let session = issuer.makeSessionID(at: Carrier.now * 1000)
        return [
            Benchmark("verify-id-token", rounds: 500) {
                let signed = try JWS.verify(
                    carrier.idToken, keys: carrier.keys, allowed: [.rs256], maximumByteCount: 32_768)
                let idToken = try verifier.verify(signed, now: Carrier.now)
                require(idToken.subject == Carrier.subject, "the token is about the user")
            },
            Benchmark("sign-access-token", rounds: 500) {
                let token = try issuer.accessToken(
                    for: "cmVmZXJlbmNlcmVmZXJlbg", session: session, client: Carrier.clientID,
                    to: issuer.configuration.audience, permissions: nil,
                    Authentication(acr: "a3", amr: ["hwk", "pin"], time: Carrier.now - 5), now: Carrier.now)
                require(token.utf8.count > 200, "there is a token")
            },
            Benchmark("parse-userinfo", rounds: 10_000) {
                let claims = try JSONValue(parsing: Carrier.userinfo)
                require(claims["sub"] != nil, "the document was read")
            },
        ]
    }
}

extension TokenIssuer.Configuration {
    /// A user of a benchmark signs in more often than anybody else; none of that user's sessions ends for it.
    static let benchmarkSessions: Int64 = 1_000_000

    static let benchmarks = TokenIssuer.Configuration(
        issuer: BaseURL("https://gatehouse.example"), audience: "example-app", accessTokenSeconds: 900,
        refreshTokenSeconds: 2_592_000, refreshRepeats: .untilSuccessor, absoluteSeconds: 31_536_000,
        maximumSessionsPerUser: benchmarkSessions, maximumExchangedSessionsPerUser: benchmarkSessions,
        sensitiveMaximumAgeSeconds: 300)
}
