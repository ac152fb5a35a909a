internal import CLinux
internal import Glibc
internal import System

/// What a descriptor can do now, or what its owner waits for.
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Bytes, an accepted connection or the end of the stream can be read.
    public static let readable = Readiness(rawValue: clinux_readable)
    /// Bytes can be written.
    public static let writable = Readiness(rawValue: clinux_writable)
    /// Both directions are closed. Always reported, never asked for.
    public static let hangup = Readiness(rawValue: clinux_hangup)
    /// The peer has closed its sending side; asked for by who wants to notice a client that goes away while it waits.
    public static let peerClosed = Readiness(rawValue: clinux_peer_closed)
    /// The descriptor has an error pending. Always reported, never asked for.
    public static let failed = Readiness(rawValue: clinux_failed)
}

/// Who is told that a descriptor is ready.
///
/// An actor whose executor is the loop implements it with `assumeIsolated`, which checks the thread.
public protocol ReadinessHandler: AnyObject, Sendable {
    /// Called on the loop's thread. It must not block.
    nonisolated func descriptorIsReady(_ readiness: Readiness)
}

/// One epoll instance, and who is told about which descriptor, by descriptor number.
///
/// The system hands a closed number out again at once, so an event carries the generation of the registration it was
/// asked for: what arrives for an earlier one is dropped.
struct Poller: ~Copyable {
    private struct Slot {
        var handler: (any ReadinessHandler)?
        var generation: UInt32 = 0
    }

    private let epoll: OwnedDescriptor
    private var slots: [Slot] = []

    /// - Throws: `SystemError` when the system has no descriptor left.
    init() throws(SystemError) {
        epoll = OwnedDescriptor(owning: try systemCall("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) })
    }

    /// Enters a handler.
    ///
    /// - Throws: `SystemError` of `epoll_ctl`; then it is not entered.
    mutating func register(
        _ descriptor: Int32, for interest: Readiness, handler: any ReadinessHandler
    ) throws(SystemError) {
        let index = Int(descriptor)
        while slots.count <= index { slots.append(Slot()) }
        slots[index].generation &+= 1
        slots[index].handler = handler
        do {
            try control(EPOLL_CTL_ADD, descriptor, interest, token(descriptor))
        } catch {
            slots[index].handler = nil
            throw error
        }
    }

    /// Waits for something to be read, whose events carry the descriptor's number alone and no handler.
    func watch(_ descriptor: Int32) throws(SystemError) {
        try control(EPOLL_CTL_ADD, descriptor, .readable, UInt64(UInt32(bitPattern: descriptor)))
    }

    /// Changes what a registered descriptor is waited for.
    func update(_ descriptor: Int32, for interest: Readiness) throws(SystemError) {
        guard isRegistered(descriptor) else { return }
        try control(EPOLL_CTL_MOD, descriptor, interest, token(descriptor))
    }

    /// Forgets a descriptor; one that is not registered is no error.
    mutating func deregister(_ descriptor: Int32) {
        guard isRegistered(descriptor) else { return }
        slots[Int(descriptor)].handler = nil
        // It can fail only when the descriptor is closed already, and then epoll has forgotten it too.
        try? control(EPOLL_CTL_DEL, descriptor, [], 0)
    }

    /// Waits until something is ready.
    ///
    /// - Parameter milliseconds: how long at most; -1 is for ever.
    /// - Returns: how many of `events` are filled.
    func wait(_ events: inout [epoll_event], atMost milliseconds: Int32) -> Int {
        let epoll = epoll.number
        return unsafe events.withUnsafeMutableBufferPointer { buffer in
            unsafe max(0, Int(epoll_wait(epoll, buffer.baseAddress, Int32(buffer.count), milliseconds)))
        }
    }

    /// Who is told of an event; nil when its registration is over.
    func handler(of token: UInt64) -> (any ReadinessHandler)? {
        let index = Int(UInt32(truncatingIfNeeded: token))
        guard index < slots.count, slots[index].generation == UInt32(token >> 32) else { return nil }
        return slots[index].handler
    }

    /// What the events of the present registration carry.
    private func token(_ descriptor: Int32) -> UInt64 {
        UInt64(slots[Int(descriptor)].generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
    }

    private func isRegistered(_ descriptor: Int32) -> Bool {
        Int(descriptor) < slots.count && slots[Int(descriptor)].handler != nil
    }

    private func control(
        _ operation: Int32, _ descriptor: Int32, _ interest: Readiness, _ token: UInt64
    ) throws(SystemError) {
        let epoll = epoll.number
        try systemCall("epoll_ctl") {
            clinux_epoll_control(epoll, operation, descriptor, interest.rawValue, token)
        }
    }
}
