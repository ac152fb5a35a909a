internal import Synchronization

/// A step that ends elsewhere than it began, such as a wait that is over when another thread takes the work up.
public final class SharedStep: Sendable {
    /// What it is a part of; nil where that is not known.
    public let parent: StepScope?
    /// Nil once it has ended.
    private let open: Mutex<OpenStep?>

    init(_ step: consuming OpenStep, of parent: StepScope?) {
        self.parent = parent
        open = Mutex(step)
    }

    /// Ends it. Only the first call counts.
    public func end(_ outcome: StepOutcome = .done) {
        open.withLock { $0.take() }?.end(outcome)
    }
}
