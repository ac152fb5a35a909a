internal import CPostgres
import Dispatch
import Synchronization

/// A request to the server to stop what it does for one connection.
// @safe: the handle lives as long as this object and never leaves it.
@safe
final class Cancellation: Sendable {
    /// libpq makes a connection of its own for it and waits for that, so not on a loop.
    private static let queue = DispatchQueue(label: "gatehouse.postgres.cancel")
    private static let waiting = Atomic<Int>(0)
    /// How many may wait for a server that does not answer; it has other ways to notice that we are gone.
    private static let limit = 16

    // Safe: it is set once, used by blocks of a serial queue, and freed after them.
    private nonisolated(unsafe) let cancel: OpaquePointer

    /// Takes ownership.
    init(owning cancel: OpaquePointer) {
        unsafe self.cancel = unsafe cancel
    }

    deinit {
        unsafe PQfreeCancel(cancel)
    }

    /// Sends it off the loop. Nobody hears what came of it: it may come too late.
    func send() {
        guard Self.waiting.wrappingAdd(1, ordering: .relaxed).newValue <= Self.limit else {
            Self.waiting.wrappingSubtract(1, ordering: .relaxed)
            return
        }
        Self.queue.async {
            var message = [CChar](repeating: 0, count: 256)
            // Safe: libpq is told how long the room for its words is.
            _ = unsafe PQcancel(self.cancel, &message, Int32(message.count))
            Self.waiting.wrappingSubtract(1, ordering: .relaxed)
        }
    }
}
