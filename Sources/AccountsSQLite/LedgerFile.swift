import Accounts
import Glibc

/// The ledger's file: one line a record, only ever added to.
///
/// Any number of processes may add to it without a lock. Each adds whole lines with one call behind whatever is there
/// (`O_APPEND`), and what two of them add is the same line twice, which is as good as once. So nobody ever waits for somebody
/// who was stopped.
struct LedgerFile {
    /// Where lines are looked for that are there already. One that stands further up is added again, without harm.
    private static let tailBytes = 1 << 16
    private static let newline = UInt8(ascii: "\n")

    let path: String

    /// Where the ledger of a database is.
    static func path(of database: String) -> String { resolved(database) + "-ledger" }

    /// Adds the lines that are not there, and returns when all of them are on disk. Makes the file when it is missing.
    func append(_ lines: [String]) throws(SystemFailure) {
        let descriptor = try systemCall {
            unsafe open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        defer { close(descriptor) }
        let tail = try Self.tail(descriptor)
        let known = Set(tail.split(separator: Self.newline).map { String(decoding: $0, as: UTF8.self) })
        let missing = lines.filter { !known.contains($0) }
        if !missing.isEmpty {
            var bytes = Array(missing.map { $0 + "\n" }.joined().utf8)
            // A line that a crash has torn ends here.
            if let last = tail.last, last != Self.newline { bytes.insert(Self.newline, at: 0) }
            try writeAll(bytes, to: descriptor)
        }
        // Also where another process has added them: it may not have come so far.
        try systemCall { fsync(descriptor) }
        if tail.isEmpty { try syncFolder(of: path) }
    }

    /// The last lines; the first of them may be a part of one. None when there is no file.
    func lastLines() throws(SystemFailure) -> [Substring] {
        let descriptor: Int32
        do throws(SystemFailure) {
            descriptor = try systemCall { unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        } catch {
            if error.code == ENOENT { return [] }
            throw error
        }
        defer { close(descriptor) }
        return Substring(decoding: try Self.tail(descriptor), as: UTF8.self).split(separator: "\n")
    }

    private static func tail(_ descriptor: Int32) throws(SystemFailure) -> [UInt8] {
        var status = stat()
        try systemCall { unsafe fstat(descriptor, &status) }
        let end = Int(status.st_size)
        let start = max(0, end - tailBytes)
        var bytes = [UInt8](repeating: 0, count: end - start)
        let count = try systemCall {
            unsafe bytes.withUnsafeMutableBytes {
                unsafe Int32(pread(descriptor, $0.baseAddress, $0.count, start))
            }
        }
        return Array(bytes.prefix(Int(count)))
    }
}
