public import Accounts
public import AccountsSQL
import Dispatch
import Glibc
import System

/// A ledger in two files: one of lines that only grows, and one beside it that has how far the store had come.
///
/// Any number of processes may share them, on one machine or by a file system that locks for all.
public final class FileLedger: StoreLedger {
    private static let maximumLineBytes = 1024
    private static let maximumMarkBytes = 4096
    /// Of a thousandth of a second each.
    private static let lockTries = 1000
    private static let lockPause: UInt32 = 1000

    private let path: String
    private let queue = DispatchQueue(label: "gatehouse.store.ledger")

    /// - Parameter path: of the lines.
    public init(path: String) {
        self.path = path
    }

    private var markPath: String { path + "-mark" }

    public func append(_ lines: [(number: Int64, line: String)]) async throws(RepositoryError) {
        try await onQueue { path throws(SystemError) in
            try FileNames.makeFolders(of: path)
            try LedgerFile(path: path).append(lines.map(\.line))
        }
    }

    public func note(_ change: @escaping @Sendable (String?) -> String?) async throws(RepositoryError) -> String? {
        let mark = markPath
        return try await onQueue { path throws(SystemError) in
            try FileNames.makeFolders(of: path)
            // Not the mark itself, which is another file after each change.
            let lock = try File(path, O_RDWR | O_CREAT | O_NOFOLLOW)
            try Self.take(lock)
            defer { lock.unlock() }
            let former = try Self.content(of: mark)
            guard let next = change(former) else { return former }
            if next == former { return former }
            let draft = mark + "-new"
            do {
                let file = try File(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
                try file.write(Array((next + "\n").utf8).span)
                try file.sync()
            }
            try FileNames.rename(draft, to: mark)
            if former == nil { try FileNames.syncFolder(of: mark) }
            return next
        }
    }

    public func lines(after number: Int64) async throws(RepositoryError) -> [String] {
        try await onQueue { path throws(SystemError) in
            guard FileNames.exists(path) else { return [] }
            var reader = LineReader(try File(path, O_RDONLY), maximumLineBytes: Self.maximumLineBytes)
            var lines: [String] = []
            // What has no end is no line: a crash has torn it, and nobody was told of it.
            while let line = try reader.next(), reader.isEnded {
                guard case .text(let bytes) = line else { continue }
                let text = String(decoding: bytes, as: UTF8.self)
                guard let first = text.split(separator: " ").first, let own = Int64(first), own > number else {
                    continue
                }
                lines.append(text)
            }
            return lines
        }
    }

    public func close() async {}

    /// Waits for others, but for none that was stopped meanwhile.
    private static func take(_ lock: borrowing File) throws(SystemError) {
        for _ in 0..<lockTries {
            if try lock.lock(isShared: false) { return }
            usleep(lockPause)
        }
        throw SystemError(call: "flock", code: EAGAIN)
    }

    private static func content(of path: String) throws(SystemError) -> String? {
        guard FileNames.exists(path) else { return nil }
        let bytes = try File(path, O_RDONLY).readAll(limit: maximumMarkBytes)
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    private func onQueue<Value: Sendable>(
        _ body: @escaping @Sendable (String) throws(SystemError) -> Value
    ) async throws(RepositoryError) -> Value {
        let path = path
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, SystemError>, Never>) in
            queue.async {
                continuation.resume(returning: Result { () throws(SystemError) in try body(path) })
            }
        }
        do throws(SystemError) { return try result.get() } catch { throw .unavailable(error.unavailability) }
    }
}
