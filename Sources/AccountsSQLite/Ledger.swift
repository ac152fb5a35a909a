import Accounts
import AccountsSQL
import Synchronization
import System

/// Brings records from the store into the ledger's file, after the commit that made them and before anybody hears of
/// it.
///
/// When the file can't be written, what was to be done is done, and its caller is told that it was not: asking again is
/// harmless. The record waits in the store and is brought with the next commit, or when the store is next opened.
final class Ledger: Sendable {
    private let file: LedgerFile
    /// Whether records may wait that are not this connection's own.
    let isBehind = Atomic(false)

    init(database path: String) {
        file = LedgerFile(path: LedgerFile.path(of: path))
    }

    /// Has the next ``settle(_:)`` bring whatever a process that is gone has left. Within the transaction that opens
    /// the store.
    ///
    /// - Parameter isGuarded: whether the store must not be older than the file.
    /// - Throws: `.olderThanLedger`.
    func begin(_ connection: SQLiteConnection, _ sealer: StoreSealer, isGuarded: Bool) throws(RepositoryError) {
        if isGuarded {
            let keys = try SecretKeyRows(connection: connection).keys(for: .ledger, sealer)
            let lines: [Substring]
            do throws(SystemError) { lines = try file.lastLines() } catch { throw .unavailable(error.unavailability) }
            let current = try sealer.current
            let last = lines.compactMap { LedgerLine($0, keys: keys, current)?.number }.max() ?? 0
            guard try last <= LedgerRows.last(connection) else { throw .notOpened(.olderThanLedger) }
        }
        isBehind.store(true, ordering: .relaxed)
    }

    /// Brings what waits: what the connection has written, and what is behind. On the writer's queue, outside of any
    /// transaction.
    ///
    /// - Returns: why something that was committed is not in the file.
    func settle(_ connection: SQLiteConnection) -> RepositoryError? {
        connection.ledger.hasNews = false
        do throws(RepositoryError) {
            let waiting = try LedgerRows.waiting(connection)
            do throws(SystemError) {
                try file.append(waiting.map(\.line))
            } catch {
                throw .unavailable(error.unavailability)
            }
            if let last = waiting.last { connection.ledger.recordedUpTo = last.number }
            isBehind.store(false, ordering: .relaxed)
            return nil
        } catch {
            isBehind.store(true, ordering: .relaxed)
            return error
        }
    }
}
