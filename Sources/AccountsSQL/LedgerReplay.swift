package import Accounts

/// Does to a restored store what the ledger tells. Each is harmless where it is done already.
package struct LedgerReplay {
    private static let provider = Query("SELECT provider FROM identities WHERE id = ? AND user_id = ?")
    private static let isStranded = Query(
        "SELECT 1 FROM users WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM identities WHERE user_id = ?1)")

    let connection: any StoreConnection
    let sealer: StoreSealer
    let tables: StoreTables
    let now: Int64
    package private(set) var erased = 0
    private var losers: Set<UserID> = []
    /// Accounts that were merged into one that has come after the backup, so that they stand for it here: what the
    /// records say of that one is done to them.
    private var merged: [UserID: [UserID]] = [:]
    /// Up to which numbers earlier restores have set them aside.
    package private(set) var passed = GivenNumbers(users: 0, identities: 0, events: 0)

    private var audit: AuditTrail { AuditTrail(connection: connection, now: now) }

    package init(connection: any StoreConnection, sealer: StoreSealer, tables: StoreTables, now: Int64) {
        (self.connection, self.sealer, self.tables, self.now) = (connection, sealer, tables, now)
    }

    package mutating func apply(_ record: LedgerRecord) throws(RepositoryError) {
        switch record {
        case .userErased(let user):
            passed.users = max(passed.users, user.rawValue)
            for user in here(user) {
                // It was long ago: what began then is over by now, and who comes back has begun since.
                let erasure = Erasure(connection: connection, sealer: sealer, line: .none, now: now)
                if try erasure.remove(user) { erased += 1 }
            }
        case .usersMerged(let absorbed, let kept):
            passed.users = max(passed.users, absorbed.rawValue, kept.rawValue)
            for user in here(absorbed) { try merge(user, into: kept) }
        case .identityUnlinked(let identity, let user):
            for user in here(user) { try take(identity, from: user) }
        case .identityMoved(let identity, let user):
            for user in here(user) {
                // Those who hold a session from before may be the number's next owners.
                try SessionRows(connection: connection).deleteAll(of: user)
                try take(identity, from: user)
            }
        case .locked(let user, let identity, let cause, let since, let until):
            let lock = Lock(cause: cause, reason: nil, since: since, until: until)
            for user in here(user) { try put(lock, on: user, identity) }
        case .unlocked(let user):
            for user in here(user) { try LockRows(connection: connection, now: now).removeAll(of: user) }
            try NotBeforeRows(connection: connection, sealer: sealer, now: now).unlock(user)
        case .signingKeyRetired(let kid):
            try SigningKeyRows(connection: connection).retireAgain(kid, now: now)
        case .refreshKeysReplaced(let number):
            try SecretKeyRows(connection: connection).forget(.refresh, upTo: number)
        case .lineDrawn(let owner, let at, let after):
            try NotBeforeRows(connection: connection, sealer: sealer, now: now)
                .drawAgain(NotBefore(at: at, authenticatedAfter: after), for: owner)
        case .numbersPassed(let users, let identities, let events):
            passed.raise(to: GivenNumbers(users: users, identities: identities, events: events))
        }
    }

    /// A user, and who stands for them here.
    private func here(_ user: UserID) -> [UserID] { [user] + (merged[user] ?? []) }

    private mutating func merge(_ user: UserID, into kept: UserID) throws(RepositoryError) {
        guard try UserRows.exists(user, connection) else { return }
        let merge = MergeTransaction(connection: connection, sealer: sealer, tables: tables, line: .none, now: now)
        if case .merged = try merge.join(user, to: kept) { return }
        // The other one has come after the backup. Both are whole: this one stays as it is, but for its sessions.
        try SessionRows(connection: connection).deleteAll(of: user)
        merged[kept, default: []].append(user)
    }

    private func put(_ lock: Lock, on user: UserID, _ identity: IdentityID?) throws(RepositoryError) {
        // A user who came after the backup is not there, and what they signed in by was new.
        guard try UserRows.exists(user, connection) else { return }
        let sessions = SessionRows(connection: connection)
        guard let identity else {
            try LockRows(connection: connection, now: now).put(lock, on: user)
            return try sessions.deleteAll(of: user)
        }
        try LockRows(connection: connection, now: now).put(lock, on: user, identity)
        guard let provider = try connection.first(Self.provider, identity, user, read: { $0.text(0) }) else { return }
        try sessions.deleteAll(of: user, identity: identity, provider: provider, now: now)
    }

    /// Users who can't sign in, for what they could sign in by has gone to somebody else or another carrier.
    package func strandedUsers() throws(RepositoryError) -> [UserID] {
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
