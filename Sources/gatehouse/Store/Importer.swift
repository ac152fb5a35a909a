import Accounts
import Crypto
import JSON
internal import System

/// Brings users from elsewhere: reads the file once to check every line, and once more to store them. Neither memory nor
/// the time that others wait for the store grows with the file.
struct Importer: ~Copyable {
    /// A line of a user with a hundred identities and attributes has some tens of kilobytes.
    private static let maximumLineBytes = 1 << 20
    /// So many go into one commit; the server's own writes wait for it.
    private static let batchSize = 500
    /// Between two batches, so that a server's writes find a gap.
    private static let pause = Duration.milliseconds(5)
    private static let referenceBytes = 16

    /// What came of it.
    struct Summary {
        var (lines, bad) = (0, 0)
        var (created, alreadyThere, completed, conflicts) = (0, 0, 0, 0)
        var document: JSONValue {
            [
                "lines": .integer(Int64(lines)), "bad": .integer(Int64(bad)), "created": .integer(Int64(created)),
                "already_there": .integer(Int64(alreadyThere)), "completed": .integer(Int64(completed)),
                "conflicts": .integer(Int64(conflicts)),
            ]
        }
    }

    private struct Batch {
        var users: [ImportedUser] = []
        var lines: [Int] = []
    }

    let source: ImportSource
    let line: ImportLine
    /// Tells about one line: its number and a sentence without anything of its content.
    let tell: (_ line: Int, _ what: String) -> Void

    /// Checks every line and stores nothing.
    func check() throws(FileError) -> Summary {
        var summary = Summary()
        let progress = ProgressReport("bytes checked")
        var lines = try source.lines(maximumLineBytes: Self.maximumLineBytes)
        var number = 0
        while let next = try ImportSource.next(of: &lines) {
            number += 1
            if let fault = user(next, number, &summary).fault {
                summary.bad += 1
                tell(number, "\(fault)")
            }
            progress.tell(lines.offset, of: source.byteCount)
        }
        return summary
    }

    /// Stores every line that holds.
    ///
    /// - Parameters:
    ///   - checked: what ``check()`` has found.
    ///   - now: gives the time in seconds since 1970.
    func store(in repository: any OperatorRepository, checked: Summary, now: () -> Int64) async throws -> Summary {
        var summary = Summary()
        let progress = ProgressReport("lines imported")
        var lines = try source.lines(maximumLineBytes: Self.maximumLineBytes)
        var (batch, number) = (Batch(), 0)
        while let next = try ImportSource.next(of: &lines) {
            number += 1
            let found = user(next, number, &summary)
            if found.fault != nil { summary.bad += 1 }
            guard let user = found.user else { continue }
            batch.users.append(user)
            batch.lines.append(number)
            guard batch.users.count == Self.batchSize else { continue }
            try await store(batch, in: repository, now: now(), &summary)
            batch = Batch()
            try await Task.sleep(for: Self.pause)
            progress.tell(summary.lines, of: checked.lines)
        }
        try await store(batch, in: repository, now: now(), &summary)
        return summary
    }

    /// Reads a line. An empty one is no line at all.
    private func user(
        _ text: LineReader.Line, _ number: Int, _ summary: inout Summary
    ) -> (user: ImportedUser?, fault: ImportError?) {
        do throws(ImportError) {
            guard case .text(let bytes) = text else { throw .tooLong }
            if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return (nil, nil) }
            summary.lines += 1
            return (try line.user(bytes, reference: Random.token(byteCount: Self.referenceBytes)), nil)
        } catch {
            if error == .tooLong { summary.lines += 1 }
            return (nil, error)
        }
    }

    private func store(
        _ batch: Batch, in repository: any OperatorRepository, now: Int64, _ summary: inout Summary
    ) async throws(RepositoryError) {
        if batch.users.isEmpty { return }
        let results = try await repository.importUsers(batch.users, now: now)
        for (result, number) in zip(results, batch.lines) {
            switch result {
            case .created: summary.created += 1
            case .alreadyThere: summary.alreadyThere += 1
            case .completed: summary.completed += 1
            case .conflict:
                summary.conflicts += 1
                tell(number, "its identities belong to several users; nothing of it was stored")
            // Such a line was found bad before.
            case .noIdentity: summary.bad += 1
            }
        }
    }
}
