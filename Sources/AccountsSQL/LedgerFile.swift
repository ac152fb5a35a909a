package import Accounts
internal import Glibc
package import System

/// The ledger's file: one line a record, only ever added to.
///
/// Any number of processes may add to it without a lock. Each adds whole lines with one call behind whatever is there
/// (`O_APPEND`), and what two of them add is the same line twice, which is as good as once. So nobody ever waits for
/// somebody who was stopped.
package struct LedgerFile {
    /// Where lines are looked for that are there already. One that stands further up is added again, without harm.
    private static let tailBytes = 1 << 16
    private static let newline = UInt8(ascii: "\n")

    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// Where the ledger of a database is.
    package static func path(of database: String) -> String { FileNames.resolved(database) + "-ledger" }

    /// Adds the lines that are not there, and returns when all of them are on disk. Makes the file when it is missing.
    package func append(_ lines: [String]) throws(SystemError) {
        let file = try File(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW)
        let tail = try Self.tail(file)
        let known = Set(tail.split(separator: Self.newline).map { String(decoding: $0, as: UTF8.self) })
        let missing = lines.filter { !known.contains($0) }
        if !missing.isEmpty {
            var bytes = Array(missing.map { $0 + "\n" }.joined().utf8)
            // A line that a crash has torn ends here.
            if let last = tail.last, last != Self.newline { bytes.insert(Self.newline, at: 0) }
            try file.write(bytes.span)
        }
        // Also where another process has added them: it may not have come so far.
        try file.sync()
        if tail.isEmpty { try FileNames.syncFolder(of: path) }
    }

    /// The last lines; the first of them may be a part of one. None when there is no file.
    package func lastLines() throws(SystemError) -> [Substring] {
        do throws(SystemError) {
            let tail = try Self.tail(File(path, O_RDONLY | O_NOFOLLOW))
            return Substring(decoding: tail, as: UTF8.self).split(separator: "\n")
        } catch {
            if error.code == ENOENT { return [] }
            throw error
        }
    }

    private static func tail(_ file: borrowing File) throws(SystemError) -> [UInt8] {
        let end = Int(try file.status().size)
        let start = max(0, end - tailBytes)
        var bytes = [UInt8](repeating: 0, count: end - start)
        let count = try file.read(into: &bytes, at: start)
        return Array(bytes.prefix(count))
    }
}

extension SystemError {
    /// What of it concerns the store.
    package var unavailability: Unavailability {
        switch code {
        // The last is a limit of the file's size.
        case ENOSPC, EDQUOT, EFBIG: .diskFull
        case EROFS: .readOnly
        case EIO: .inputOutput
        default: .cannotOpen
        }
    }
}
