import Accounts
import AccountsSQL
import Synchronization

/// A few connections that read, each on a queue of its own, taken in turn. A read sees every write acknowledged
/// before it began.
final class ReaderPool: Sendable {
    private let readers: [ConnectionQueue]
    private let limit: Int
    private let turn = Atomic<Int>(0)
    private let waiting = Atomic<Int>(0)

    init(_ settings: SQLiteSettings) {
        readers = (0..<max(1, settings.readers)).map { number in
            ConnectionQueue(label: "gatehouse.store.reader.\(number)") { () throws(RepositoryError) in
                try SQLiteConnection.reader(settings)
            }
        }
        limit = settings.readQueueLimit
    }

    /// Runs `body` on some connection.
    ///
    /// - Throws: what `body` throws, or `.unavailable`.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value {
        guard waiting.wrappingAdd(1, ordering: .relaxed).newValue <= limit else {
            waiting.wrappingSubtract(1, ordering: .relaxed)
            throw .unavailable(.overloaded)
        }
        let index = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        let reader = readers[Int(UInt(bitPattern: index) % UInt(readers.count))]
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, RepositoryError>, Never>) in
            reader.async {
                let result = Result { () throws(RepositoryError) in try body(try reader.connect()) }
                if case .failure(let error) = result { reader.discard(after: error) }
                self.waiting.wrappingSubtract(1, ordering: .relaxed)
                continuation.resume(returning: result)
            }
        }
        return try result.get()
    }

    /// Finishes what waits, then lets the connections go.
    func close() async {
        for reader in readers { await reader.close() }
    }
}
