/// What a presented refresh token is worth (RFC 9700 §4.14.2: rotation with reuse detection).
///
/// A session's refresh tokens are its generations, each the successor of the one before. The current one alone opens
/// anything; presenting it makes the next. So a token proves by its number where it stands, and nothing is kept of
/// those that were replaced.
public enum RefreshDecision: Equatable, Sendable {
    /// It is the current one: the next generation takes its place.
    case rotate
    /// It is the current one's parent, and the client may have lost the answer: derive the current one again.
    ///
    /// - Parameter isLate: whether it comes later than most lost answers are asked for again, which is counted.
    case repeatAnswer(isLate: Bool)
    /// The same between two tokens of the earlier form, whose successor is kept sealed.
    case repeatEarlierAnswer(isLate: Bool)
    /// It is one of a client whose tokens stay good: the session goes on, and the token is not replaced.
    case extend
    /// It was replaced: it, or its successor, is in the wrong hands. The whole family goes.
    case reuse
    /// It opens nothing and says nothing about any live session.
    case refuse

    /// How far two instances' clocks may be from the store's without a word, in seconds.
    public static let clockToleranceSeconds: Int64 = 2
    /// How far two readings of the clock may be the wrong way round though nobody has put it back, in seconds: those of
    /// two instances, one of which is ahead and one behind; and two requests that come at once read it before they wait
    /// for their turn, and not always in the order of their turns.
    public static let clockSlackSeconds = 2 * clockToleranceSeconds + 1

    /// A session's chain of refresh tokens.
    public struct Chain: Equatable, Sendable {
        public var user: UserID
        /// The current generation; 0 while the current token is one of the earlier form.
        public var generation: Int64
        /// When the current one took its parent's place, in seconds since 1970; nil for the first.
        public var rotatedAt: Int64?
        /// When the current one stops working, in seconds since 1970.
        public var expiresAt: Int64
        /// When the session ends however often it is refreshed, in seconds since 1970; nil for never.
        public var endsAt: Int64?
        /// How often the current one was given again late.
        public var lateRepeats: Int64
        /// In how many generations running, right before the current one, that happened.
        public var lateGenerations: Int64
        public var earlier: EarlierTokens

        public init(
            user: UserID, generation: Int64, rotatedAt: Int64?, expiresAt: Int64, endsAt: Int64?,
            lateRepeats: Int64 = 0, lateGenerations: Int64 = 0, earlier: EarlierTokens = EarlierTokens()
        ) {
            (self.user, self.generation, self.rotatedAt, self.expiresAt) = (user, generation, rotatedAt, expiresAt)
            (self.endsAt, self.lateRepeats, self.lateGenerations) = (endsAt, lateRepeats, lateGenerations)
            self.earlier = earlier
        }

        /// When a successor stops working that would stop at `expiresAt` by itself.
        public func expiry(ofSuccessor expiresAt: Int64) -> Int64 { min(expiresAt, endsAt ?? .max) }
    }

    /// What is known of a session's tokens of the earlier form, which were random.
    public struct EarlierTokens: Equatable, Sendable {
        /// The current token, while it is one of these.
        public var current: TokenHash?
        /// The one before, or the last of them.
        public var previous: TokenHash?
        /// Whether the presented token was in the chain before those two.
        public var presentedIsRetired: Bool

        public init(current: TokenHash? = nil, previous: TokenHash? = nil, presentedIsRetired: Bool = false) {
            (self.current, self.previous, self.presentedIsRetired) = (current, previous, presentedIsRetired)
        }
    }

    private enum Standing {
        case current, parent, older, none
    }

    /// Decides.
    ///
    /// The parent gets the **same** successor again and never a second one. A second one would leave two live tokens of
    /// which the client keeps one it can't choose: either the other is dropped, and a client that did receive the first
    /// answer is later taken for a thief, or both live on, and a thief who was quick is never noticed. With one chain
    /// whatever answer arrives is good, and the one who comes second is noticed: once the successor has been presented
    /// it is current no more, and the one presented here is nobody's parent.
    ///
    /// Where a time bounds it, and the clock is behind the time of the rotation, how long ago that was can't be told.
    /// The parent gets nothing then, so that a clock that was put back makes no time longer; and it revokes nothing,
    /// for the client may be honest and the one who has the successor goes on. A generation that is newer than the
    /// session's own revokes nothing either: the store was put back to a time before it.
    ///
    /// - Parameters:
    ///   - presented: the token, whose signature, if it has one, is verified.
    ///   - chain: the chain of the session the token names; nil when there is no such session.
    ///   - now: seconds since 1970.
    ///   - isReusable: whether the client's tokens stay good as long as the session lasts, those too that were replaced
    ///     in a time when they did not.
    ///   - repeats: for how long the parent still gets the answer again.
    public static func decide(
        presented: PresentedRefreshToken, chain: Chain?, now: Int64, isReusable: Bool, repeats: RefreshRepeat
    ) -> RefreshDecision {
        guard let chain, chain.expiresAt > now, chain.endsAt ?? .max > now else { return .refuse }
        let standing = standing(of: presented, in: chain)
        // A token of the earlier form names nobody and no end of its own; it is replaced by one that does.
        if isReusable, case .signed = presented { return standing == .none ? .refuse : .extend }
        switch standing {
        case .current: return .rotate
        case .parent: break
        case .older: return .reuse
        case .none: return .refuse
        }
        guard let rotatedAt = chain.rotatedAt else { return .reuse }
        let isLate: Bool
        switch repeats.standing(
            elapsed: now - rotatedAt, lateRepeats: chain.lateRepeats, lateGenerations: chain.lateGenerations)
        {
        case .prompt: isLate = false
        case .late: isLate = true
        case .over: return .reuse
        case .untold: return .refuse
        }
        return chain.generation == 0 ? .repeatEarlierAnswer(isLate: isLate) : .repeatAnswer(isLate: isLate)
    }

    private static func standing(of presented: PresentedRefreshToken, in chain: Chain) -> Standing {
        switch presented {
        case .signed(let generation, let user):
            guard user == chain.user, generation > 0, generation <= chain.generation else { return .none }
            switch chain.generation - generation {
            case 0: return .current
            case 1: return .parent
            default: return .older
            }
        case .earlier(let hash):
            if hash == chain.earlier.current { return .current }
            // The last one of the earlier form is the first generation's parent.
            if hash == chain.earlier.previous { return chain.generation <= 1 ? .parent : .older }
            return chain.earlier.presentedIsRetired ? .older : .none
        }
    }
}

extension RefreshDecision.Chain {
    /// The chain of a session that has no tokens of the earlier form.
    public init(_ session: Session, endsAt: Int64?) {
        self.init(
            user: session.user, generation: session.generation, rotatedAt: session.rotatedAt,
            expiresAt: session.expiresAt, endsAt: endsAt)
    }
}
