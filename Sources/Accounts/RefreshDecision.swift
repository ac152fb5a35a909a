/// What a presented refresh token is worth (RFC 9700 §4.14.2: rotation with reuse detection).
public enum RefreshDecision: Equatable, Sendable {
    /// It is the current one: replace it.
    case rotate
    /// It is the one before, so recently replaced that the client may have lost the answer: give the same answer again.
    case repeatAnswer
    /// It was replaced: it, or its successor, is in the wrong hands. The whole family goes.
    case reuse
    /// It opens nothing and says nothing about any live session.
    case refuse

    /// How a presented token stands to its session's chain of refresh tokens.
    public struct Chain: Equatable, Sendable {
        public var current: TokenHash
        public var previous: TokenHash?
        /// When `previous` was replaced, in seconds since 1970.
        public var rotatedAt: Int64?
        /// When `current` stops working, in seconds since 1970.
        public var expiresAt: Int64
        /// Whether the presented token was in this chain before `current`.
        public var presentedIsRetired: Bool
        /// When the session ends however often it is refreshed, in seconds since 1970; nil for never.
        public var endsAt: Int64?

        public init(
            current: TokenHash, previous: TokenHash?, rotatedAt: Int64?, expiresAt: Int64, presentedIsRetired: Bool,
            endsAt: Int64?
        ) {
            self.current = current
            self.previous = previous
            self.rotatedAt = rotatedAt
            self.expiresAt = expiresAt
            self.presentedIsRetired = presentedIsRetired
            self.endsAt = endsAt
        }

        /// When a successor stops working that would stop at `expiresAt` by itself.
        public func expiry(ofSuccessor expiresAt: Int64) -> Int64 { min(expiresAt, endsAt ?? .max) }
    }

    /// Decides.
    ///
    /// The grace gives the **same** successor again and never a second one. A second one would leave two live tokens of
    /// which the client keeps one it can't choose: either the other is dropped, and a client that did receive the first
    /// answer is later taken for a thief, or both live on, and a thief who was quick is never noticed. With one chain
    /// whatever answer arrives is good, and whoever comes second after the grace is noticed.
    ///
    /// - Parameters:
    ///   - presented: the hash of the token presented.
    ///   - chain: the chain of the session the token names; nil when there is no such session.
    ///   - now: seconds since 1970.
    ///   - graceSeconds: how long after its rotation the previous token still gets the answer again.
    public static func decide(
        presented: TokenHash, chain: Chain?, now: Int64, graceSeconds: Int64
    ) -> RefreshDecision {
        guard let chain, chain.expiresAt > now, chain.endsAt ?? .max > now else { return .refuse }
        if presented == chain.current { return .rotate }
        if presented == chain.previous, let rotatedAt = chain.rotatedAt, now - rotatedAt <= graceSeconds {
            return .repeatAnswer
        }
        return chain.presentedIsRetired || presented == chain.previous ? .reuse : .refuse
    }
}
