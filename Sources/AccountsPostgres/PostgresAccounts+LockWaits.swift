import Accounts
import AccountsSQL
import Postgres
import System

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
