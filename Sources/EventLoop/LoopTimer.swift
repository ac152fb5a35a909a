internal import HeapModule
public import System

/// Something that a loop does at a time that may move.
///
/// Deadlines mostly move back, a connection's with every request. So the loop looks at a timer when it was to fire
/// first, and once more at where its deadline has moved: moving it back, or taking the deadline away, costs the writing
/// of a number.
public final class LoopTimer: @unchecked Sendable {
    // Unchecked: everything but `loop` is touched only on the loop's thread, which every entry checks.
    private let loop: EventLoop
    private let firesOnce: Bool
    private var action: (@Sendable () -> Void)?
    /// When the action is due; nil when it is not.
    public private(set) var deadline: MonotonicTime?
    /// The one place in the queue that counts; nil when the loop does not look at the timer at all.
    var place: TimerQueue.Place?

    /// - Parameter firesOnce: whether the action is let go of once it has run.
    init(loop: EventLoop, firesOnce: Bool, action: @escaping @Sendable () -> Void) {
        (self.loop, self.firesOnce, self.action) = (loop, firesOnce, action)
    }

    /// Moves the deadline; nil takes it away. Call it on the loop.
    public func move(to deadline: MonotonicTime?) {
        loop.assertIsolated()
        guard action != nil else { return }
        self.deadline = deadline
        guard let deadline else { return }
        if let place, place.time <= deadline { return }
        loop.timers.add(self, at: deadline)
    }

    /// Ends the timer for good, and lets go of its action. Call it on the loop.
    public func cancel() {
        loop.assertIsolated()
        action = nil
        deadline = nil
        if place != nil { loop.timers.remove(self) }
    }

    /// Does what it is there for.
    func fire() {
        deadline = nil
        let action = action
        if firesOnce { self.action = nil }
        action?()
    }
}

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
