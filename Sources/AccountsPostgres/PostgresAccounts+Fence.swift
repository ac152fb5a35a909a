public import Accounts
import AccountsSQL
import Postgres
import Synchronization

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
        var trouble: RepositoryError?
        do throws(RepositoryError) { try await takeOverMark() } catch { trouble = error }
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
        if let trouble { throw trouble }
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
