public import Accounts
import AccountsSQL

/// How far a backup is.
public enum BackupProgress: Sendable, Equatable {
    /// Pages, of how many.
    case copied(Int, of: Int)
    /// Sealed values that were tried in the copy, of about how many.
    case examined(Int, of: Int)
}

extension SQLiteAccounts {
    /// So many pages hold up a sign-in for about a millisecond.
    private static let pagesPerStep: Int32 = 256
    /// How often the copy may begin anew because somebody else writes, before it is made in one long read.
    private static let restartLimit = 3

    /// Copies the store, as of one moment, into a new file, while it serves. The copy has the data keys, sealed under
    /// the master key as ever, and not the master key. It is examined, as ``check(progress:)`` examines the store,
    /// before it gets its name.
    ///
    /// A server copies through the connection that writes, between commits, which thereby reach the copy too, and the
    /// log is started over as ever. A tool has the server beside it do so. Where that does not answer, the tool copies
    /// by itself, and begins anew when somebody writes; after three times it is one long read, during which the log
    /// grows by what is written.
    ///
    /// - Parameters:
    ///   - path: a file that must not exist, in a folder that must. It gets its name when it is whole and on disk.
    ///   - progress: called now and then, on any thread.
    /// - Throws: `.fileExists`; `.unavailable`, with `.corrupt` for a copy that does not hold.
    public func backup(
        to path: String, progress: @escaping @Sendable (BackupProgress) -> Void = { _ in }
    ) async throws(RepositoryError) {
        var file = try BackupFile(for: path)
        // The closures that hold it too end on other threads, maybe later: it is gone when this has returned.
        defer { file.discard() }
        let settings = settings
        let isCopied =
            if settings.access == .besideServer {
                try await copyByServer(to: file.draft, progress)
            } else {
                try await copyThroughWriter(
                    to: { [file] () throws(RepositoryError) in try file.target() }, progress)
            }
        if !isCopied {
            // Another file: who was to fill that one may still be at it.
            file = try BackupFile(for: path)
            try await Self.aside("gatehouse.store.backup") { () throws(RepositoryError) in
                try SQLiteConnection.reader(settings)
            } body: { [file] connection throws(RepositoryError) in
                try Self.copy(connection, to: file, progress)
            }
        }
        try await Self.aside("gatehouse.store.backup.check") { [file] () throws(RepositoryError) in
            try file.settled()
        } body: { [sealer, tables] connection throws(RepositoryError) in
            let findings = try Self.examine(connection, sealer, tables) { progress(.examined($0, of: $1)) }
            guard findings.isEmpty else { throw .unavailable(.corrupt) }
        }
        try file.publish()
    }

    /// - Parameter target: makes the connection to copy into.
    /// - Returns: false when others write all the time, so that it would come to no end, or nobody wants it any more.
    func copyThroughWriter(
        to target: @escaping @Sendable () throws(RepositoryError) -> SQLiteConnection,
        _ progress: @escaping @Sendable (BackupProgress) -> Void = { _ in }
    ) async throws(RepositoryError) -> Bool {
        let copy = try await writer.between { connection throws(RepositoryError) in
            try PageCopy(from: connection, to: try target())
        }
        var isWhole = Result<Bool, RepositoryError>.success(false)
        while case .success(false) = isWhole, !Task.isCancelled {
            do throws(RepositoryError) {
                let hasMore = try await writer.between { _ throws(RepositoryError) in
                    defer { progress(.copied(copy.copied, of: copy.total)) }
                    return try copy.step(pages: Self.pagesPerStep)
                }
                if hasMore, copy.restarts >= Self.restartLimit { break }
                isWhole = .success(!hasMore)
            } catch {
                isWhole = .failure(error)
            }
        }
        // The source is the writer's, and so is the time to let it go. Where it is closed, nobody has it any more.
        try? await writer.between { _ in copy.finish() }
        return try isWhole.get()
    }

    /// In steps while nobody else writes, else in one read.
    private static func copy(
        _ connection: SQLiteConnection, to file: BackupFile, _ progress: (BackupProgress) -> Void
    ) throws(RepositoryError) {
        let copy = try PageCopy(from: connection, to: try file.target())
        func step() throws(RepositoryError) -> Bool {
            defer { progress(.copied(copy.copied, of: copy.total)) }
            return try copy.step(pages: pagesPerStep)
        }
        while copy.restarts < restartLimit { if try !step() { return } }
        try connection.snapshot { () throws(RepositoryError) in
            // The transaction begins with the first read.
            _ = try connection.userCount()
            while try step() {}
        }
    }
}
