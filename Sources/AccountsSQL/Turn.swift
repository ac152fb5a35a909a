import Synchronization

/// What those have in common who do something with the same row at the same time.
public final class Turn: Sendable {
    /// The one that the task has taken.
    @TaskLocal public static var current: Turn?

    private let locked = Atomic(false)

    /// Whether somebody has found the row locked for long: others would, too.
    public var isLocked: Bool { locked.load(ordering: .relaxed) }

    public func noteLocked() { locked.store(true, ordering: .relaxed) }
}
