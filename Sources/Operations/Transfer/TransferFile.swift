import Accounts
import Composition
import JSON
import Providers
import SignIn
import System

/// Notes what Apple has told already, from a file: reads it once to check every line, and once more to note them.
struct TransferFile: ~Copyable {
    /// Two texts of 255 bytes in JSON, and whatever else somebody has beside them.
    private static let maximumLineBytes = 1 << 14
    /// So many go into one commit; the server's own writes wait for it.
    private static let batchSize = 500
    /// Between two batches, so that a server's writes find a gap.
    private static let pause = Duration.milliseconds(5)

    /// What is wrong with a line. It never says what stands there.
    enum Fault: Error, Equatable, CustomStringConvertible {
        case tooLong, notAnObject, subject, transferSubject
        /// Each was told in that line already.
        case sameSubject(line: Int)
        case sameTransferSubject(line: Int)

        var description: String {
            switch self {
            case .tooLong: "it is too long"
            case .notAnObject: "it is no JSON object"
            case .subject: "it has no sub, or one that no ID token could have"
            case .transferSubject: "it has no transfer_sub, or one that no ID token could have"
            case .sameSubject(let line): "its sub stands in line \(line) already"
            case .sameTransferSubject(let line): "its transfer_sub stands in line \(line) already, for another sub"
            }
        }
    }

    let source: ImportSource
    /// Under which the subjects are stored.
    let issuer: String

    /// Notes every line, if all of them hold.
    func store(
        of transfer: TeamTransfer, in repository: any SubjectTransferRepository
    ) async throws -> TransferSummary {
        let bad = try check()
        guard bad == 0 else { throw StoreOptions.fail("\(bad) lines are bad. Nothing was stored.") }
        var summary = TransferSummary()
        let progress = ProgressReport("bytes stored")
        var lines = try source.lines(maximumLineBytes: Self.maximumLineBytes)
        var (batch, numbers, number) = ([SubjectTransfer](), [Int](), 0)
        while let line = try ImportSource.next(of: &lines) {
            number += 1
            guard let entry = try entry(line) else { continue }
            batch.append(entry)
            numbers.append(number)
            guard batch.count == Self.batchSize else { continue }
            try await note(batch, numbers, of: transfer, in: repository, &summary)
            (batch, numbers) = ([], [])
            try await Task.sleep(for: Self.pause)
            progress.tell(lines.offset, of: source.byteCount)
        }
        try await note(batch, numbers, of: transfer, in: repository, &summary)
        summary.counts = try await repository.transferCounts(transfer)
        return summary
    }

    private func note(
        _ batch: [SubjectTransfer], _ numbers: [Int], of transfer: TeamTransfer,
        in repository: any SubjectTransferRepository, _ summary: inout TransferSummary
    ) async throws(RepositoryError) {
        if batch.isEmpty { return }
        for (note, number) in zip(try await repository.noteTransfers(batch, of: transfer), numbers) {
            summary.add(note)
            if note == .taken { Self.tell(number, "its transfer_sub leads to another identity already") }
        }
    }

    /// - Returns: how many lines are bad, each of which was told.
    private func check() throws(FileError) -> Int {
        var (number, bad) = (0, 0)
        var (subjects, transfers) = ([Subject: Int](), [TokenHash: Int]())
        let progress = ProgressReport("bytes checked")
        var lines = try source.lines(maximumLineBytes: Self.maximumLineBytes)
        while let line = try ImportSource.next(of: &lines) {
            number += 1
            do throws(Fault) {
                guard let entry = try entry(line) else { continue }
                if let first = subjects[entry.subject] { throw .sameSubject(line: first) }
                // Whose it is can't be told; and it moves one.
                if let first = transfers[entry.hash] { throw .sameTransferSubject(line: first) }
                (subjects[entry.subject], transfers[entry.hash]) = (number, number)
            } catch {
                bad += 1
                Self.tell(number, "\(error)")
            }
            progress.tell(lines.offset, of: source.byteCount)
        }
        return bad
    }

    /// - Returns: nil for an empty line, which is no line at all.
    private func entry(_ line: LineReader.Line) throws(Fault) -> SubjectTransfer? {
        guard case .text(let bytes) = line else { throw .tooLong }
        if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
        guard let document = ProviderDocument.object(bytes.span) else { throw .notAnObject }
        guard let value = document["sub"]?.string, let subject = Subject.given(issuer: issuer, value: value) else {
            throw .subject
        }
        guard let transfer = TransferSubject(in: document) else { throw .transferSubject }
        return SubjectTransfer(subject: subject, hash: TransferKey.hash(of: transfer, at: issuer))
    }

    private static func tell(_ number: Int, _ what: String) { StandardError.write("line \(number): \(what)\n") }
}
