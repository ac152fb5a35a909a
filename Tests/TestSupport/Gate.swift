import Synchronization

/// Holds tasks back until it is opened, and tells when so many have come.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrived = 0
        var held: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    public init() {}

    /// Waits until the gate is open. Cancellation does not open it.
    public func pass() async {
        await withCheckedContinuation { continuation in
            let resumed = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.arrived += 1
                var resumed = state.watchers.filter { $0.count <= state.arrived }.map(\.continuation)
                state.watchers.removeAll { [arrived = state.arrived] in $0.count <= arrived }
                if state.isOpen { resumed.append(continuation) } else { state.held.append(continuation) }
                return resumed
            }
            for continuation in resumed { continuation.resume() }
        }
    }

    /// Waits until so many tasks have come to the gate.
    public func arrivals(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.arrived >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    public func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }
}
