import Accounts
import Dispatch

/// A connection and the serial queue it lives on. SQLite blocks, so it never runs on a thread of Swift concurrency.
///
/// The connection opens with its first use, and anew after a failure that it may not survive.
// @unchecked: `connection` and `isClosed` are touched in `connect`, `discard` and `close` only, which run on `queue`.
final class ConnectionQueue: @unchecked Sendable {
    private let queue: DispatchQueue
    private let open: @Sendable () throws(RepositoryError) -> Connection
    private var connection: Connection?
    private var isClosed = false

    init(label: String, open: @escaping @Sendable () throws(RepositoryError) -> Connection) {
        queue = DispatchQueue(label: label)
        self.open = open
    }

    func async(_ body: @escaping @Sendable () -> Void) {
        queue.async(execute: body)
    }

    /// The connection. Only on the queue.
    func connect() throws(RepositoryError) -> Connection {
        dispatchPrecondition(condition: .onQueue(queue))
        if let connection { return connection }
        guard !isClosed else { throw .unavailable(.closed) }
        let connection = try open()
        self.connection = connection
        return connection
    }

    /// Lets the connection go if it may not survive what it met. Only on the queue, with no statement running.
    func discard(after error: RepositoryError) {
        dispatchPrecondition(condition: .onQueue(queue))
        if case .unavailable(let reason) = error, !reason.leavesConnectionUsable { connection = nil }
    }

    /// Closes after everything that was queued before.
    func close() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            queue.async {
                self.isClosed = true
                self.connection = nil
                continuation.resume()
            }
        }
    }
}
