import CSQLite

/// How long the write-ahead log is, as the commits of one connection leave it.
///
/// It belongs to that connection and is touched by its queue alone.
final class LogLength {
    private var pages: Int?

    /// Is told by SQLite from now on. It must outlive the connection.
    func attend(_ database: OpaquePointer) {
        // SQLite calls within a commit of the connection only, and this object is the connection's own.
        _ = unsafe sqlite3_wal_hook(
            database,
            { context, _, _, pages in
                guard let context = unsafe context else { return SQLITE_OK }
                unsafe Unmanaged<LogLength>.fromOpaque(context).takeUnretainedValue().pages = Int(pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// - Returns: how many pages were in the log after the last commit that wrote any; nil when none did since this was
    ///   last asked.
    func takePages() -> Int? {
        defer { pages = nil }
        return pages
    }
}
