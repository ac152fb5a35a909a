import Glibc

/// The name that a backup's file has until it is whole, and whose it is: whoever makes it holds a lock on it, which the kernel
/// lets go with the process. So a draft without that lock is what a killed process has left, and holds users.
///
/// Each has a name of its own, since a server may still be filling one whose tool is gone.
enum BackupDraft {
    private static let mark = "-draft-"
    private static let digits = 16
    private static let suffixes = ["", "-journal", "-wal", "-shm"]

    /// Makes an empty one, and removes those that others have left of the same backup.
    ///
    /// - Returns: its path, and the descriptor that holds the lock. To be closed when no connection has the file open any
    ///   more: with any descriptor of a file go the locks that SQLite has on it.
    static func make(for path: String) throws(SystemFailure) -> (path: String, lock: Int32) {
        removeLeftovers(of: path)
        while true {
            let number = String(UInt64.random(in: 0 ... .max), radix: 16)
            let draft = path + mark + String(repeating: "0", count: digits - number.utf8.count) + number
            // Made beforehand, since SQLite would give it the mode of any file.
            let lock = try systemCall { unsafe open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
            // Who looks whether it is locked has the lock for a moment.
            while flock(lock, LOCK_EX) != 0, errno == EINTR {}
            var status = stat()
            if unsafe fstat(lock, &status) == 0, status.st_nlink > 0 { return (draft, lock) }
            // Somebody has looked before it was locked, and has removed it.
            close(lock)
        }
    }

    static func remove(_ draft: String) {
        for suffix in suffixes { _ = unsafe unlink(draft + suffix) }
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
        guard let entries = unsafe opendir(folder) else { return }
        defer { unsafe closedir(entries) }
        while let entry = unsafe readdir(entries) {
            // Safe: the name ends with a zero within the entry, which stays as it is until the next call.
            let found = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: Int(entry.pointee.d_reclen)) {
                    unsafe String(cString: $0)
                }
            }
            guard found.hasPrefix(name + mark), isName(found[...]), found.count == name.count + mark.count + digits
            else { continue }
            _ = removeIfAbandoned(path[..<end] + found)
        }
    }

    /// Nobody gives such a name to anything else.
    private static func isName(_ path: Substring) -> Bool {
        let number = path.suffix(digits)
        return number.utf8.count == digits && path.dropLast(digits).hasSuffix(mark)
            && number.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func isAbandoned(_ path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && status.st_uid == geteuid() && flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
}
