public import Accounts

/// The end of all sessions of an app, of a provider, or of everybody: too many for one transaction. They end with the
/// line that is drawn; then they are removed, a stretch at a time, and their providers told.
struct SessionScopeEnd {
    /// How many sessions one step looks at: some milliseconds of reading, beside the writer.
    private static let stretch: Int64 = 10_000
    private static let lowest = [UInt8](repeating: 0, count: 16)

    // A session that was opened behind the line was none of those; of some second it can't be told.
    private static let look = Query(
        """
        SELECT id, NOT (\(SessionRows.isNotBarred)) FROM sessions WHERE id > ? ORDER BY id LIMIT ?
        """)

    /// - Returns: the sessions of the next stretch that lie behind a line, and where the one after begins; nil at the
    ///   end.
    static func find(
        _ connection: any StoreConnection, after position: SessionID?
    ) throws(RepositoryError) -> (barred: [SessionID], next: SessionID?) {
        var barred: [SessionID] = []
        var last: SessionID?
        var seen: Int64 = 0
        try connection.forEach(look, position?.bytes ?? lowest, stretch) { row throws(RepositoryError) in
            let id = try row.sessionID(0)
            if row.integer(1) != 0 { barred.append(id) }
            last = id
            seen += 1
        }
        return (barred, seen < stretch ? nil : last)
    }
}

extension SessionScope {
    /// As the audit trail names it.
    fileprivate var name: String {
        switch self {
        case .everybody: "everybody"
        case .app(let client): "app:\(client)"
        case .provider(let name): "provider:\(name)"
        }
    }
}

extension SQLStore {
    public func draw(
        _ line: NotBefore, for scope: SessionScope, isNoted: Bool, now: Int64
    ) async throws(RepositoryError) {
        try await write { [sealer] connection throws(RepositoryError) in
            try NotBeforeRows(connection: connection, sealer: sealer, now: now).draw(line, for: scope)
            if isNoted {
                try AuditTrail(connection: connection, now: now).add(.sessionsRevoked, user: nil, fields: [scope.name])
            }
        }
    }

    public func removeBarredSessions(
        after position: SessionID?, now: Int64
    ) async throws(RepositoryError) -> (ended: Int, next: SessionID?) {
        let found = try await readAside { connection throws(RepositoryError) in
            try SessionScopeEnd.find(connection, after: position)
        }
        var ended = 0
        // Each commit is as short as a user's own sign-out of everything.
        for start in stride(from: 0, to: found.barred.count, by: 100) {
            let batch = Array(found.barred[start..<min(start + 100, found.barred.count)])
            ended += try await write { [sealer] connection throws(RepositoryError) in
                let end = SessionEnd(connection: connection, sealer: sealer, now: now)
                var count = 0
                for session in batch where try end.remove(session) { count += 1 }
                return count
            }
        }
        return (ended, found.next)
    }
}
