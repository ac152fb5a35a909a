import Accounts
import AccountsSQL

/// Does to a restored store what the ledger tells. Each is harmless where it is done already.
struct LedgerReplay {
    private static let provider = Query("SELECT provider FROM identities WHERE id = ? AND user_id = ?")
    private static let isStranded = Query(
        "SELECT 1 FROM users WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM identities WHERE user_id = ?1)")

    let connection: SQLiteConnection
    let sealer: StoreSealer
    let now: Int64
    private(set) var erased = 0
    private var losers: Set<UserID> = []
    /// Up to which numbers earlier restores have set them aside.
    private(set) var passed = GivenNumbers(users: 0, identities: 0, events: 0)

    private var audit: AuditTrail { AuditTrail(connection: connection, now: now) }

    init(connection: SQLiteConnection, sealer: StoreSealer, now: Int64) {
        (self.connection, self.sealer, self.now) = (connection, sealer, now)
    }

    mutating func apply(_ record: LedgerRecord) throws(RepositoryError) {
        switch record {
        case .userErased(let user):
            passed.users = max(passed.users, user.rawValue)
            // It was long ago: what began then is over by now, and who comes back has begun since.
            if try Erasure(connection: connection, sealer: sealer, line: .none, now: now).remove(user) { erased += 1 }
        case .identityUnlinked(let identity, let user):
            try take(identity, from: user)
        case .identityMoved(let identity, let user):
            // Whoever holds a session from before may be the number's next owner.
            try SessionRows(connection: connection).deleteAll(of: user)
            try take(identity, from: user)
        case .locked(let user, let identity, let cause, let since, let until):
            // A user who came after the backup is not there, and what they signed in by was new.
            guard try UserRows.exists(user, connection) else { return }
            try LockRows(connection: connection, now: now)
                .put(Lock(cause: cause, reason: nil, since: since, until: until), on: user, identity)
            guard let identity else { return try SessionRows(connection: connection).deleteAll(of: user) }
            guard let provider = try connection.first(Self.provider, identity, user, read: { $0.text(0) }) else {
                return
            }
            try SessionRows(connection: connection)
                .deleteAll(of: user, identity: identity, provider: provider, now: now)
        case .unlocked(let user):
            try LockRows(connection: connection, now: now).removeAll(of: user)
            try NotBeforeRows(connection: connection, sealer: sealer, now: now).unlock(user)
        case .signingKeyRetired(let kid):
            try SigningKeyRows(connection: connection).retireAgain(kid, now: now)
        case .refreshKeysReplaced(let number):
            try SecretKeyRows(connection: connection).forget(.refresh, upTo: number)
        case .numbersPassed(let users, let identities, let events):
            passed.raise(to: GivenNumbers(users: users, identities: identities, events: events))
        }
    }

    /// Users who can't sign in, for what they could sign in by has gone to somebody else or another carrier.
    func strandedUsers() throws(RepositoryError) -> [UserID] {
        var stranded: [UserID] = []
        for user in losers.sorted(by: { $0.rawValue < $1.rawValue }) {
            if try connection.first(Self.isStranded, user, read: { _ in true }) != nil { stranded.append(user) }
        }
        return stranded
    }

    private mutating func take(_ identity: IdentityID, from user: UserID) throws(RepositoryError) {
        passed.identities = max(passed.identities, identity.rawValue)
        guard let provider = try connection.first(Self.provider, identity, user, read: { $0.text(0) }) else { return }
        try GrantRows(connection: connection, sealer: sealer, now: now).revoke(identity, of: user)
        try IdentityRows(connection: connection).delete(identity)
        try SessionRows(connection: connection).deleteAll(of: user, identity: identity, provider: provider, now: now)
        try audit.add(.identityUnlinked, user: user, old: identity)
        try UserRows(connection: connection, sealer: sealer).forgetUnlinked(provider, of: user, now: now)
        losers.insert(user)
    }
}
