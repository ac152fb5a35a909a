internal import Synchronization

/// The requests that a carrier asks its subscribers about, in memory, the newest last.
final class PushBook: Sendable {
    /// One of them.
    struct Entry: Sendable {
        let request: PushedRequest
        let subscriber: Subscriber
        /// Whether the subscriber has answered, or the client has taken it back.
        var isOver = false
    }

    private static let capacity = 10_000

    private let entries = Mutex<[Entry]>([])

    func add(_ request: PushedRequest, for subscriber: Subscriber) {
        entries.withLock { entries in
            entries.append(Entry(request: request, subscriber: subscriber))
            if entries.count > Self.capacity { entries.removeFirst(entries.count - Self.capacity) }
        }
    }

    /// Those that wait for an answer, the newest first.
    func pending(now: Int64) -> [Entry] {
        entries.withLock { $0.filter { !$0.isOver && $0.request.expiresAt > now }.reversed() }
    }

    /// Takes the newest request that fits, which is over from then on.
    ///
    /// - Parameter evenIfOver: takes one that is over already, too, for a carrier that says something late or again.
    func take(evenIfOver: Bool, now: Int64, where fits: (Entry) -> Bool) -> Entry? {
        entries.withLock { entries in
            guard
                let index = entries.lastIndex(where: {
                    fits($0) && (evenIfOver || !$0.isOver && $0.request.expiresAt > now)
                })
            else { return nil }
            entries[index].isOver = true
            return entries[index]
        }
    }
}
