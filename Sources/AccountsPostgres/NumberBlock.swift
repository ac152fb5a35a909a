import Accounts
import Postgres
import Synchronization

/// Numbers of rows, which an instance takes from the database a block at a time: what is sealed for a row is bound to its number
/// before the row is there. Those that are left when it ends are never given to anybody.
final class NumberBlock: Sendable {
    /// As the sequences count.
    private static let size: Int64 = 32

    private let next: Statement
    private let left = Mutex<Range<Int64>>(0..<0)

    init(sequence: StaticString) {
        next = Statement("SELECT nextval('\(sequence)')")
    }

    /// - Parameter work: whose number stays taken, whatever becomes of it.
    func take(_ work: Work) async throws(RepositoryError) -> Int64 {
        if let number = takeLeft() { return number }
        guard let start = try await work.first(next)?.integer(0) else { throw .unavailable(.corrupt) }
        return left.withLock { left in
            // Of two who came at once one keeps the rest of his.
            left = start + 1..<start + Self.size
            return start
        }
    }

    private func takeLeft() -> Int64? {
        left.withLock { left in
            guard let number = left.first else { return nil }
            left = left.dropFirst()
            return number
        }
    }
}
