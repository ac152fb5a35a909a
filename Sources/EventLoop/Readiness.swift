internal import CLinux

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
