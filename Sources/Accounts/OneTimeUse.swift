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
