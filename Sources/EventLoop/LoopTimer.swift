/// Something that a loop does once, later, unless it is cancelled before.
///
/// A timer is cheap to make but not free: a deadline that moves with every request is kept as a number beside one
/// timer, which looks at the number when it fires and sleeps again if there is time left.
public final class LoopTimer: @unchecked Sendable {
    // Unchecked: `action` is touched only on the loop's thread, which `EventLoop.schedule` and `cancel` check.
    private var action: (@Sendable () -> Void)?
    private let loop: EventLoop

    init(loop: EventLoop, action: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.action = action
    }

    /// Keeps the timer from firing. Call it on the loop.
    public func cancel() {
        loop.assertIsolated()
        guard action != nil else { return }
        action = nil
        loop.timers.noteCancellation()
    }

    var isCancelled: Bool { action == nil }

    func fire() {
        let action = action
        self.action = nil
        action?()
    }
}
