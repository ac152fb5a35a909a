/// Two accounts of one person that become one.
public struct MergeRecord: Sendable {
    /// By whose word.
    public enum Authority: Sendable {
        /// Of both users, each by a live session of their own that shows what such an act takes.
        case users(kept: Proof, absorbed: Proof)
        /// Of an operator.
        case `operator`(kept: UserID, absorbed: UserID)
    }

    /// A session, and what it must show in the very transaction.
    public struct Proof: Sendable {
        public var session: SessionID
        public var demands: SensitiveDemands

        public init(session: SessionID, demands: SensitiveDemands) {
            (self.session, self.demands) = (session, demands)
        }
    }

    public var authority: Authority
    /// What is under way for the account that goes, and began before it, is over.
    public var line: NotBefore
    /// Seconds since 1970.
    public var now: Int64

    public init(_ authority: Authority, line: NotBefore, now: Int64) {
        (self.authority, self.line, self.now) = (authority, line, now)
    }
}

public enum MergeOutcome: Equatable, Sendable {
    case merged(MergedUsers)
    /// Both are one account already.
    case sameUser
    /// One of them is not there.
    case noSuchUser(UserID)
    /// Both have an account in the directory of the same provider, where nobody makes one of the two.
    case bothInDirectory
    /// `.sessionGone`, `.authenticationTooOld`, `.identityTooNew` of either session; `.locked` where either user is
    /// locked, or one of their identities.
    case refused(Refusal)
}

/// The account that is left of two.
public struct MergedUsers: Equatable, Sendable {
    public let kept: UserID
    /// Nobody has this number any more.
    public let absorbed: UserID
    /// Those that have come with it, the lowest first. They are on probation, as any that was just added.
    public let identities: [IdentityID]

    public init(kept: UserID, absorbed: UserID, identities: [IdentityID]) {
        (self.kept, self.absorbed, self.identities) = (kept, absorbed, identities)
    }
}
