internal import HeapModule
import System

/// The timers of one loop, the earliest first.
struct TimerQueue {
    /// Where a timer stands in the queue.
    struct Place: Comparable {
        let time: MonotonicTime
        /// Timers of one instant fire in the order they were set.
        let sequence: UInt64

        static func < (left: Place, right: Place) -> Bool {
            (left.time, left.sequence) < (right.time, right.sequence)
        }
    }

    private struct Entry: Comparable {
        let place: Place
        let timer: LoopTimer

        /// Whether it is the timer's one place, and not one that it has left.
        var counts: Bool { timer.place == place }

        static func == (left: Entry, right: Entry) -> Bool { left.place == right.place }
        static func < (left: Entry, right: Entry) -> Bool { left.place < right.place }
    }

    private var heap = Heap<Entry>()
    /// How many entries are of timers that stand elsewhere by now, or nowhere.
    private var abandoned = 0
    private var sequence: UInt64 = 0

    /// When to look again. It may be too early: an abandoned place counts, and so does one whose timer has moved back.
    var nextDeadline: MonotonicTime? { heap.min?.place.time }

    /// Gives a timer a place, in place of the one it has.
    mutating func add(_ timer: LoopTimer, at time: MonotonicTime) {
        if timer.place != nil { remove(timer) }
        sequence += 1
        let place = Place(time: time, sequence: sequence)
        timer.place = place
        heap.insert(Entry(place: place, timer: timer))
    }

    /// Takes a timer out that has a place.
    mutating func remove(_ timer: LoopTimer) {
        timer.place = nil
        abandoned += 1
        // Abandoned entries stay where they are until they would be most of the queue.
        guard abandoned > 1024, abandoned > heap.count / 2 else { return }
        heap = Heap(heap.unordered.filter(\.counts))
        abandoned = 0
    }

    /// Takes out one timer that is due, or nil.
    mutating func popDue(_ now: MonotonicTime) -> LoopTimer? {
        while let entry = heap.min, entry.place.time <= now {
            _ = heap.popMin()
            let timer = entry.timer
            guard entry.counts else {
                abandoned -= 1
                continue
            }
            timer.place = nil
            guard let deadline = timer.deadline else { continue }
            // Also where it has passed by now: timers of other deadlines may come before it.
            guard deadline > entry.place.time else { return timer }
            add(timer, at: deadline)
        }
        return nil
    }
}
