/// An actor that lives on one event loop: its isolated code runs on the loop's thread and nowhere else.
///
/// Sockets and transfers are such actors. Two of them on one loop call each other without a change of threads.
public protocol LoopBound: Actor {
    nonisolated var loop: EventLoop { get }
}

extension LoopBound {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Calls a function of this actor at once, for who is on its loop already. It does what `assumeIsolated` does, which
    /// allocates twice for the closure it is given: too much for what every request comes by.
    ///
    /// - Parameter function: one that captures nothing, such as `{ $0.isReady($1) }`.
    @inlinable
    public nonisolated func assumeOnLoop<Argument>(
        _ argument: Argument, _ function: @escaping @Sendable (isolated Self, Argument) -> Void
    ) {
        precondition(loop.isCurrent, "this actor may be entered on the thread of its loop only")
        // Where a parameter is isolated is known to the compiler alone and changes nothing in a call; that it is true is
        // checked above.
        unsafe unsafeBitCast(function, to: ((Self, Argument) -> Void).self)(self, argument)
    }
}
