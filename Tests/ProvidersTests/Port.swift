import Crypto
internal import EventLoop
import JOSE
import JSON
import Providers
internal import System
import TestSupport

/// A carrier with a subscriber who came from another, and what its ID token's port tokens prove.
struct Port: Sendable {
    static let now = SigningProvider.now

    let transport = ScriptedTransport()
    let carrier = SigningProvider()
    let former = SigningProvider(issuer: "https://id.former.example", key: TestKeys.otherRSA)
    let provider: Provider

    /// - Parameter isCarrier: false for a plain OpenID Provider.
    init(isCarrier: Bool = true, _ change: (inout ProviderConfiguration) -> Void = { _ in }) {
        provider = Provider(isCarrier ? .zenkey(change) : .openID(change))
        former.publish(on: transport)
    }

    /// An ID token as the verifier makes it.
    func idToken(aka: JSONValue?) throws -> IDToken {
        let token = try carrier.idToken { $0.claims[setting: "aka"] = aka }
        let verified = try JWS.verify(token, keys: carrier.keySet, allowed: [.rs256], maximumByteCount: 100_000)
        return try IDTokenVerifier(
            issuer: IssuerNames(exactly: carrier.issuer), clientID: carrier.clientID, nonce: .unknownToUs,
            authentication: [],
            context: .anything, freshness: .anyAge, accessToken: nil, accessTokenDigestOfEdDSA: .sha512,
            clockSkewSeconds: 60
        ).verify(verified, now: Self.now)
    }

    func verified(_ aka: JSONValue?) async throws -> [VerifiedPortToken] { try await outcome(aka).tokens }

    func outcome(_ aka: JSONValue?) async throws -> VerifiedPortTokens {
        try await provider.client(through: transport).portTokens(of: idToken(aka: aka), now: Self.now)
    }

    /// What is proven by one token, the former carrier's with a change.
    func verified(_ change: (inout TokenDraft) -> Void) async throws -> [VerifiedPortToken] {
        try await verified(.string(former.portToken(change)))
    }
}
