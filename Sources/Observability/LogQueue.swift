internal import Dispatch
internal import Synchronization

/// The lines that wait to be written, between the many threads that log and the one that writes.
final class LogQueue: Sendable {
    fileprivate struct State {
        var waiting: [UInt8] = []
        /// Lines that were not written and not told of yet.
        var dropped = 0
        /// The same since the start, told or not.
        var droppedInAll = 0
        /// How many lines were ever taken in, how many of them the writer has in hand, and how many it is done with.
        var taken = 0
        var inHand = 0
        var done = 0
        var isWriterAsleep = false
        var hasEnded = false
        /// Who waits until so many lines are done.
        var waits: [(count: Int, signal: DispatchSemaphore)] = []
    }

    private let capacity: Int
    private let state = Mutex(State())
    private let work = DispatchSemaphore(value: 0)

    /// - Parameter capacity: in bytes.
    init(capacity: Int) {
        self.capacity = capacity
    }

    func append(_ line: [UInt8]) {
        let wakes = state.withLock { state in
            guard state.waiting.count + line.count <= capacity else {
                state.dropped += 1
                state.droppedInAll += 1
                return false
            }
            state.waiting.append(contentsOf: line)
            state.taken += 1
            return state.wakesWriter()
        }
        if wakes { work.signal() }
    }

    /// No line comes any more.
    func end() {
        let wakes = state.withLock { state in
            state.hasEnded = true
            return state.wakesWriter()
        }
        if wakes { work.signal() }
    }

    /// Waits for lines, and moves all of them into an empty batch. For the writer.
    ///
    /// - Returns: false when there are none and none will come.
    func take(_ batch: inout [UInt8]) -> Bool {
        while true {
            let isOver: Bool? = state.withLock { state in
                guard state.waiting.isEmpty else {
                    swap(&batch, &state.waiting)
                    state.inHand = state.taken
                    return false
                }
                state.isWriterAsleep = !state.hasEnded
                return state.hasEnded ? true : nil
            }
            if let isOver { return !isOver }
            work.wait()
        }
    }

    /// Counts lines that could not be written.
    func drop(_ lines: Int) {
        state.withLock { state in
            state.dropped += lines
            state.droppedInAll += lines
        }
    }

    /// How many lines were dropped since the start.
    var droppedInAll: Int { state.withLock(\.droppedInAll) }

    /// How many lines were dropped since it was asked for last; nil for none.
    func dropped() -> Int? {
        state.withLock { state in
            defer { state.dropped = 0 }
            return state.dropped == 0 ? nil : state.dropped
        }
    }

    /// The writer is done with what it took last.
    func noteWritten() {
        state.withLock { state in
            state.done = state.inHand
            state.waits.removeAll { wait in
                guard wait.count <= state.done else { return false }
                wait.signal.signal()
                return true
            }
        }
    }

    /// Waits until the writer is done with every line taken so far.
    func awaitWritten(within time: Duration) -> Bool {
        let signal = DispatchSemaphore(value: 0)
        let isDone = state.withLock { state in
            guard state.done < state.taken else { return true }
            state.waits.append((state.taken, signal))
            return false
        }
        return isDone || signal.wait(timeout: .now() + time / .seconds(1)) == .success
    }
}

extension LogQueue.State {
    /// Whether it is up to the caller to wake the writer: only one does.
    fileprivate mutating func wakesWriter() -> Bool {
        defer { isWriterAsleep = false }
        return isWriterAsleep
    }
}
