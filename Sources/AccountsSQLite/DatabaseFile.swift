import Accounts
import Glibc

/// Makes the database file and its folders, for the owner alone: SQLite gives its log the mode of the database.
///
/// An existing file is not even opened: closing it would drop the locks that SQLite may hold on it in this process.
func makeDatabaseFile(at path: String) throws(RepositoryError) {
    do throws(SystemFailure) {
        var folder = ""
        for component in path.split(separator: "/", omittingEmptySubsequences: false).dropLast() {
            folder += component + "/"
            if !component.isEmpty, unsafe access(folder, F_OK) != 0 {
                try unlessItExists { () throws(SystemFailure) in try systemCall { unsafe mkdir(folder, 0o700) } }
            }
        }
        try unlessItExists { () throws(SystemFailure) in
            let descriptor = try systemCall { unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
            close(descriptor)
        }
    } catch {
        throw .unavailable(error.unavailability)
    }
}

/// Where a file really lies, behind all symbolic links; the same path when that can't be found out.
func resolved(_ path: String) -> String {
    guard let real = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
}

func databaseFileExists(at path: String) -> Bool {
    unsafe access(path, F_OK) == 0
}

private func unlessItExists(_ body: () throws(SystemFailure) -> Void) throws(SystemFailure) {
    do throws(SystemFailure) { try body() } catch { if error.code != EEXIST { throw error } }
}
