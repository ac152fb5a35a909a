public import Accounts
import AccountsSQL

/// Expired rows, integrity.
extension PostgresAccounts {
    public func sweepExpired(now: Int64, limit: Int) async throws(RepositoryError) -> Int {
        let sessions = try await read { [sessionSweep] connection throws(RepositoryError) in
            try sessionSweep.find(connection, now: now, limit: limit)
        }
        return try await write { [sessionSweep] connection throws(RepositoryError) in
            let removed = try sessionSweep.delete(sessions, connection, now: now)
            return try removed + ExpiredRows(connection: connection).remove(now: now, limit: limit - removed)
        } settled: { _ in
        }
    }

    /// Nothing is left to do: what the server keeps of rows that are gone, its vacuum overwrites.
    public func scrub() async throws(RepositoryError) -> Bool { true }

    public func check(
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws(RepositoryError) -> [String] {
        try await read { [sealer] connection throws(RepositoryError) in
            try SealCheck(connection: connection, sealer: sealer, progress: progress).run()
        }
    }
}
