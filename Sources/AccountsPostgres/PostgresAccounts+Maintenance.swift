public import Accounts
internal import AccountsSQL
internal import Postgres
internal import Synchronization
public import System

/// Expired rows, integrity.
extension PostgresAccounts {
    /// Also looks whether this version may still work with the tables, and whether our clock is the database's.
    public func probe(now: Int64) async throws(RepositoryError) {
        _ = try await Schema.stepsTaken(Work(self))
        let (there, before, after) = try await clockReading()
        let (limit, took) = (settings.clockSkewSeconds * 1000, Int64((after - before) / .milliseconds(1)))
        guard abs(WallClock.now.milliseconds - there / 1000) <= limit + took else { throw .unavailable(.clock) }
        try await Work(self).run(Self.setProbe, .integer(now))
    }

    public func look(at clock: CommonClock) async throws(RepositoryError) {
        let (there, before, after) = try await clockReading()
        clock.take(there, between: before, and: after)
    }

    /// What the server's clock says, in microseconds since 1970, and between which instants it was asked.
    func clockReading() async throws(RepositoryError) -> (Int64, MonotonicTime, MonotonicTime) {
        let before = MonotonicTime.now
        guard let there = try await Work(self).first(Self.clock)?.integer(0) else { throw .unavailable(.corrupt) }
        return (there, before, .now)
    }

    private static let clock = Postgres.Statement("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::int8")
    private static let setProbe = Postgres.Statement(
        "INSERT INTO meta (name, value) VALUES ('probed', $1) ON CONFLICT (name) DO UPDATE SET value = $1")

    public func subjectForm(_ wanted: SubjectForm?) async throws(RepositoryError) -> SubjectForm {
        try await write(.serializable) { connection throws(RepositoryError) in
            let form = try SubjectFormRow(connection: connection).settle(wanted)
            if form == .reference { try connection.run(Schema.keepAwayWhoKnowsNumbersAlone) }
            return form
        }
    }

    /// Nothing is left to do: what the server keeps of rows that are gone, its vacuum overwrites.
    public func scrub() async throws(RepositoryError) -> Bool { true }

    public func check(
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws(RepositoryError) -> [String] {
        try await read { [sealer, tables] connection throws(RepositoryError) in
            try SealCheck(connection: connection, sealer: sealer, tables: tables, progress: progress).run()
        }
    }
}

/// Waiting for rows that others have locked: on connections of its own, since all who share one wait for the first.
extension PostgresAccounts {
    private static let limit = Postgres.Statement("SELECT set_config('lock_timeout', $1, true)")
    /// Between the server's giving up and ours, after which the connection would be lost.
    private static let margin = Duration.milliseconds(100)

    /// Runs statements, as one transaction, of which one is expected to wait.
    ///
    /// - Returns: their rows, last.
    func waiting(_ commands: [Command], until deadline: MonotonicTime) async throws(PostgresError) -> [Rows] {
        let commands = [lockLimit(until: deadline)].compactMap(\.self) + commands
        do throws(PostgresError) {
            return try await waitingPool.run(commands, until: deadline)
        } catch .timedOut(.notSent) {
            // Others wait there already.
            throw .refused(.lockNotAvailable)
        }
    }

    /// What has the server give up in time, for the rest of a transaction; nil where the engine has no such thing.
    func lockLimit(until deadline: MonotonicTime) -> Command? {
        guard settings.dialect == .postgresql else { return nil }
        let milliseconds = Int((deadline - .now - Self.margin) / .milliseconds(1))
        return Command(Self.limit, [.text(String(max(1, milliseconds)))])
    }

    /// Notes that a row was locked for longer than it may keep others waiting: all who do something with it wait here
    /// from now on.
    ///
    /// - Returns: that the caller does, too.
    func noteLocked() -> Bool {
        Turn.current?.noteLocked()
        return true
    }

    /// Waits until what begins now can be brought to its end soon.
    ///
    /// - Throws: `.unavailable(.overloaded)` where that takes too long, before anything has begun.
    func admit() async throws(RepositoryError) {
        let pool = pool(.durable)
        guard !pool.admitsAtOnce() else { return }
        do throws(PostgresError) { try await pool.admit() } catch { throw RepositoryError(error) }
    }

    /// Has few at a time do something with the same row. What is done in it takes no turn of its own.
    // Inlined, or each sign-in would look up what kind of result it has.
    @inline(__always)
    func inTurn<Value: Sendable>(
        of key: TurnKey?, _ body: () async throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value {
        guard let key else { return try await body() }
        var turn = turns.beginAtOnce(key)
        if turn == nil {
            let time = StoreTime(usual: settings.statementTimeout, request: settings.requestTimeout)
            defer { time.note() }
            turn = try await turns.begin(key, until: time.deadline)
        }
        defer { turns.end(key) }
        return try await Turn.$current.withValue(turn) { () async -> Result<Value, RepositoryError> in
            do throws(RepositoryError) { return .success(try await body()) } catch { return .failure(error) }
        }.get()
    }
}

/// What is brought to where it outlives the database, and how far that has come.
extension PostgresAccounts {
    private static let forget = Postgres.Statement(
        """
        DELETE FROM ledger WHERE number = ANY(string_to_array($1::text, ' ')::int8[])
            AND number < (SELECT max(number) FROM ledger)
        """)

    /// Counts a second: writes, notes what was acknowledged up to then where that outlives the database, and looks
    /// whether this database is still the one that has everything.
    ///
    /// - Throws: `.unavailable(.behind)` where it is not; nobody is served from it then.
    public func beat() async throws(RepositoryError) -> Bool {
        guard settings.isFenced else { return false }
        var failure: RepositoryError?
        do throws(RepositoryError) { try await takeOverMark() } catch { failure = error }
        let decision = fence.decision
        let row: StoredRow?
        let tells = fence.tellsCommits
        row = try await Work(self).first(tells ? PositionStatements.beat : PositionStatements.beatOfStore)
        if let row {
            let position = try PositionStatements.position(row, hasLog: tells)
            switch fence.noteBeat(position, decision) {
            case .noted(let mark): try await tell(mark)
            // Each connection is looked at anew, and finds what is to be known of it.
            case .otherServer: await renewConnections()
            case .behind(let regression):
                await renewConnections()
                throw .unavailable(.behind(regression))
            }
        }
        if let failure { throw failure }
        return try await takeOverEpoch()
    }

    private func tell(_ mark: StoreMark) async throws(RepositoryError) {
        _ = try await settings.ledger?.note { text in
            (text.flatMap(StoreMark.init(text:))?.merged(with: mark) ?? mark).text
        }
    }

    public func enterEpoch() { epoch.store(toldEpoch.load(ordering: .acquiring), ordering: .releasing) }

    /// Whether what this instance has read is of an earlier epoch: then no request is served.
    var isInEarlierEpoch: Bool { epoch.load(ordering: .relaxed) != fence.epochsBegun }

    /// Judges the database by what the ledger says, before anybody is served.
    func takeOverMark() async throws(RepositoryError) {
        guard let ledger = settings.ledger else { return }
        let acknowledged = fence.acknowledged
        let text = try await ledger.note { text in
            guard let acknowledged else { return text }
            return (text.flatMap(StoreMark.init(text:))?.merged(with: acknowledged) ?? acknowledged).text
        }
        if let mark = text.flatMap(StoreMark.init(text:)) { fence.note(mark) }
    }

    /// Has every connection looked at anew.
    private func renewConnections() async {
        for pool in allPools { await pool.renew() }
    }

    /// Reads anew what was read in the epoch before.
    ///
    /// - Returns: whether there is a new one.
    private func takeOverEpoch() async throws(RepositoryError) -> Bool {
        guard isInEarlierEpoch else { return false }
        toldEpoch.store(fence.epochsBegun, ordering: .releasing)
        // The rows may have come without the sequences.
        try await goOnBehindRows()
        numbers.discard()
        _ = try await reloadKeyRing()
        _ = try await reloadSecretKeys()
        return true
    }

    /// Brings what a process that is gone has left.
    func bringWhatWaits() async throws(RepositoryError) {
        guard settings.ledger != nil else { return }
        let waiting = try await read { connection throws(RepositoryError) in try LedgerRows.waiting(connection) }
        try await bring(waiting)
    }

    /// Brings records to the ledger that a transaction has made, and whatever others have left, before anybody hears
    /// that it is done.
    ///
    /// - Throws: where that can't be done. What was to be done is done: asking again is harmless.
    func bring(_ lines: [(number: Int64, line: String)]) async throws(RepositoryError) {
        guard let ledger = settings.ledger, let last = lines.map(\.number).max() else { return }
        try await ledger.append(lines)
        fence.note(record: last)
        // The newest stays, so that the database tells how far it knows.
        let numbers = lines.map { String($0.number) }.joined(separator: " ")
        _ = try? await Work(self, .relaxed).run(Self.forget, .text(numbers))
    }
}
