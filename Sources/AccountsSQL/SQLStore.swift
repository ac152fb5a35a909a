public import Accounts
internal import Synchronization

/// A repository in a database that speaks SQL. What it does is written once, here, in transactions that an engine runs;
/// an engine has its own way only where that pays.
public protocol SQLStore: AccountRepository {
    /// What seals and opens the values of the store.
    var sealer: StoreSealer { get }
    /// The tables that it has.
    var tables: StoreTables { get }
    /// The secret keys as they were last read.
    var knownSecretKeys: SecretKeyCache { get }

    /// Does work in one transaction, as if nobody else did anything meanwhile. Returned means committed.
    ///
    /// - Parameters:
    ///   - key: what few at a time may do something with, so that they keep everybody else out of their way; nil where
    ///     nobody else wants the same.
    ///   - body: may be called several times, and must change nothing but what its statements change.
    ///   - settled: called before this returns, with the result if that is on disk, and with nil whenever the work was
    ///     tried and is undone.
    func write<Value: Sendable>(
        of key: TurnKey?, _ body: @escaping @Sendable (any StoreConnection) throws(RepositoryError) -> Value,
        settled: @escaping @Sendable (Value?) -> Void
    ) async throws(RepositoryError) -> Value

    /// The same for work that uses up what proves it, if that works once, and a challenge, if there is one. What `body`
    /// returns, a refusal too, keeps both used up, and all it did; what it throws undoes everything.
    ///
    /// - Parameter answer: what is kept of the answer with the use; `body` may change it (``KeptAnswerRows``).
    /// - Returns: refused with `.codeAlreadyUsed` or `.challengeAlreadyUsed`, without a call of `body`.
    func write<Outcome: Refusable>(
        of key: TurnKey?, consuming evidence: Evidence, _ challenge: OneTimeUse?, answer: KeptAnswer?, now: Int64,
        _ body: @escaping @Sendable (any StoreConnection) throws(RepositoryError) -> Outcome
    ) async throws(RepositoryError) -> Outcome

    /// Reads; each statement sees what was committed before it.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreConnection) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value

    /// The same for those who may take their time, and keep nobody else waiting.
    func readAside<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreConnection) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value

    /// Called when somebody was erased.
    func noteErasure()
}

extension SQLStore {
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreConnection) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value {
        try await write(of: nil, body, settled: { _ in })
    }

    func write<Value: Sendable>(
        of key: TurnKey, _ body: @escaping @Sendable (any StoreConnection) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value {
        try await write(of: key, body, settled: { _ in })
    }
}

/// What came of a write that may be refused.
public protocol Refusable: Sendable {
    static func refused(_ refusal: Refusal) -> Self
}

extension SignInOutcome: Refusable {}
extension LinkOutcome: Refusable {}
extension ReceiptOutcome: Refusable {}

extension SQLStore {
    public func lock(
        _ user: UserID, _ lock: Lock, line: NotBefore, now: Int64
    ) async throws(RepositoryError) -> Bool {
        try await write(of: .user(user)) { [sealer] connection throws(RepositoryError) in
            guard try UserRows.exists(user, connection) else { return false }
            try LockRows(connection: connection, now: now).put(lock, on: user, recordedBy: sealer)
            _ = try SessionEnd(connection: connection, sealer: sealer, now: now).endAll(of: user, except: nil, line)
            try AuditTrail(connection: connection, now: now).add(.userLocked, user: user)
            return true
        }
    }

    public func unlock(_ user: UserID, line: NotBefore, now: Int64) async throws(RepositoryError) -> Bool {
        try await write(of: .user(user)) { [sealer] connection throws(RepositoryError) in
            let lines = NotBeforeRows(connection: connection, sealer: sealer, now: now)
            let locks = LockRows(connection: connection, now: now)
            var wasLocked = try lines.unlock(user)
            if try locks.removeAll(of: user) { wasLocked = true }
            guard wasLocked else { return false }
            try LedgerRows(connection: connection, sealer: sealer, now: now).add(.unlocked(user))
            try lines.draw(line, for: user)
            try AuditTrail(connection: connection, now: now).add(.userUnlocked, user: user)
            return true
        }
    }

    public func lock(of user: UserID, now: Int64) async throws(RepositoryError) -> Lock? {
        try await read { connection throws(RepositoryError) in
            let lock = try LockRows(connection: connection, now: now).find(user)
            return lock?.holds(now: now) == true ? lock : nil
        }
    }
}

/// What becomes of requests about accounts in providers' directories, each a transaction.
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
            let held = try outbox.waitingRequests(of: order.network)
            guard DirectoryQueue.takes(waiting: try outbox.waitingRequests(), held: held, maximum: maximum) else {
                return false
            }
            try outbox.add(
                .directory(order.provisioning), provider: order.provider, issuer: order.url, user: UserID(rawValue: 0),
                identity: IdentityID(rawValue: 0), network: order.network, turn: held)
            return true
        }
    }

    public func begin(
        _ message: OutboxMessage, name: DirectoryName, reference: String, limits: DirectoryLimits, now: Int64
    ) async throws(RepositoryError) -> DirectoryTask {
        guard case .directory(let provisioning) = message.content else { return .nothing }
        return try await write(now: now) { [knownSecretKeys] rows throws(RepositoryError) in
            let outbox = OutboxRows(connection: rows.connection, sealer: rows.sealer, now: now)
            if let found = try rows.find(provisioning, at: message.provider, knownSecretKeys) {
                try outbox.setUser(of: message.number, found.account.user)
                guard try rows.reaches(found, provisioning, knownSecretKeys) else { return .nothing }
                // What was admitted once is tried again until it is done, and is still one mail.
                if message.attempts > 1 { return .mail(found.account) }
                return try rows.countMail(found, provisioning, limits, knownSecretKeys)
                    ? .mail(found.account) : .nothing
            }
            guard provisioning.kind == .signUp, provisioning.email != nil,
                try rows.countMail(nil, provisioning, limits, knownSecretKeys)
            else { return .nothing }
            let account = try rows.makeUser(
                of: provisioning, at: message.provider, name: name, reference: reference, hasAddress: true,
                knownSecretKeys)
            try outbox.setUser(of: message.number, account.user)
            return .mail(account)
        }
    }

    public func openAccount(
        _ order: DirectoryOrder, name: DirectoryName, reference: String, now: Int64
    ) async throws(RepositoryError) -> DirectoryOpening {
        try await write(now: now) { [knownSecretKeys] rows throws(RepositoryError) in
            guard try !rows.isWanted(order.provisioning, at: order.provider, knownSecretKeys) else { return .taken }
            return .account(
                try rows.makeUser(
                    of: order.provisioning, at: order.provider, name: name, reference: reference, hasAddress: false,
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
