import EventLoop
import System

/// One deadline of the loop that may move at little cost.
///
/// Deadlines mostly move back. So the timer that runs is left alone, and looks where the deadline is when it fires.
final class MovableTimer: @unchecked Sendable {
    // Unchecked: touched on the loop's thread only, by its owner and by the timer it sets there.
    private let loop: EventLoop
    private let action: @Sendable () -> Void
    private(set) var deadline: MonotonicTime?
    private var running: (timer: LoopTimer, fires: MonotonicTime)?

    init(loop: EventLoop, action: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.action = action
    }

    /// Moves the deadline; nil takes it away.
    func move(to deadline: MonotonicTime?) {
        self.deadline = deadline
        guard let deadline, running.map({ deadline < $0.fires }) ?? true else { return }
        running?.timer.cancel()
        let timer = loop.schedule(after: deadline - .now) { [weak self] in self?.fire() }
        running = (timer, deadline)
    }

    /// Ends the timer for good.
    func cancel() {
        deadline = nil
        running?.timer.cancel()
        running = nil
    }

    private func fire() {
        running = nil
        guard let deadline else { return }
        if deadline <= .now {
            self.deadline = nil
            action()
        } else {
            move(to: deadline)
        }
    }
}
