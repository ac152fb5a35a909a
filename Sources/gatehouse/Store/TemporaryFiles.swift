import Glibc
import Settings

/// Where SQLite keeps what it sorts while it brings a store up to date.
enum TemporaryFiles {
    /// Has it keep that beside the database: it is what the database holds and may be as large, and `/tmp` is often small,
    /// in memory, or others'. Whoever sets `SQLITE_TMPDIR` knows a better place.
    ///
    /// It changes the environment, so it is for the beginning of a process.
    static func keep(beside storage: Settings.Storage) {
        guard case .file(let path) = storage.url else { return }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        _ = unsafe setenv("SQLITE_TMPDIR", folder, 0)
    }
}
