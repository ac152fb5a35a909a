/// An actor that lives on one event loop: its isolated code runs on the loop's thread and nowhere else.
///
/// Sockets and transfers are such actors. Two of them on one loop call each other without a change of threads.
public protocol LoopBound: Actor {
    nonisolated var loop: EventLoop { get }
}

extension LoopBound {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Calls a function of this actor at once, for who is on its loop already. It does what `assumeIsolated` does,
    /// which allocates twice for the closure it is given: too much for what every request comes by.
    ///
    /// - Parameter function: one that captures nothing, such as `{ $0.isReady($1) }`.
    @inlinable
    public nonisolated func assumeOnLoop<Argument>(
        _ argument: Argument, _ function: @escaping @Sendable (isolated Self, Argument) -> Void
    ) {
        precondition(loop.isCurrent, "this actor may be entered on the thread of its loop only")
        // Where a parameter is isolated is known to the compiler alone and changes nothing in a call; that it is true
        // is checked above.
        unsafe unsafeBitCast(function, to: ((Self, Argument) -> Void).self)(self, argument)
    }
}

/// A value that belongs to one loop and is reached on its thread only, with a check that costs less than a lock or an
/// actor's: for what many connections of a loop share on every request.
public final class LoopLocal<Value: ~Copyable>: @unchecked Sendable {
    // Unchecked: `value` is touched only in `withValue`, which stops the process on any thread but the loop's.
    private var value: Value
    private let loop: EventLoop

    public init(_ value: consuming sending Value, on loop: EventLoop) {
        self.value = value
        self.loop = loop
    }

    /// Lets `body` read and change the value. Call it on the loop, and not from within itself.
    public func withValue<Result: ~Copyable>(_ body: (inout sending Value) -> sending Result) -> sending Result {
        loop.assertIsolated()
        return body(&value)
    }
}
