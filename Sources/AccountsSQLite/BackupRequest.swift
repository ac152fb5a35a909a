public import Accounts
import AccountsSQL
import Glibc
import System

/// What a tool asks of the server beside it: to fill a file with a copy of the store. The server's copy needs no long
/// read, which would keep the log from being started over, and does not begin anew with each sign-in.
struct BackupRequest {
    enum State: String {
        case begun, copied, refused
    }

    private static let ask = Query(
        "INSERT INTO meta (name, value) VALUES ('backup_wanted', ?1) ON CONFLICT DO UPDATE SET value = ?1")
    private static let wanted = Query("SELECT value FROM meta WHERE name = 'backup_wanted'")
    private static let tell = Query(
        "INSERT INTO meta (name, value) VALUES ('backup_state', ?1) ON CONFLICT DO UPDATE SET value = ?1")
    private static let state = Query("SELECT value FROM meta WHERE name = 'backup_state'")
    private static let withdraw = Query(
        """
        DELETE FROM meta WHERE name = 'backup_wanted' AND value = ?1
            OR name = 'backup_state' AND substr(value, instr(value, ' ') + 1) = ?1
        """)

    let connection: SQLiteConnection

    /// - Parameter draft: the whole path of an empty file; the request is known by it.
    func ask(for draft: String) throws(RepositoryError) { try connection.run(Self.ask, draft) }

    func withdraw(_ draft: String) throws(RepositoryError) { try connection.run(Self.withdraw, draft) }

    /// - Returns: the file that a tool wants to have filled, and what was done about it; nil when none does.
    func open() throws(RepositoryError) -> (draft: String, state: State?)? {
        guard let draft = try connection.first(Self.wanted, read: { $0.text(0) }) else { return nil }
        return (draft, try state(of: draft))
    }

    func tell(_ state: State, of draft: String) throws(RepositoryError) {
        try connection.run(Self.tell, "\(state.rawValue) \(draft)")
    }

    func state(of draft: String) throws(RepositoryError) -> State? {
        guard let words = try connection.first(Self.state, read: { $0.text(0).split(separator: " ", maxSplits: 1) }),
            words.count == 2, words[1] == draft
        else { return nil }
        return State(rawValue: String(words[0]))
    }
}

extension SQLiteAccounts {
    /// How long a tool waits for a sign of the server before it copies by itself.
    private static let serverPatience = Duration.seconds(5)
    private static let pollingInterval = Duration.milliseconds(50)
    private static let pageSize = Query("PRAGMA page_size")
    private static let pageCount = Query("PRAGMA page_count")

    /// Does what a tool has asked for, if any has, and clears away what it has left when it is gone. To be called every
    /// second or so by the server.
    ///
    /// - Returns: whether a file was filled.
    /// - Throws: `.unavailable`; the tool then copies by itself.
    @discardableResult
    public func serveBackup() async throws(RepositoryError) -> Bool {
        let request = try await readers.read { connection throws(RepositoryError) in
            try BackupRequest(connection: connection).open()
        }
        guard let (draft, state) = request else { return false }
        guard !BackupDraft.removeIfAbandoned(draft) else {
            try await writer.write { connection throws(RepositoryError) in
                try BackupRequest(connection: connection).withdraw(draft)
            }
            return false
        }
        guard state == nil || state == .begun else { return false }
        // What has begun and is not this call's was a server's that has gone.
        guard state == nil, Self.isOurEmptyFile(draft) else {
            try await tell(.refused, of: draft)
            return false
        }
        try await tell(.begun, of: draft)
        var isWhole = false
        do throws(RepositoryError) {
            isWhole = try await copyThroughWriter { () throws(RepositoryError) in try BackupFile.target(at: draft) }
        } catch {
            try await tell(.refused, of: draft)
            throw error
        }
        try await tell(isWhole ? .copied : .refused, of: draft)
        return isWhole
    }

    private func tell(_ state: BackupRequest.State, of draft: String) async throws(RepositoryError) {
        try await writer.write { connection throws(RepositoryError) in
            try BackupRequest(connection: connection).tell(state, of: draft)
        }
    }

    /// A process that can write to the store must not make the server write over a file that holds anything, or is
    /// another's.
    private static func isOurEmptyFile(_ path: String) -> Bool {
        guard let status = try? FileStatus(of: path, followsLinks: false) else { return false }
        return status.isRegular && status.size == 0 && status.names == 1 && status.owner == geteuid()
    }

    /// - Parameter draft: the whole path of an empty file.
    /// - Returns: whether the server beside this tool has filled it; false where there is none, or it does not do so.
    func copyByServer(
        to draft: String, _ progress: @escaping @Sendable (BackupProgress) -> Void
    ) async throws(RepositoryError) -> Bool {
        guard try hasServer() else { return false }
        try await writer.write { connection throws(RepositoryError) in
            try BackupRequest(connection: connection).ask(for: draft)
        }
        var result = Result<Bool, RepositoryError>.success(false)
        do throws(RepositoryError) { result = .success(try await isFilled(draft, progress)) } catch {
            result = .failure(error)
        }
        try? await writer.write { connection throws(RepositoryError) in
            try BackupRequest(connection: connection).withdraw(draft)
        }
        return try result.get()
    }

    private func hasServer() throws(RepositoryError) -> Bool {
        do throws(RepositoryError) {
            _ = try StoreLock(.server, database: settings.path)
            return false
        } catch {
            guard error == .notOpened(.inUse) else { throw error }
            return true
        }
    }

    private func isFilled(
        _ draft: String, _ progress: @escaping @Sendable (BackupProgress) -> Void
    ) async throws(RepositoryError) -> Bool {
        var (size, since) = (Int64(-1), ContinuousClock.now)
        while ContinuousClock.now - since < Self.serverPatience, !Task.isCancelled, try hasServer() {
            let (state, pageSize, total) = try await readers.read { connection throws(RepositoryError) in
                (
                    try BackupRequest(connection: connection).state(of: draft),
                    try connection.first(Self.pageSize) { $0.integer(0) } ?? 1,
                    try connection.first(Self.pageCount) { Int($0.integer(0)) } ?? 0
                )
            }
            let now = (try? FileStatus(of: draft))?.size ?? 0
            if state == .begun, now != size {
                (size, since) = (now, ContinuousClock.now)
                progress(.copied(Int(now / pageSize), of: total))
            }
            if state == .copied {
                progress(.copied(total, of: total))
                return true
            }
            if state == .refused { return false }
            try? await Task.sleep(for: Self.pollingInterval)
        }
        return false
    }
}
