import Accounts
import Glibc

/// Why a file is not in the store's place.
enum ReplacementFailure: Error, Equatable {
    /// And nothing has changed.
    case notBegun(Unavailability)
    /// But it is decided, and who opens the store next goes on.
    case unfinished(Unavailability)
}

/// Puts another file in the place of the store, so that a crash leaves the old store or the new one, and never one with the
/// log of the other.
///
/// What is to come lies, whole and on disk, beside the store under a name that says what it is. With that name it is decided:
/// whoever opens the store next, under the server's lock, does what is left of ``finish(_:)``, each step of which may be done
/// again. Until then everything is as it was.
enum Replacement: String, CaseIterable {
    /// A backup. The former store is kept under a name with the time.
    case restored = "-restored"
    /// The store itself without its free pages. Nothing is kept.
    case compacted = "-compacted"

    static func isUnfinished(_ path: String) -> Bool {
        allCases.contains { databaseFileExists(at: resolved(path) + $0.rawValue) }
    }

    /// Decides that a file, which is on disk, takes the store's place. Under both locks, with no connection open.
    ///
    /// - Returns: where the former store is; nil where nothing was kept.
    func publish(_ draft: String, at path: String) throws(ReplacementFailure) -> String? {
        let path = resolved(path)
        do throws(SystemFailure) {
            try systemCall { unsafe rename(draft, path + rawValue) }
        } catch {
            throw .notBegun(error.unavailability)
        }
        do throws(SystemFailure) {
            try syncFolder(of: path)
            return try finish(path)
        } catch {
            throw .unfinished(error.unavailability)
        }
    }

    /// Does what was decided. Under both locks, with no connection open.
    static func finish(_ path: String) throws(RepositoryError) {
        let path = resolved(path)
        do throws(SystemFailure) {
            for kind in allCases where databaseFileExists(at: path + kind.rawValue) { _ = try kind.finish(path) }
        } catch {
            throw .unavailable(error.unavailability)
        }
    }

    private func finish(_ path: String) throws(SystemFailure) -> String? {
        let coming = path + rawValue
        let former = try formerName(path, coming)
        // The store with its log first: one without the other would be less than it was.
        if let former {
            try unless(EEXIST) { () throws(SystemFailure) in try systemCall { unsafe link(path, former) } }
            try unless(ENOENT) { () throws(SystemFailure) in
                try systemCall { unsafe rename(path + "-wal", former + "-wal") }
            }
        }
        for suffix in ["-wal", "-shm", "-journal"] {
            try unless(ENOENT) { () throws(SystemFailure) in try systemCall { unsafe unlink(path + suffix) } }
        }
        // The log's name is gone from the disk before the new store has its own.
        try syncFolder(of: path)
        try systemCall { unsafe rename(coming, path) }
        try syncFolder(of: path)
        return former
    }

    /// The same name however often it is asked for: it has the time at which the new file was written.
    private func formerName(_ path: String, _ coming: String) throws(SystemFailure) -> String? {
        guard self == .restored, databaseFileExists(at: path) else { return nil }
        var status = stat()
        try systemCall { unsafe stat(coming, &status) }
        return "\(path)-former-\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }

    private func unless(_ code: Int32, _ body: () throws(SystemFailure) -> Void) throws(SystemFailure) {
        do throws(SystemFailure) { try body() } catch { if error.code != code { throw error } }
    }
}
