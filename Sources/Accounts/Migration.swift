/// Who a sign-in belongs to when the subject is new because the user took the number to another carrier, or the
/// app moved to another team at Apple.
///
/// A pure decision; the repository asks it inside the transaction that then does what it says, so whatever changed
/// since the port tokens were verified is seen.
public enum Migration {
    /// An identity that is stored, as far as the decision needs it.
    public struct Known: Equatable, Sendable {
        public var identity: IdentityID
        public var user: UserID

        public init(identity: IdentityID, user: UserID) {
            (self.identity, self.user) = (identity, user)
        }
    }

    /// What a verified port token says, or what was noted before an app's move, and what the store knows about it.
    public struct Ported: Equatable, Sendable {
        public var subject: Subject
        /// Whether this very token moved an account before.
        public var isUsed: Bool
        /// Who has the old subject now.
        public var known: Known?

        public init(subject: Subject, isUsed: Bool, known: Known?) {
            (self.subject, self.isUsed, self.known) = (subject, isUsed, known)
        }
    }

    public enum Decision: Equatable, Sendable {
        /// The subject has this identity already.
        case signIn(Known)
        /// This identity gives way to one for the new subject, for the same user.
        case migrate(Known)
        /// Nobody is known by any of these subjects.
        case create
        /// The subject has this identity already, and a port token names another user's: the same person has two
        /// accounts, it seems. Whether they become one is for that person to decide, so it is told, and nothing else.
        case offer(Known, other: Known)
        /// The port tokens belong to different users. Which of the accounts goes on is for people to decide, so nothing
        /// changes.
        case conflict
    }

    /// Decides.
    ///
    /// - Parameters:
    ///   - subject: whom the ID token of this sign-in names.
    ///   - current: who has that subject now, looked up inside the transaction.
    ///   - ported: the verified port tokens in the order they came; empty when the subject was known beforehand.
    /// - Returns: what to do. Of several old subjects of one user the first is replaced. Who is known signs in,
    ///   whatever the port tokens say.
    public static func decide(subject: Subject, current: Known?, ported: [Ported]) -> Decision {
        var old: Known?
        for token in ported {
            // A token is good for one move; and one with the new `sub` names no old account.
            guard !token.isUsed, !token.subject.hasSameValue(as: subject), let known = token.known else { continue }
            if let current {
                if known.user != current.user { return .offer(current, other: known) }
                continue
            }
            guard let found = old else {
                old = known
                continue
            }
            if found.user != known.user { return .conflict }
        }
        if let current { return .signIn(current) }
        return old.map { .migrate($0) } ?? .create
    }
}
