public import JOSE
internal import JSON
internal import Syntax

/// The rules that an access token must keep which proves by itself whom it is about and for (RFC 9068 §4), as a
/// function of the token and of the time.
///
/// The signature comes first, as with ID tokens. An ID token never passes, though it is signed with the same keys and
/// names us as its audience: the type tells (§5).
public struct AccessTokenVerifier: Sendable {
    private let rules: AccessTokenRules

    public init(_ rules: AccessTokenRules) {
        self.rules = rules
    }

    /// Refuses a token that is none of these by what it says of itself, before anybody's keys are asked for.
    ///
    /// - Parameter issuer: whose it must be.
    public static func check(_ token: CompactJWS, claiming issuer: String) throws(AccessTokenError) {
        try checkType(token.header)
        guard let claims = ProviderDocument.object(token.unverifiedPayload.span) else { throw .malformed }
        guard claims["iss"].isExactly(issuer) else { throw .issuer }
    }

    /// Checks the claims of a token whose signature was verified.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: the first rule broken.
    public func verify(_ token: VerifiedJWS, now: Int64) throws(AccessTokenError) -> ProvenAccessToken {
        try Self.checkType(token.header)
        guard let claims = ProviderDocument.object(token.payload.span) else { throw .malformed }
        guard !AccessTokenRules.areOfAnotherKind(claims, isTold: true) else { throw .type }
        guard claims["iss"].isExactly(rules.issuer) else { throw .issuer }
        guard rules.namesUs(claims["aud"]) else { throw .audience }
        guard let client = claims["client_id"]?.string, !client.isEmpty else { throw .client }
        guard let end = claims["exp"], !end.isNull else { throw .expired }
        guard let issued = claims["iat"], !issued.isNull else { throw .issuedAt }
        return try rules.prove(claims, now: now)
    }

    private static func checkType(_ header: JWSHeader) throws(AccessTokenError) {
        guard header.hasType("at+jwt") else { throw .type }
    }
}
