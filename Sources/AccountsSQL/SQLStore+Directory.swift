public import Accounts
import Synchronization

/// What becomes of wishes about accounts in providers' directories, each a transaction.
extension SQLStore {
    private func write<Value: Sendable>(
        now: Int64, _ body: @escaping @Sendable (DirectoryRows) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value {
        try await write { [sealer] connection throws(RepositoryError) in
            try body(DirectoryRows(connection: connection, sealer: sealer, now: now))
        }
    }

    public func order(
        _ order: DirectoryOrder, maximum: Int64, now: Int64
    ) async throws(RepositoryError) -> Bool {
        try await write { [sealer] connection throws(RepositoryError) in
            let outbox = OutboxRows(connection: connection, sealer: sealer, now: now)
            let held = try outbox.waitingWishes(of: order.holder)
            guard DirectoryQueue.takes(waiting: try outbox.waitingWishes(), held: held, maximum: maximum) else {
                return false
            }
            try outbox.add(
                .directory(order.wish), provider: order.provider, issuer: order.url, user: UserID(rawValue: 0),
                identity: IdentityID(rawValue: 0), holder: order.holder, turn: held)
            return true
        }
    }

    public func begin(
        _ message: OutboxMessage, name: DirectoryName, reference: String, limits: DirectoryLimits, now: Int64
    ) async throws(RepositoryError) -> DirectoryTask {
        guard case .directory(let wish) = message.content else { return .nothing }
        return try await write(now: now) { [knownSecretKeys] rows throws(RepositoryError) in
            let outbox = OutboxRows(connection: rows.connection, sealer: rows.sealer, now: now)
            if let found = try rows.find(wish, at: message.provider, knownSecretKeys) {
                try outbox.setUser(of: message.number, found.account.user)
                guard try rows.reaches(found, wish, knownSecretKeys) else { return .nothing }
                // What was admitted once is tried again until it is done, and is still one mail.
                if message.attempts > 1 { return .mail(found.account) }
                return try rows.countMail(found, wish, limits, knownSecretKeys) ? .mail(found.account) : .nothing
            }
            guard wish.kind == .signUp, wish.email != nil,
                try rows.countMail(nil, wish, limits, knownSecretKeys)
            else { return .nothing }
            let account = try rows.makeUser(
                of: wish, at: message.provider, name: name, reference: reference, hasAddress: true, knownSecretKeys)
            try outbox.setUser(of: message.number, account.user)
            return .mail(account)
        }
    }

    public func openAccount(
        _ order: DirectoryOrder, name: DirectoryName, reference: String, now: Int64
    ) async throws(RepositoryError) -> DirectoryOpening {
        try await write(now: now) { [knownSecretKeys] rows throws(RepositoryError) in
            guard try !rows.isWanted(order.wish, at: order.provider, knownSecretKeys) else { return .taken }
            return .account(
                try rows.makeUser(
                    of: order.wish, at: order.provider, name: name, reference: reference, hasAddress: false,
                    knownSecretKeys))
        }
    }

    public func openAccount(
        under session: SessionID, demands: SensitiveDemands, provider: String, name: DirectoryName, now: Int64
    ) async throws(RepositoryError) -> DirectoryOpening {
        try await write(now: now) { rows throws(RepositoryError) in
            switch try SensitiveSession(connection: rows.connection, now: now)
                .check(session, .bindCredential, demands: demands)
            {
            case .refused(let refusal): return .refused(refusal)
            case .allowed(let session):
                if let found = try rows.find(of: session.user, at: provider) { return .account(found.account) }
                return .account(try rows.insert(name, of: session.user, at: provider))
            }
        }
    }

    public func note(
        _ directoryID: String, hash: TokenHash, of account: DirectoryAccount, _ way: AuditEvent.Kind, now: Int64
    ) async throws(RepositoryError) -> Bool {
        try await write(now: now) { rows throws(RepositoryError) in
            guard try rows.setDirectoryID(directoryID, hash, of: account) else { return false }
            try AuditTrail(connection: rows.connection, now: now).add(way, user: account.user)
            return true
        }
    }

    public func discard(_ account: DirectoryAccount, now: Int64) async throws(RepositoryError) {
        try await write(
            of: nil,
            { [sealer] connection throws(RepositoryError) in
                try DirectoryRows(connection: connection, sealer: sealer, now: now).discard(account)
            },
            settled: { if $0 != nil { self.noteErasure() } })
    }

    public func removeUnfinished(
        of provider: String, before time: Int64, limit: Int, now: Int64
    ) async throws(RepositoryError) -> Int {
        try await write(
            of: nil,
            { [sealer] connection throws(RepositoryError) in
                try DirectoryRows(connection: connection, sealer: sealer, now: now)
                    .removeUnfinished(of: provider, before: time, limit: limit)
            },
            settled: { if let removed = $0, removed.users > 0 { self.noteErasure() } }
        ).accounts
    }
}
