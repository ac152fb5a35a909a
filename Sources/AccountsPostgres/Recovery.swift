public import Accounts
import AccountsSQL
import Postgres

/// What a recovery is to rely on.
public struct RecoveryRequest: Sendable {
    /// Whether the ledger is applied; without it, users who were erased since are back.
    public var usesLedger: Bool
    /// Keys that sign from now on.
    public var signingKeys: [SigningKey]
    /// Seconds since 1970.
    public var now: Int64

    public init(usesLedger: Bool, signingKeys: [SigningKey], now: Int64) {
        (self.usesLedger, self.signingKeys, self.now) = (usesLedger, signingKeys, now)
    }
}

/// What came of a recovery.
public struct RecoveryOutcome: Sendable, Equatable {
    /// The epoch that has begun.
    public var epoch: Int64
    /// How many records of the ledger the database did not know, and how many users they have erased.
    public var (records, erased): (Int, Int)
    /// Who has no identity any more, and needs one from an operator.
    public var stranded: [UserID]
    public var endedSessions: Int
    /// How many lines of the ledger were passed over, since no key proves them.
    public var unprovenLines: Int
}

/// Having a database go on that lacks some of what was acknowledged, so that nobody else gets a number that was given,
/// and nothing that was ended lives.
extension PostgresAccounts {
    /// What is passed over of each number: more than any service gives between a backup and its return.
    private static let margin: Int64 = 1_000_000_000
    /// How many records are done again that the database may know: numbers are given in another order than transactions
    /// end, and what is done already stays as it is.
    private static let overlap: Int64 = 1000

    private static let nextEpoch = Query(
        """
        INSERT INTO meta (name, value) VALUES ('epoch', ?1) ON CONFLICT (name) DO UPDATE SET value = excluded.value
        RETURNING value
        """)
    private static let epochs = Query("SELECT value FROM meta WHERE name = 'epoch' FOR UPDATE")
    // What has come on a timeline of its own says nothing of what was lost.
    private static let lastRecord = Query(
        """
        SELECT least(
            coalesce((SELECT max(number) FROM ledger), 0), (SELECT value FROM meta WHERE name = 'ledger_before'))
        """)
    private static let forgetFork = Query("DELETE FROM meta WHERE name = 'ledger_before'")
    private static let passEvents = Query("SELECT setval('audit_epochs', (SELECT last_value FROM audit_epochs) + 1)")
    private static let forgetTickets = Query("DELETE FROM tickets")
    private static let forgetAppCodes = Query("DELETE FROM app_codes")
    private static let forgetPending = Query("DELETE FROM pending_sign_ins")

    /// Begins a new epoch. The store has been opened without the fence.
    public func recover(_ request: RecoveryRequest) async throws(RepositoryError) -> RecoveryOutcome {
        let known = try await read { connection throws(RepositoryError) in
            try connection.first(Self.lastRecord) { $0.integer(0) } ?? 0
        }
        var mark: StoreMark?
        var lines: [String] = []
        if request.usesLedger, let ledger = settings.ledger {
            mark = try await ledger.note { $0 }.flatMap(StoreMark.init(text:))
            lines = try await ledger.lines(after: known - Self.overlap)
        }
        let isPostgres = settings.dialect == .postgresql
        let outcome = try await write(.serializable) {
            [sealer, tables, lines, mark] connection throws(RepositoryError) in
            let secrets = SecretKeyRows(connection: connection)
            let keys = try secrets.keys(for: .ledger, sealer)
            let found = LedgerRecords(lines, keys: keys, try sealer.current)
            var replay = LedgerReplay(connection: connection, sealer: sealer, tables: tables, now: request.now)
            for (_, record) in found.records { try replay.apply(record) }
            try StoreNumbers(connection: connection, tables: tables).pass(Self.margin)
            // Never back: another recovery may have set it farther, and records have come since.
            let given = try connection.lastNumber(of: "ledger", "number")
            let last = max(given, found.records.last?.number ?? 0)
            try connection.setLastNumber(last + Self.margin, of: "ledger", "number")
            try connection.run(Self.forgetFork)
            if isPostgres { _ = try connection.first(Self.passEvents) { $0.integer(0) } }
            let signing = SigningKeyRows(connection: connection)
            try signing.retirePassing(sealer, now: request.now)
            for key in request.signingKeys where !key.entry.isLasting { try signing.insert(key, sealer) }
            try secrets.renewAll(sealer, now: request.now)
            try secrets.replace(.refresh, sealer, now: request.now)
            let ended = try SessionRows(connection: connection).deleteEverybodys()
            for query in [Self.forgetTickets, Self.forgetAppCodes, Self.forgetPending] { try connection.run(query) }
            try NotBeforeRows(connection: connection, sealer: sealer, now: request.now).drawForEverybody()
            let before = try connection.first(Self.epochs) { $0.integer(0) } ?? 0
            let epoch = max(before, mark?.epoch ?? 0) + 1
            _ = try connection.first(Self.nextEpoch, epoch) { $0.integer(0) }
            let audit = AuditTrail(connection: connection, now: request.now)
            try audit.addOperators(.storeRecovered, fields: ["epoch:\(epoch)"])
            try audit.add(.sessionsRevoked, user: nil)
            return RecoveryOutcome(
                epoch: epoch, records: found.records.count { $0.number > known }, erased: replay.erased,
                stranded: try replay.strandedUsers(), endedSessions: ended, unprovenLines: found.unproven)
        }
        _ = try await reloadSecretKeys()
        try await noteEpoch(outcome.epoch)
        return outcome
    }

    /// Has the database be the one that goes on, as it is: somebody has made sure that nothing is missing.
    ///
    /// - Returns: the epoch that has begun.
    public func recoverWithoutLoss(now: Int64) async throws(RepositoryError) -> Int64 {
        let mark = try await settings.ledger?.note { $0 }.flatMap(StoreMark.init(text:))
        let epoch = try await write(.serializable) { [tables] connection throws(RepositoryError) in
            let before = try connection.first(Self.epochs) { $0.integer(0) } ?? 0
            let epoch = max(before, mark?.epoch ?? 0) + 1
            _ = try connection.first(Self.nextEpoch, epoch) { $0.integer(0) }
            try StoreNumbers(connection: connection, tables: tables).pass(Self.margin)
            try connection.run(Self.forgetFork)
            try AuditTrail(connection: connection, now: now)
                .addOperators(.storeRecovered, fields: ["epoch:\(epoch)", "nothing-lost"])
            return epoch
        }
        if settings.dialect == .postgresql {
            _ = try await Work(self).first(Postgres.Statement(Self.passEvents.postgres))
        }
        try await noteEpoch(epoch)
        return epoch
    }

    private func noteEpoch(_ epoch: Int64) async throws(RepositoryError) {
        let mark = StoreMark(epoch: epoch, beat: 0, record: 0, ends: [])
        _ = try await settings.ledger?.note { text in
            (text.flatMap(StoreMark.init(text:))?.merged(with: mark) ?? mark).text
        }
    }
}
