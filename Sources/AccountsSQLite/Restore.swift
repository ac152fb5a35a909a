public import Accounts
internal import AccountsSQL
internal import System

/// What is restored, and how.
public struct RestoreRequest: Sendable {
    /// The ledger that tells what the backup does not know.
    public enum Ledger: Sendable, Equatable {
        /// The one beside the store, which may be missing where the store that is replaced knows of nothing to tell.
        case besideStore
        case at(String)
        /// None: who was erased since is back.
        case none
    }

    /// The backup; it is only read.
    public var backup: String
    public var ledger: Ledger
    /// Whether the sessions of the backup go on.
    public var keepsSessions: Bool

    public init(backup: String, ledger: Ledger = .besideStore, keepsSessions: Bool = false) {
        (self.backup, self.ledger, self.keepsSessions) = (backup, ledger, keepsSessions)
    }
}

/// What came of a restore.
public struct RestoreOutcome: Sendable, Equatable {
    /// Where the store is that was replaced; nil when there was none.
    public var former: String?
    /// How many records of the ledger the backup did not know, and how many users they have erased.
    public var (records, erased): (Int, Int)
    /// Who has no identity any more, and needs one from an operator.
    public var stranded: [UserID]
    public var endedSessions: Int
    public var users: Int
    /// How many lines of the ledger were passed over, since no key proves them.
    public var unprovenLines: Int
}

/// How far a restore or a compaction is.
public enum ReplacementProgress: Sendable, Equatable {
    /// Bytes, of how many.
    case copied(Int, of: Int)
    /// Sealed values that were tried, of about how many.
    case examined(Int, of: Int)
}

/// Putting a backup in the place of the store.
struct Restore {
    let settings: SQLiteSettings
    let request: RestoreRequest
    let now: Int64
    let unlock: KeyRingUnlocker
    let progress: @Sendable (ReplacementProgress) -> Void
    /// Where it comes from, for the audit trail.
    let origin: AuditContext?

    /// Under both locks. All of it is done to a copy beside the store, which is left alone until the copy takes its
    /// place.
    func run() throws(RestoreError) -> RestoreOutcome {
        guard FileNames.resolved(request.backup) != FileNames.resolved(settings.path) else { throw .backupIsStore }
        try attempt(RestoreError.store) { () throws(RepositoryError) in try Replacement.finish(settings.path) }
        let present = PresentStore.read(settings, StoreSealer(unlock))
        let draft = StoreDraft(beside: settings.path)
        try attempt(RestoreError.backup) { () throws(RepositoryError) in
            try draft.copy(request.backup) { progress(.copied($0, of: $1)) }
        }
        var (outcome, record) = try prepare(draft, present)
        do throws(ReplacementError) {
            outcome.former = try draft.publish(.restored, at: settings.path)
        } catch {
            switch error {
            case .notBegun(let reason): throw .store(.unavailable(reason))
            case .unfinished(let reason): throw .unfinished(reason)
            }
        }
        // What can't be written now is written when the store is opened.
        try? LedgerFile(path: LedgerFile.path(of: settings.path)).append(record)
        return outcome
    }

    /// Examines the copy and brings it to where it should be.
    ///
    /// - Returns: what came of it, and what it has for the ledger's file.
    private func prepare(
        _ draft: StoreDraft, _ present: PresentStore?
    ) throws(RestoreError) -> (RestoreOutcome, [String]) {
        let sealer = StoreSealer(unlock)
        let connection = try attempt(RestoreError.backup) { () throws(RepositoryError) in
            try draft.open(settings)
        }
        connection.auditContext = origin
        let findings = try attempt(RestoreError.backup) { () throws(RepositoryError) in
            try SQLiteAccounts.examine(draft: connection, settings, sealer) { [progress] in
                progress(.examined($0, of: $1))
            }
        }
        guard findings.isEmpty else { throw .backupDamaged(findings) }
        let known = try attempt(RestoreError.backup) { () throws(RepositoryError) in try LedgerRows.last(connection) }
        let reading = try ledger(connection, sealer, known, present)
        return try attempt(RestoreError.backup) { () throws(RepositoryError) in
            try connection.tellingLimits { () throws(RepositoryError) in
                let outcome = try apply(reading, present, connection, sealer)
                try connection.execute("COMMIT")
                return (outcome, try LedgerRows.waiting(connection).map(\.line))
            }
        }
    }

    private func ledger(
        _ connection: SQLiteConnection, _ sealer: StoreSealer, _ known: Int64, _ present: PresentStore?
    ) throws(RestoreError) -> LedgerReading? {
        let path: String
        switch request.ledger {
        case .none: return nil
        case .besideStore: path = LedgerFile.path(of: settings.path)
        case .at(let file): path = file
        }
        let isNeeded = present.map { $0.lastRecord > known } ?? true
        let (own, current) = try attempt(RestoreError.backup) { () throws(RepositoryError) in
            (try SecretKeyRows(connection: connection).keys(for: .ledger, sealer), try sealer.current)
        }
        let keys = own + (present?.ledgerKeys ?? [])
        var reading = try attempt(RestoreError.backup) { () throws(RepositoryError) in
            try LedgerReading(connection, after: known, keys: keys, current)
        }
        do throws(RestoreError) {
            try reading.read(path)
        } catch .noLedger where !isNeeded && request.ledger == .besideStore {
            // There is nothing that it could tell.
        }
        try attempt(RestoreError.backup) { () throws(RepositoryError) in try reading.add(present?.waiting ?? []) }
        try reading.holdsAll(upTo: present?.lastRecord)
        return reading
    }

    private func apply(
        _ reading: LedgerReading?, _ present: PresentStore?, _ connection: SQLiteConnection, _ sealer: StoreSealer
    ) throws(RepositoryError) -> RestoreOutcome {
        let sessions = SessionRows(connection: connection)
        let audit = AuditTrail(connection: connection, now: now)
        let secrets = SecretKeyRows(connection: connection)
        var numbers = try GivenNumbers(connection)
        if let present { numbers.raise(to: present.numbers) }
        var replay = LedgerReplay(connection: connection, sealer: sealer, tables: settings.tables, now: now)
        try reading?.forEachRecord { record throws(RepositoryError) in try replay.apply(record) }
        numbers.raise(to: replay.passed)
        let passed = try numbers.pass(in: connection)
        try audit.add(.storeRestored, user: nil)
        var ended = 0
        if !request.keepsSessions {
            ended = try sessions.deleteEverybodys()
            try audit.add(.sessionsRevoked, user: nil)
        }
        try secrets.makeMissing(sealer, now: now)
        try GivenNumbers.passRecord(max(reading?.last ?? 0, present?.lastRecord ?? 0), in: connection)
        try LedgerRows(connection: connection, sealer: sealer, now: now).add(
            .numbersPassed(users: passed.users, identities: passed.identities, events: passed.events))
        return RestoreOutcome(
            former: nil, records: try reading?.recordCount() ?? 0, erased: replay.erased,
            stranded: try replay.strandedUsers(),
            endedSessions: ended, users: try connection.userCount(),
            unprovenLines: reading?.unproven ?? 0)
    }

    private func attempt<Value>(
        _ failure: (RepositoryError) -> RestoreError, _ body: () throws(RepositoryError) -> Value
    ) throws(RestoreError) -> Value {
        do throws(RepositoryError) { return try body() } catch { throw failure(error) }
    }
}

extension GivenNumbers {
    /// More than any service gives between a backup and its restore: what was given then nobody may know any more.
    private static let margin: Int64 = 1_000_000_000

    private static let find = Query("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?")
    private static let forget = Query("DELETE FROM sqlite_sequence WHERE name = ?")
    private static let set = Query("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)")
    // The number of users is told from the numbers, so those that nobody ever had count as erased.
    private static let countAsErased = Query("UPDATE meta SET value = value + ? WHERE name = 'erased_users'")

    init(_ connection: SQLiteConnection) throws(RepositoryError) {
        self.init(
            users: try Self.last("users", connection), identities: try Self.last("identities", connection),
            events: try Self.last("audit", connection))
    }

    /// The last number that a row of a table was given.
    static func last(_ table: String, _ connection: any StoreConnection) throws(RepositoryError) -> Int64 {
        try connection.first(find, table) { $0.integer(0) } ?? 0
    }

    static func setLast(_ number: Int64, _ table: String, _ connection: any StoreConnection) throws(RepositoryError) {
        try connection.run(forget, table)
        try connection.run(set, table, number)
    }

    /// Sees to it that the store gives none of these, nor any within the margin behind them.
    ///
    /// - Returns: up to which it gives none.
    func pass(in connection: SQLiteConnection) throws(RepositoryError) -> GivenNumbers {
        let before = try GivenNumbers(connection)
        let passed = GivenNumbers(
            users: users + Self.margin, identities: identities + Self.margin, events: events + Self.margin)
        for (table, number) in [
            ("users", passed.users), ("identities", passed.identities), ("audit", passed.events),
        ] {
            try Self.setLast(number, table, connection)
        }
        try connection.run(Self.countAsErased, passed.users - before.users)
        return passed
    }

    /// Has the ledger's next record come behind one.
    static func passRecord(_ number: Int64, in connection: SQLiteConnection) throws(RepositoryError) {
        guard try number > LedgerRows.last(connection) else { return }
        try setLast(number, "ledger", connection)
    }
}
