import Accounts
import Composition

/// Brings users from elsewhere: reads the file once to check every line, or element, and once more to store them.
/// Neither memory nor the time that others wait for the store grows with the file.
struct Importer: ~Copyable {
    /// A line of a user with a hundred identities and attributes has some tens of kilobytes.
    private static let maximumRecordBytes = 1 << 20
    /// So many go into one commit; the server's own writes wait for it.
    private static let batchSize = 500
    /// Between two batches, so that a server's writes find a gap.
    private static let pause = Duration.milliseconds(5)

    private struct Batch {
        var users: [ImportedUser] = []
        var lines: [Int] = []
    }

    let source: ImportSource
    let reading: ImportReading
    /// Tells about one line: its number and a sentence without anything of its content.
    let tell: (_ line: Int, _ what: String) -> Void

    /// Checks every line and stores nothing.
    func check() throws(FileError) -> ImportSummary {
        var summary = emptySummary
        let progress = ProgressReport("bytes checked")
        var reader = try source.users(reading, maximumBytes: Self.maximumRecordBytes)
        while let next = try reader.next(&summary) {
            if case .fault(let fault) = next.found {
                summary.bad += 1
                tell(next.number, "\(fault)")
            }
            progress.tell(reader.offset, of: source.byteCount)
        }
        return summary
    }

    /// Stores every line that holds.
    ///
    /// - Parameters:
    ///   - checked: what ``check()`` has found.
    ///   - now: gives the time in seconds since 1970.
    func store(in repository: any OperatorRepository, checked: ImportSummary, now: () -> Int64) async throws
        -> ImportSummary
    {
        var summary = emptySummary
        let progress = ProgressReport("lines imported")
        var reader = try source.users(reading, maximumBytes: Self.maximumRecordBytes)
        var batch = Batch()
        while let next = try reader.next(&summary) {
            switch next.found {
            case .fault:
                summary.bad += 1
                continue
            case .nobody: continue
            case .user(let user): batch.users.append(user)
            }
            batch.lines.append(next.number)
            guard batch.users.count == Self.batchSize else { continue }
            try await store(batch, in: repository, now: now(), &summary)
            batch = Batch()
            try await Task.sleep(for: Self.pause)
            progress.tell(summary.lines, of: checked.lines)
        }
        try await store(batch, in: repository, now: now(), &summary)
        return summary
    }

    private var emptySummary: ImportSummary {
        var summary = ImportSummary()
        if case .exported = reading { summary.leftOut = ImportSummary.LeftOut() }
        return summary
    }

    private func store(
        _ batch: Batch, in repository: any OperatorRepository, now: Int64, _ summary: inout ImportSummary
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
