import Accounts
import Postgres
import Synchronization

/// Numbers of users and identities that this instance has taken, and not given yet: what is sealed for a user binds the
/// number, which is then known before the row is there. Those that are left when it stops are nobody's.
final class NumberBlock: Sendable {
    typealias Pair = (user: UserID, identity: IdentityID)

    private static let size: Int64 = 32
    private static let take = Postgres.Statement(
        "SELECT nextval('user_ids'), nextval('identity_ids') FROM generate_series(1, $1::int8)")

    private let left = Mutex<[Pair]>([])

    /// Gives none of them any more: the store has gone on without what this instance knew.
    func discard() { left.withLock { $0 = [] } }

    /// The lowest that is left; takes some more where there is none.
    func next(in store: PostgresAccounts) async throws(RepositoryError) -> Pair {
        if let pair = left.withLock({ $0.popLast() }) { return pair }
        var taken: [Pair] = []
        for row in try await Work(store).all(Self.take, .integer(Self.size)) {
            taken.append((try row.user(0), try row.identity(1)))
        }
        taken.sort { $0.user.rawValue > $1.user.rawValue }
        guard let pair = taken.popLast() else { throw .unavailable(.corrupt) }
        // Others may have taken some meanwhile; who has waited longest comes first.
        left.withLock { [taken] in $0 = taken + $0 }
        return pair
    }
}
