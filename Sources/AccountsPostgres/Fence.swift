import Accounts
import Postgres
import Synchronization
import System

/// Keeps everybody from a database that lacks something of what was acknowledged.
///
/// Each connection is looked at before it serves anybody, and once a second all instances together count on, in the
/// store and in the ledger if there is one. What is decided by is in ``FenceDecision``.
final class Fence: ConnectionGreeting, Sendable {
    private struct State {
        /// The server that was last taken for the right one.
        var known: ServerPosition?
        var mark: StoreMark?
        var commits = RecentCommits()
        var regression: StoreRegression?
    }

    /// Runs one statement on the server that is looked at.
    private typealias Ask = (Postgres.Statement, [Value]) async throws(PostgresError) -> Rows

    private static let lookTimeout = Duration.seconds(5)
    /// What is passed over where numbers may have been given that this server knows nothing of.
    private static let margin: Int64 = 1_000_000

    private let state = Mutex(State())
    /// Whether the engine may tell of its log, and whether it has.
    private let mayHaveLog: Bool
    private let hidesLog = Atomic(false)
    private let tells = Atomic(false)
    /// How often the store has gone on in a new epoch meanwhile, so that what was read before is not to be relied on.
    private let epochs = Atomic<Int>(0)

    /// - Parameter hasLog: false for an engine that is known to have no log to ask for.
    init(hasLog: Bool) {
        mayHaveLog = hasLog
    }

    /// Counts the epochs that have begun since this was made.
    var epochsBegun: Int { epochs.load(ordering: .acquiring) }

    /// What the server that was last met lacks; nil where none was found to lack anything.
    var regression: StoreRegression? { state.withLock { $0.regression } }

    /// Whether the server says what a commit is known by.
    var tellsCommits: Bool { tells.load(ordering: .relaxed) }

    /// Whether a server was looked at: what was connected to before there were tables was not.
    var knowsServer: Bool { state.withLock { $0.known != nil } }

    private var hasLog: Bool { mayHaveLog && !hidesLog.load(ordering: .relaxed) }

    // MARK: What is acknowledged

    /// Notes a commit whose answer has come.
    func note(transaction: Int64, position: Int64) {
        state.withLock { state in
            guard let log = state.known?.log else { return }
            let timeline = log.timeline
            // An answer that comes late may be one of the server before.
            let beginning = max(state.known?.fork ?? 0, log.recovered ?? 0)
            guard position > beginning else { return }
            state.commits.add(
                FenceDecision.Commit(timeline: timeline, transaction: transaction, position: position))
        }
    }

    /// What this process has seen acknowledged, its last commits among it: others may find a server good that lacks
    /// these. Nil before the first.
    var acknowledged: StoreMark? {
        state.withLock { state in
            guard var mark = state.mark, let log = state.known?.log, state.known?.epoch == mark.epoch else {
                return state.mark
            }
            for commit in state.commits.all {
                mark.note(StoreMark.End(system: log.system, timeline: commit.timeline, end: commit.position))
            }
            return mark
        }
    }

    /// Takes over what others have seen acknowledged.
    func note(_ mark: StoreMark) {
        state.withLock { $0.mark = $0.mark?.merged(with: mark) ?? mark }
    }

    /// Notes that the ledger has a record.
    func note(record: Int64) {
        state.withLock { state in
            guard let known = state.mark?.record else { return }
            state.mark?.record = max(known, record)
        }
    }

    /// What servers are judged by that are looked at from now on. What is acknowledged while one is looked at it need
    /// not have told yet.
    var decision: FenceDecision {
        state.withLock { FenceDecision(known: $0.known, mark: $0.mark, commits: $0.commits.all) }
    }

    /// What a count of a second has told of the server.
    enum Beat {
        /// What is to be told the others.
        case noted(StoreMark)
        /// It is another one, or has begun anew: every connection is to be looked at.
        case otherServer
        /// The same, for it lacks something.
        case behind(StoreRegression)
    }

    /// Notes what the store has acknowledged with a count of a second, and judges the server by it.
    ///
    /// - Parameter decision: of before it was counted.
    func noteBeat(_ position: ServerPosition, _ decision: FenceDecision) -> Beat {
        switch decision.verdict(on: position) {
        case .same:
            return state.withLock { state in
                let acknowledged = StoreMark(position)
                let mark = state.mark?.merged(with: acknowledged) ?? acknowledged
                state.mark = mark
                return .noted(mark)
            }
        case .goesOn, .newEpoch: return .otherServer
        case .behind(let regression):
            _ = refuse(regression)
            return .behind(regression)
        }
    }

    // MARK: Connections

    /// Looks at the server that tables have been made on just now: what was connected to before had none to look at.
    func meet(_ pool: PostgresPool) async throws(RepositoryError) {
        let ask: Ask = { statement, values throws(PostgresError) in
            try Self.only(try await pool.run([Command(statement, values)], timeout: Self.lookTimeout))
        }
        if !knowsServer, let found = try await position(ask) { try await take(found, ask) }
    }

    func greet(_ session: GreetedSession) async -> Greeting {
        let ask: Ask = { statement, values throws(PostgresError) in
            try Self.only(try await session.run([Command(statement, values)], timeout: Self.lookTimeout))
        }
        do throws(RepositoryError) {
            let decision = decision
            guard let found = try await position(ask) else { return .admitted }
            switch decision.verdict(on: found) {
            case .same: break
            case .goesOn(let transactions):
                let lost = try await lost(transactions, ask)
                guard lost == 0 else { return refuse(.commits(count: Int64(lost))) }
                try await take(found, ask)
            case .newEpoch: try await take(found, ask)
            case .behind(let regression): return refuse(regression)
            }
            state.withLock { $0.regression = nil }
            return .admitted
        } catch {
            return .failed
        }
    }

    private static func only(_ rows: [Rows]) throws(PostgresError) -> Rows {
        guard let first = rows.first else { throw .unexpectedResult }
        return first
    }

    private func refuse(_ regression: StoreRegression) -> Greeting {
        state.withLock { $0.regression = regression }
        return .refused
    }

    /// - Returns: nil where there is no store yet.
    private func position(_ ask: Ask) async throws(RepositoryError) -> ServerPosition? {
        do throws(PostgresError) {
            if hasLog {
                do throws(PostgresError) {
                    let rows = try await ask(PositionStatements.look, [])
                    return try Self.position(rows, hasLog: true)
                } catch .refused(.other(let code)) where Self.isOfHiddenLog(code) {
                    hidesLog.store(true, ordering: .relaxed)
                }
            }
            let rows = try await ask(PositionStatements.lookAtStore, [])
            return try Self.position(rows, hasLog: false)
        } catch .refused(.other("42P01")) {
            return nil
        } catch {
            throw RepositoryError(error)
        }
    }

    private static func position(_ rows: Rows, hasLog: Bool) throws(PostgresError) -> ServerPosition? {
        guard let row = rows.first.map(StoredRow.init) else { return nil }
        do throws(RepositoryError) {
            return try PositionStatements.position(row, hasLog: hasLog)
        } catch {
            throw .unexpectedResult
        }
    }

    /// No such function, no right to it, or none that does anything there.
    private static func isOfHiddenLog(_ code: String) -> Bool {
        ["42883", "42501", "0A000", "55000", "58P01"].contains(code)
    }

    private func lost(_ transactions: [Int64], _ ask: Ask) async throws(RepositoryError) -> Int {
        if transactions.isEmpty { return 0 }
        do throws(PostgresError) {
            let numbers = transactions.map(String.init).joined(separator: " ")
            let rows = try await ask(PositionStatements.lost, [.text(numbers)])
            return Int(try rows.first?.integer(0) ?? 0)
        } catch .refused(.other("22023")) {
            // One of them is of the future.
            return transactions.count
        } catch {
            throw RepositoryError(error)
        }
    }

    /// Takes a server for the right one from now on. The first instance that comes to another timeline notes it in the
    /// store, and has numbers go on far behind the last.
    private func take(_ found: ServerPosition, _ ask: Ask) async throws(RepositoryError) {
        var found = found
        if let log = found.log, (found.noted.system, found.noted.timeline) != (log.system, log.timeline) {
            let isFirst = found.noted.timeline == 0
            let isMoved = !isFirst && found.noted.system != log.system
            do throws(PostgresError) {
                _ = try await ask(
                    PositionStatements.noteTimeline,
                    [
                        .text("\(log.system) \(log.timeline) \(found.fork ?? log.end)"),
                        .text("\(log.system) \(log.timeline) %"), .integer(isFirst ? 0 : Self.margin),
                        .integer(isMoved ? 1 : 0),
                    ])
            } catch .refused(.other("42P01")) {
                // The tables are of a version before.
            } catch {
                throw RepositoryError(error)
            }
            guard let noted = try await position(ask) else { throw .unavailable(.corrupt) }
            found = noted
        }
        let isNewEpoch = state.withLock { [found] state in
            // Of several connections that meet it at once one counts; before the first nothing was read.
            let isNewEpoch = state.known.map { $0.epoch < found.epoch } ?? false
            state.known = found
            if let mark = state.mark, found.epoch != mark.epoch {
                // Where its log stands now not all of it may be acknowledged.
                state.mark = StoreMark(epoch: found.epoch, beat: found.beat, record: found.record, ends: [])
            }
            state.commits = RecentCommits()
            return isNewEpoch
        }
        tells.store(found.log != nil, ordering: .relaxed)
        if isNewEpoch { epochs.wrappingAdd(1, ordering: .releasing) }
    }
}

/// The last commits whose answers have come: as many as can be under way at a time, so that the last of each connection
/// is among them.
struct RecentCommits {
    private static let limit = 2048

    private var ring: [FenceDecision.Commit] = []
    private var next = 0

    var all: [FenceDecision.Commit] { ring }

    mutating func add(_ commit: FenceDecision.Commit) {
        if ring.count < Self.limit { return ring.append(commit) }
        ring[next] = commit
        next = (next + 1) % Self.limit
    }
}
