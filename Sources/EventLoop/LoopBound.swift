/// An actor that lives on one event loop: its isolated code runs on the loop's thread and nowhere else.
///
/// Sockets and transfers are such actors. Two of them on one loop call each other without a change of threads.
public protocol LoopBound: Actor {
    nonisolated var loop: EventLoop { get }
}

extension LoopBound {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
}
