import Accounts
import EventLoop
import Postgres
import Synchronization
import System

import struct AccountsSQL.StoreTime
import class AccountsSQL.Turn

/// Statements that belong together: those of an open transaction, or each a transaction of its own.
struct Work: Sendable {
    let store: PostgresAccounts
    /// Nil where each statement is committed by itself.
    private let transaction: Transaction?
    private let durability: Durability
    private let failure: FirstFailure

    /// Each statement is a transaction of its own.
    init(_ store: PostgresAccounts, _ durability: Durability = .durable) {
        self.init(store, nil, durability, FirstFailure())
    }

    fileprivate init(
        _ store: PostgresAccounts, _ transaction: Transaction?, _ durability: Durability, _ failure: FirstFailure
    ) {
        (self.store, self.durability, self.transaction, self.failure) = (store, durability, transaction, failure)
    }

    func all(_ statement: Statement, _ values: Value...) async throws(RepositoryError) -> [StoredRow] {
        try await rows(Command(statement, values)).map(StoredRow.init)
    }

    /// - Returns: the first row; nil where there is none.
    func first(_ statement: Statement, _ values: Value...) async throws(RepositoryError) -> StoredRow? {
        try await rows(Command(statement, values)).first.map(StoredRow.init)
    }

    /// Whether there is any row.
    func any(_ statement: Statement, _ values: Value...) async throws(RepositoryError) -> Bool {
        try await !rows(Command(statement, values)).isEmpty
    }

    /// - Returns: how many rows it has touched.
    @discardableResult
    func run(_ statement: Statement, _ values: Value...) async throws(RepositoryError) -> Int {
        try await rows(Command(statement, values)).affected
    }

    /// - Parameter tellsCommit: whether the last columns are those that a commit is known by.
    func rows(_ command: Command, tellsCommit: Bool = false) async throws(RepositoryError) -> Rows {
        do throws(PostgresError) {
            if let transaction { return try await transaction.query(command) }
            return try await store.alone(command, durability, tellsCommit: tellsCommit)
        } catch {
            failure.note(error)
            throw store.told(error)
        }
    }
}

/// What the server or the way to it has said, for who decides whether to begin again.
private final class FirstFailure: Sendable {
    private let first = Mutex<PostgresError?>(nil)

    /// Only the first tells: what follows in a transaction is that it is over.
    func note(_ error: PostgresError) { first.withLock { $0 = $0 ?? error } }

    var error: PostgresError? { first.withLock(\.self) }

    /// Whether the same work can succeed when it is begun again, and can't have been committed.
    var isWorthRepeating: Bool {
        switch error {
        // Somebody else has made the same row, or the same table, first, which the next try will see.
        case .refused(.uniqueViolation), .refused(.other("42710")), .refused(.other("42P07")): true
        case let error?: error.isRetryable
        case nil: false
        }
    }
}

extension PostgresAccounts {
    /// Before work is begun again that others were in the way of. The more meet each other, the longer each waits.
    private static let longestPause = Duration.milliseconds(100)
    /// How often work is begun again since a row with its key is there. The next try sees that row: one that is in the
    /// way of this many is no matter of who comes first.
    private static let mostConflicts = 16

    /// Runs one statement, which is a transaction of its own, again while others are in its way.
    ///
    /// - Parameter tellsCommit: whether its last columns are those that its commit is known by.
    func alone(
        _ command: Command, _ durability: Durability, tellsCommit: Bool = false
    ) async throws(PostgresError) -> Rows {
        let time = StoreTime(usual: settings.statementTimeout, request: settings.requestTimeout)
        defer { time.note() }
        guard !time.isOfRequest || !isInEarlierEpoch else { throw .notConnected(.notAdmitted) }
        var attempt = 1
        var waits = Turn.current?.isLocked ?? false
        while true {
            do throws(PostgresError) {
                let told = !tellsCommit && needsCommitColumns(command, durability)
                let commands = told ? [command, Command(PositionStatements.commit)] : [command]
                let rows =
                    waits
                    ? try await waiting(commands, until: time.deadline)
                    : try await pool(durability).run(commands, until: time.deadline)
                guard rows.count >= commands.count else { throw .unexpectedResult }
                if !command.statement.isRead { outcomes.noteDone() }
                if told || tellsCommit, let last = rows.last { note(commit: last) }
                return rows[rows.count - commands.count]
            } catch {
                if !waits, error == .refused(.lockNotAvailable) {
                    waits = noteLocked()
                    continue
                }
                guard error.isRetryable, error != .overloaded, isWorthwhile(error, in: time) else {
                    // What has come to its end waiting for a row tells nothing of the store.
                    if !command.statement.isRead, !waits { outcomes.note(told(error)) }
                    throw error
                }
            }
            await rest(attempt)
            attempt += 1
        }
    }

    /// Runs statements that depend on each other: all of them or none are committed.
    ///
    /// - Parameters:
    ///   - isolation: `.readCommitted` where the statements take care of others by themselves.
    ///   - body: may be run several times, and must change nothing but what its statements change.
    func transact<Value: Sendable>(
        _ isolation: Isolation = .serializable, _ body: (Work) async throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value {
        let time = StoreTime(usual: settings.transactionTimeout, request: settings.requestTimeout)
        defer { time.note() }
        guard !time.isOfRequest || !isInEarlierEpoch else { throw .unavailable(.behind(nil)) }
        var attempt = 1
        var conflicts = 0
        var waits = Turn.current?.isLocked ?? false
        while true {
            let failure = FirstFailure()
            do throws(RepositoryError) {
                let isWaiting = waits
                let pool = isWaiting ? waitingPool : pool(.durable)
                let value = try await pool.transaction(
                    isolation: isolation, timeout: time.deadline - .now,
                    last: fence.tellsCommits ? Command(PositionStatements.commit) : nil,
                    committed: { note(commit: $0) }
                ) { error in
                    failure.note(error)
                    return told(error)
                } body: { transaction throws(RepositoryError) in
                    let work = Work(self, transaction, .durable, failure)
                    if isWaiting, let limit = lockLimit(until: time.deadline) { _ = try await work.rows(limit) }
                    return try await body(work)
                }
                outcomes.noteDone()
                return value
            } catch {
                if !waits, failure.error == .refused(.lockNotAvailable) {
                    waits = noteLocked()
                    continue
                }
                if case .refused(.uniqueViolation) = failure.error { conflicts += 1 }
                guard failure.isWorthRepeating, conflicts <= Self.mostConflicts, isWorthwhile(failure.error, in: time)
                else {
                    if let error = failure.error, !waits { outcomes.note(told(error)) }
                    throw error
                }
            }
            await rest(attempt)
            attempt += 1
        }
    }

    /// What an error of the driver's means to who uses the store.
    func told(_ error: PostgresError) -> RepositoryError {
        let told = RepositoryError(error)
        return told == .unavailable(.behind(nil)) ? .unavailable(.behind(fence.regression)) : told
    }

    /// Whether a statement goes out with the question what its commit is known by: what need not last is no matter.
    private func needsCommitColumns(_ command: Command, _ durability: Durability) -> Bool {
        fence.tellsCommits && durability == .durable && !command.statement.isRead
    }

    /// Notes that a commit was acknowledged, by the last two columns of a row.
    func note(commit rows: Rows) {
        guard let row = rows.first, let transaction = try? row.optionalInteger(row.columnCount - 2),
            let position = try? row.optionalInteger(row.columnCount - 1)
        else { return }
        fence.note(transaction: transaction, position: position)
    }

    /// Whether there is time left to begin again what has failed in this way.
    private func isWorthwhile(_ error: PostgresError?, in time: StoreTime) -> Bool {
        let now = MonotonicTime.now
        guard case .notConnected? = error, let outage = settings.outageTimeout else { return now < time.deadline }
        return now < min(time.deadline, time.start + outage)
    }

    /// A pause that differs for all who have met each other.
    private func rest(_ attempt: Int) async {
        guard attempt > 1 else { return }
        let longest = min(Duration.milliseconds(1 << min(attempt, 10)), Self.longestPause)
        await pool(.durable).rest(longest * Double.random(in: 0...1))
    }
}
