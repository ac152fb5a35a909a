/// What has proven who the user is, by which the store knows what is used up with what it stores.
///
/// Whose word it is, the record says beside it, by provider and subject: an issuer's for all of these. What we prove
/// ourselves comes as another case, with our own issuer in the subject.
public enum Evidence: Equatable, Sendable {
    /// An authorization code (RFC 6749 §1.3.1), which its issuer has taken.
    case authorizationCode(OneTimeUse)
    /// An ID token that a provider's SDK has given to the app.
    case idToken(OneTimeUse)
    /// The same with a code beside it, which was exchanged, and whose use is on disk already.
    case idTokenWithCode(OneTimeUse, code: OneTimeUse)
    /// Tokens that a carrier has sent of its own accord, by what it has shown with them.
    case pushedTokens(OneTimeUse)
    /// A provider's access token (RFC 8693 §2.1): good as often as it is presented until it ends. What is used up is
    /// the request, for as long as it may come again because its answer was lost; nil where it may not.
    case accessToken(OneTimeUse?)

    /// What is used up with what is stored; nil where it proves as much another time.
    public var oneTimeUse: OneTimeUse? {
        switch self {
        case .authorizationCode(let use), .idToken(let use), .idTokenWithCode(let use, code: _),
            .pushedTokens(let use):
            use
        case .accessToken(let use): use
        }
    }

    /// The code that goes to its issuer; nil where there is none.
    public var code: OneTimeUse? {
        switch self {
        case .authorizationCode(let code), .idTokenWithCode(_, code: let code): code
        case .idToken, .pushedTokens, .accessToken: nil
        }
    }
}

/// Something that works once, remembered until it could not work anyway.
public struct OneTimeUse: Equatable, Sendable {
    public var hash: TokenHash
    /// Seconds since 1970, from when on the hash may be forgotten.
    public var expiresAt: Int64
    /// The request that it works for, by a random number: after a lost connection to the store, a request recognises
    /// its own claim.
    public var owner: Int64
    /// The request that it comes with, where that may be sent again; nil where it may not.
    public var request: RequestDigest?

    public init(
        hash: TokenHash, expiresAt: Int64, owner: Int64 = .random(in: .min ... .max), request: RequestDigest? = nil
    ) {
        (self.hash, self.expiresAt, self.owner, self.request) = (hash, expiresAt, owner, request)
    }

    /// What is kept of an answer with its use; nil where the request may not be sent again.
    public func answer(_ outcome: KeptAnswer.Outcome, at now: Int64) -> KeptAnswer? {
        request.map { KeptAnswer(request: $0, at: now, outcome: outcome) }
    }
}

/// What came of a claim on an authorization code.
public enum CodeClaim: Equatable, Sendable {
    case claimed
    /// It is used, or another request has it.
    case used
    /// It was sent to another issuer.
    case sentElsewhere
}

/// How a claim on an authorization code ends that nothing was stored for.
public enum CodeClaimEnd: Sendable {
    /// It was not sent: anybody may claim it.
    case notSent
    /// Its issuer has not taken it, and may be asked again; no other may.
    case refused
}
