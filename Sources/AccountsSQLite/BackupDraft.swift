import Glibc
import Syntax
import System

/// The name that a backup's file has until it is whole, and whose it is. Its process holds a lock on it, which the
/// kernel releases when the process ends. So a draft without that lock was left by a killed process, and holds users.
///
/// Each has a name of its own, since a server may still be filling one whose tool is gone.
enum BackupDraft {
    /// A draft and the lock on it. To be let go when no connection has the file open any more: with any descriptor of a
    /// file go the locks that SQLite has on it.
    struct Made: ~Copyable {
        let path: String
        let file: File
    }

    private static let mark = "-draft-"
    private static let digits = 16
    private static let lockPause: useconds_t = 100
    private static let suffixes = ["", "-journal", "-wal", "-shm"]

    /// Makes an empty one, and removes those that others have left of the same backup.
    ///
    static func make(for path: String) throws(SystemError) -> Made {
        removeLeftovers(of: path)
        while true {
            let number = String(UInt64.random(in: 0 ... .max), radix: 16)
            let draft = path + mark + String(repeating: "0", count: digits - number.utf8.count) + number
            // Made beforehand, since SQLite would give it the mode of any file.
            let file = try File(draft, O_RDWR | O_CREAT | O_EXCL)
            // Who looks whether it is locked has the lock for a moment, and removes the file if that comes first.
            while try !file.lock(isShared: false) { usleep(lockPause) }
            if try file.status().names > 0 { return Made(path: draft, file: file) }
        }
    }

    static func remove(_ draft: String) {
        for suffix in suffixes { try? FileNames.remove(draft + suffix) }
    }

    /// Removes a file that can only be a draft that nobody makes any more.
    ///
    /// - Returns: whether it was one.
    static func removeIfAbandoned(_ path: String) -> Bool {
        guard isName(path[...]), isAbandoned(path) else { return false }
        remove(path)
        return true
    }

    private static func removeLeftovers(of path: String) {
        let end = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let (folder, name) = (end == path.startIndex ? "." : String(path[..<end]), path[end...])
        for found in FileNames.names(in: folder) {
            guard found.hasPrefix(name + mark), isName(found[...]), found.count == name.count + mark.count + digits
            else { continue }
            _ = removeIfAbandoned(path[..<end] + found)
        }
    }

    /// Nobody gives such a name to anything else.
    private static func isName(_ path: Substring) -> Bool {
        let number = path.suffix(digits)
        return number.utf8.count == digits && path.dropLast(digits).hasSuffix(mark)
            && number.utf8.allSatisfy { $0.hexadecimalValue?.hexadecimalDigit == $0 }
    }

    private static func isAbandoned(_ path: String) -> Bool {
        guard let file = try? File(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK), let status = try? file.status() else {
            return false
        }
        return status.isRegular && status.owner == geteuid() && (try? file.lock(isShared: false)) == true
    }
}
