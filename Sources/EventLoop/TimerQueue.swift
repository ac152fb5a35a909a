internal import HeapModule
import System

/// The timers of one loop, the earliest first.
struct TimerQueue {
    private struct Entry: Comparable {
        let deadline: MonotonicTime
        /// Timers of one instant fire in the order they were set.
        let sequence: UInt64
        let timer: LoopTimer

        static func == (left: Entry, right: Entry) -> Bool { left.sequence == right.sequence }
        static func < (left: Entry, right: Entry) -> Bool {
            (left.deadline, left.sequence) < (right.deadline, right.sequence)
        }
    }

    private var heap = Heap<Entry>()
    private var cancelled = 0
    private var sequence: UInt64 = 0

    /// When the next timer is due; a cancelled one may still count until its time has passed.
    var nextDeadline: MonotonicTime? { heap.min?.deadline }

    mutating func add(_ timer: LoopTimer, at deadline: MonotonicTime) {
        sequence += 1
        heap.insert(Entry(deadline: deadline, sequence: sequence, timer: timer))
    }

    /// Takes out one timer that is due, or nil.
    mutating func popDue(_ now: MonotonicTime) -> LoopTimer? {
        while let entry = heap.min, entry.deadline <= now {
            _ = heap.popMin()
            if !entry.timer.isCancelled { return entry.timer }
            cancelled -= 1
        }
        return nil
    }

    /// Cancelled timers stay where they are until they would be most of the queue.
    mutating func noteCancellation() {
        cancelled += 1
        guard cancelled > 1024, cancelled > heap.count / 2 else { return }
        heap = Heap(heap.unordered.filter { !$0.timer.isCancelled })
        cancelled = 0
    }
}
