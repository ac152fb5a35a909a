internal import Synchronization

/// A step that ends elsewhere than it began, such as a wait that is over when another thread takes the work up.
public final class SharedStep: Sendable {
    /// Nil once it has ended.
    private let open: Mutex<OpenStep?>

    fileprivate init(_ step: consuming OpenStep) {
        open = Mutex(step)
    }

    /// Ends it. Only the first call counts.
    public func end(_ outcome: StepOutcome = .done) {
        open.withLock { $0.take() }?.end(outcome)
    }
}

extension Observers {
    /// Begins a step that is handed on to where it ends.
    ///
    /// - Parameter parent: what it is a part of.
    /// - Returns: nil where nobody looks.
    public func beginShared(_ step: @autoclosure () -> Step, partOf parent: StepID? = nil) -> SharedStep? {
        let open = begin(step(), partOf: parent)
        return open.id == nil ? nil : SharedStep(open)
    }
}
