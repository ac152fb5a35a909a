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
        self.loop = loop
        self.firesOnce = firesOnce
        self.action = action
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
