package import Accounts
import Synchronization

/// Finds expired sessions by walking through all of them, a stretch at a time, round and round.
///
/// An index on the expiry would find them at once, and cost every sign-in and every refresh a page more to write; an
/// expired session opens nothing, so it may lie for a while. Where the walk is at is nobody's loss: another start
/// begins anew.
package final class SessionSweep: Sendable {
    /// How many sessions one step looks at: some milliseconds of reading, beside the writer.
    private static let stretch: Int64 = 10_000

    private static let next = Query("SELECT id, expires FROM sessions WHERE id > ? ORDER BY id LIMIT ?")
    private static let first = Query("SELECT id, expires FROM sessions ORDER BY id LIMIT ?")
    private static let delete = Query("DELETE FROM sessions WHERE id = ? AND expires <= ?")

    /// The last one that was looked at; nil at the start of a round.
    private let position = Mutex<SessionID?>(nil)

    package init() {}

    /// Looks at the next stretch; at nothing where `time` is nil.
    ///
    /// - Returns: those that have expired, at most so many. The walk goes on behind the last of them.
    package func find(
        _ connection: any StoreConnection, expiredBy time: Int64?, limit: Int
    ) throws(RepositoryError) -> [SessionID] {
        guard let time else { return [] }
        var expired: [SessionID] = []
        var last: SessionID?
        var seen: Int64 = 0
        func look(_ row: any Statement) throws(RepositoryError) {
            guard expired.count < limit else { return }
            let id = try row.sessionID(0)
            if row.integer(1) <= time { expired.append(id) }
            last = id
            seen += 1
        }
        if let from = position.withLock(\.self) {
            try connection.forEach(Self.next, from, Self.stretch) { row throws(RepositoryError) in try look(row) }
        } else {
            try connection.forEach(Self.first, Self.stretch) { row throws(RepositoryError) in try look(row) }
        }
        let isAtEnd = seen < Self.stretch && expired.count < limit
        position.withLock { $0 = isAtEnd ? nil : last }
        return expired
    }

    /// Removes them, but for those that were extended meanwhile.
    ///
    /// - Returns: how many went.
    package func delete(
        _ sessions: [SessionID], _ connection: any StoreConnection, expiredBy time: Int64?
    ) throws(RepositoryError) -> Int {
        guard let time else { return 0 }
        var removed = 0
        for session in sessions {
            try connection.run(Self.delete, session, time)
            removed += connection.changes
        }
        return removed
    }
}
