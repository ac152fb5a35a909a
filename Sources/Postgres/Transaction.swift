import System

/// What a transaction sees of others, and how sure it is that it could have been alone.
public enum Isolation: Sendable {
    /// Each statement sees what was committed before it began.
    case readCommitted
    /// As if all such transactions had run one after the other; one that could not is refused, and may be run again.
    case serializable
}

/// An interactive transaction: its statements may depend on each other's results, and it has a connection of its own.
public struct Transaction: Sendable {
    private let pool: PostgresPool
    private let reservation: Reservation

    fileprivate init(_ pool: PostgresPool, _ reservation: Reservation) {
        (self.pool, self.reservation) = (pool, reservation)
    }

    /// Runs one statement.
    ///
    /// - Throws: `transactionOver` after a statement was refused, too.
    public func query(_ statement: Statement, _ values: Value...) async throws(PostgresError) -> Rows {
        try await query(Command(statement, values))
    }

    /// The same.
    public func query(_ command: Command) async throws(PostgresError) -> Rows {
        let rows = try await run([command], .statements)
        return try await pool.only(rows)
    }

    fileprivate func run(_ commands: [Command], _ part: Batch.Part) async throws(PostgresError) -> [Rows] {
        try await pool.run(commands, .reserved(reservation, part), deadline: reservation.deadline)
    }
}

extension PostgresPool {
    /// Runs `body` in a transaction, which is committed when it returns and rolled back when it throws.
    ///
    /// - Parameters:
    ///   - timeout: for all of it. After it the connection is ended, whatever `body` does.
    ///   - last: goes out with the COMMIT, for what is to be known of the transaction at its end.
    ///   - committed: hears, after the commit, what that has given back.
    ///   - failure: makes the caller's error of one of the driver's that came before `body` or after it, such as
    ///     `transactionOver` when `body` has returned after one of its statements was refused.
    public nonisolated func transaction<Result, Failure: Error>(
        isolation: Isolation = .readCommitted, timeout: Duration, last: Command? = nil,
        committed: (Rows) -> Void = { _ in }, failure: (PostgresError) -> Failure,
        body: (Transaction) async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let transaction = Transaction(self, Reservation(deadline: .now + timeout))
        do throws(PostgresError) {
            _ = try await transaction.run([Command(isolation == .serializable ? .beginSerializable : .begin)], .begin)
        } catch {
            throw failure(error)
        }
        let result: Result
        do throws(Failure) {
            result = try await body(transaction)
        } catch {
            // When that fails the connection is gone, and the server rolls back by itself.
            _ = try? await transaction.run([Command(.rollback)], .end)
            throw error
        }
        do throws(PostgresError) {
            let rows = try await transaction.run([last, Command(.commit)].compactMap(\.self), .end)
            if last != nil, let told = rows.first { committed(told) }
        } catch {
            throw failure(error)
        }
        return result
    }

    /// The same for what throws nothing of its own.
    public nonisolated func transaction<Result>(
        isolation: Isolation = .readCommitted, timeout: Duration,
        _ body: (Transaction) async throws(PostgresError) -> Result
    ) async throws(PostgresError) -> Result {
        try await transaction(isolation: isolation, timeout: timeout, failure: { $0 }, body: body)
    }
}
