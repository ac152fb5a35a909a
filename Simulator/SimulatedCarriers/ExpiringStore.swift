internal import Synchronization

/// Values by name, each for a time; the oldest go first when there are too many, so that load can't fill the memory.
final class ExpiringStore<Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        let expiry: Int64
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// The names in the order they came, which is the order they expire in.
        var names: [String] = []
        var oldest = 0
    }

    private let lifetime: Int64
    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter lifetime: in seconds.
    init(lifetime: Int64, capacity: Int) {
        self.lifetime = lifetime
        self.capacity = capacity
    }

    /// Keeps a value under a new name.
    func insert(_ value: Value, as name: String, now: Int64) {
        state.withLock { state in
            state.entries[name] = Entry(value: value, expiry: now + lifetime)
            state.names.append(name)
            removeOld(&state, now: now)
        }
    }

    /// Reads or changes the value of a name in one step; `body` gets nil when there is none or its time is up.
    func with<Result: Sendable>(_ name: String, now: Int64, _ body: (inout Value?) -> Result) -> Result {
        state.withLock { state in
            guard var entry = state.entries[name], entry.expiry > now else {
                var none: Value?
                return body(&none)
            }
            var value: Value? = entry.value
            let result = body(&value)
            if let value {
                entry.value = value
                state.entries[name] = entry
            } else {
                state.entries[name] = nil
            }
            return result
        }
    }

    func value(_ name: String, now: Int64) -> Value? { with(name, now: now) { $0 } }

    private func removeOld(_ state: inout State, now: Int64) {
        while state.oldest < state.names.count {
            let name = state.names[state.oldest]
            let isOld = state.entries[name].map { $0.expiry <= now } ?? true
            guard isOld || state.entries.count > capacity else { break }
            state.entries[name] = nil
            state.oldest += 1
        }
        if state.oldest > 1_024, state.oldest * 2 > state.names.count {
            state.names.removeFirst(state.oldest)
            state.oldest = 0
        }
    }
}
