internal import JOSE
internal import JSON
internal import Syntax

/// The rules that what is said of an access token must keep before it signs anybody in, as a function of the claims and
/// of the time: whether they stand in the token itself (RFC 9068 §2.2) or in an answer about it (RFC 7662 §2.2).
///
/// An access token is no proof of who presents it: every API that it was shown to has it. What makes it one here is
/// that it was meant for us (RFC 9700 §2.3): a token that another client was given, for something else, is refused.
public struct AccessTokenRules: Sendable {
    /// The longest token taken, in bytes.
    public static let maximumTokenBytes = ProviderTextLimit.inBody

    let issuer: String
    let clientID: String
    let audiences: [String]
    let authentication: RequiredAuthentication?
    let clockSkewSeconds: Int64

    /// - Parameters:
    ///   - issuer: the issuer whose metadata was used.
    ///   - clientID: our identifier at that issuer.
    ///   - audiences: what else of ours a token may be for.
    ///   - authentication: the least that must be shown of how the user was authenticated; nil for anything.
    ///   - clockSkewSeconds: how far the provider's clock may differ from ours.
    public init(
        issuer: String, clientID: String, audiences: [String], authentication: RequiredAuthentication?,
        clockSkewSeconds: Int64
    ) {
        (self.issuer, self.clientID, self.audiences) = (issuer, clientID, audiences)
        (self.authentication, self.clockSkewSeconds) = (authentication, clockSkewSeconds)
    }

    /// Whether a token can be one at all: visible ASCII (RFC 6749 appendix A.12, without the blank), since it goes into
    /// a header.
    public static func isWellFormed(_ token: String) -> Bool {
        !token.isEmpty && token.allBytes { $0 >= 0x21 && $0 <= 0x7E }
    }

    /// Whether claims are those of a token of another kind, by what only such a token has: hashes of what came with it
    /// (OpenID Connect Core §3.1.3.6, §3.3.2.11), events (RFC 8417 §2.2), or what Keycloak and Cognito write into all
    /// of theirs. A nonce is an ID token's unless something says that it stands in an access token, as Keycloak's had
    /// one.
    ///
    /// - Parameter isTold: whether something beside the claims says that they are an access token's.
    static func areOfAnotherKind(_ claims: JSONValue, isTold: Bool) -> Bool {
        if ["at_hash", "c_hash", "s_hash", "events"].contains(where: { claims[$0]?.isNull == false }) {
            return true
        }
        let kinds = ["typ", "token_use"].compactMap { claims[$0] }.filter { !$0.isNull }
        let isOther = kinds.contains { kind in kind.string.map { !Self.kinds.contains($0.lowercased()) } ?? true }
        return isOther || claims["nonce"]?.isNull == false && kinds.isEmpty && !isTold
    }

    /// How providers call an access token among their own.
    private static let kinds = ["bearer", "access", "access_token", "at+jwt", "application/at+jwt", "jwt"]

    /// Whether something of ours is among those that a token is for.
    func namesUs(_ audience: JSONValue?) -> Bool {
        let isOurs = { (name: String) in name.isExactly(clientID) || audiences.contains { name.isExactly($0) } }
        switch audience {
        case .string(let name): return isOurs(name)
        case .array(let names):
            let texts = names.compactMap(\.string)
            return texts.count == names.count && texts.contains(where: isOurs)
        default: return false
        }
    }

    /// Checks what both ways have in common; who it is for is checked before.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: the first rule broken.
    func prove(_ claims: JSONValue, now: Int64) throws(AccessTokenError) -> ProvenAccessToken {
        // RFC 7800 §3: without a proof of the key nobody may use the token, and the proof went to the app and not to
        // us.
        if let confirmation = claims["cnf"], !confirmation.isNull { throw .confirmation }
        try checkParty(claims)
        try checkTimes(claims, now: now)
        guard let subject = claims["sub"]?.string, subject.isSubject else { throw .subject }
        let authenticationTime = try seconds(claims["auth_time"], or: .authenticationTime)
        if let authenticationTime, authenticationTime > now + clockSkewSeconds { throw .authenticationTime }
        if let authentication, !authentication.isMet(by: claims["acr"]?.string) { throw .acr }
        return ProvenAccessToken(
            issuer: issuer, subject: subject, authenticationTime: authenticationTime, claims: claims)
    }

    /// Two names for the client that a token was issued to are one, or somebody has mixed up two tokens.
    private func checkParty(_ claims: JSONValue) throws(AccessTokenError) {
        guard let party = claims["azp"], !party.isNull else { return }
        guard let party = party.string else { throw .authorizedParty }
        if let client = claims["client_id"], !client.isNull, !client.isExactly(party) { throw .authorizedParty }
    }

    private func checkTimes(_ claims: JSONValue, now: Int64) throws(AccessTokenError) {
        if let end = try seconds(claims["exp"], or: .expired), now >= end + clockSkewSeconds { throw .expired }
        if let issued = try seconds(claims["iat"], or: .issuedAt), issued > now + clockSkewSeconds { throw .issuedAt }
        if let start = try seconds(claims["nbf"], or: .notBefore), start > now + clockSkewSeconds { throw .notBefore }
    }

    /// - Returns: nil when the claim is not there.
    private func seconds(
        _ claim: JSONValue?, or error: AccessTokenError
    ) throws(AccessTokenError) -> Int64? {
        guard let claim, !claim.isNull else { return nil }
        guard let date = NumericDate(claim) else { throw error }
        return date.seconds
    }
}
