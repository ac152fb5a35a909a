import Accounts
import AccountsSQL
import Dispatch

/// A connection and the serial queue it lives on. SQLite blocks, so it never runs on a thread of Swift concurrency.
///
/// The connection opens with its first use, and anew after a failure that it may not survive.
// @unchecked: `connection` and `isClosed` are touched in `connect`, `discard` and `close` only, which run on `queue`.
final class ConnectionQueue: @unchecked Sendable {
    private let queue: DispatchQueue
    private let open: @Sendable () throws(RepositoryError) -> SQLiteConnection
    private var connection: SQLiteConnection?
    private var isClosed = false

    init(label: String, open: @escaping @Sendable () throws(RepositoryError) -> SQLiteConnection) {
        queue = DispatchQueue(label: label)
        self.open = open
    }

    func async(_ body: @escaping @Sendable () -> Void) {
        queue.async(execute: body)
    }

    /// The connection. Only on the queue.
    func connect() throws(RepositoryError) -> SQLiteConnection {
        dispatchPrecondition(condition: .onQueue(queue))
        if let connection { return connection }
        guard !isClosed else { throw .unavailable(.closed) }
        let connection = try open()
        self.connection = connection
        return connection
    }

    /// The connection, if there is one. Only on the queue.
    var current: SQLiteConnection? {
        dispatchPrecondition(condition: .onQueue(queue))
        return connection
    }

    /// Lets the connection go if it may not survive what it met. Only on the queue, with no statement running.
    func discard(after error: RepositoryError) {
        dispatchPrecondition(condition: .onQueue(queue))
        if case .unavailable(let reason) = error, !reason.leavesConnectionUsable { connection = nil }
    }

    /// Closes after everything that was queued before.
    ///
    /// - Parameter last: what is still to be done, before no connection can be had any more.
    /// - Parameter end: lets go of the connection, if there is one.
    func close(
        last: @escaping @Sendable () -> Void = {},
        end: @escaping @Sendable (inout SQLiteConnection?) -> Void = { $0 = nil }
    ) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            queue.async {
                last()
                self.isClosed = true
                end(&self.connection)
                continuation.resume()
            }
        }
    }
}
