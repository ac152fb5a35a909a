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
