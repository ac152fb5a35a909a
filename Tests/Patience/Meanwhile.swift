import Synchronization

/// Tells what goes on beside a test's work whether it still has to: until the work is over, or has had its time.
public final class Meanwhile: Sendable {
    private let isOver = Atomic(false)
    private let deadline: ContinuousClock.Instant

    /// - Parameter patience: how long the work may take on a busy machine.
    public init(within patience: Duration = .seconds(60)) {
        deadline = .now + patience
    }

    public var goesOn: Bool { !isOver.load(ordering: .acquiring) && ContinuousClock.now < deadline }

    public func end() { isOver.store(true, ordering: .releasing) }
}
