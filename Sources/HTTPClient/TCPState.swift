internal import Glibc

/// What the system knows of a TCP connection, and what it is to do about one whose other side is gone.
enum TCPState {
    /// Where a connection leads, as the system writes an address.
    struct Peer: Equatable {
        fileprivate let bytes: [UInt8]
    }

    /// The other end; nil when the connection has none any more.
    static func peer(_ descriptor: Int32) -> Peer? {
        unsafe address { unsafe getpeername(descriptor, $0, $1) }.map(Peer.init)
    }

    /// Whether something that was sent waits for its acknowledgement, and has been sent again in vain.
    static func isUnacknowledged(_ descriptor: Int32) -> Bool {
        var state = tcp_info()
        var length = socklen_t(MemoryLayout<tcp_info>.size)
        guard unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &state, &length) == 0 else { return false }
        return state.tcpi_unacked > 0 && state.tcpi_retransmits > 0
    }

    /// The family, the port and the address, in the order of both kinds of `sockaddr`.
    private static func address(
        _ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> [UInt8]? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe ask($0, &length) }
        }
        guard status == 0, length >= 4 else { return nil }
        return unsafe withUnsafeBytes(of: storage) { unsafe Array($0.prefix(Int(length))) }
    }
}

extension HTTPClientLimits {
    /// Lets the system find out that the other side of a connection is gone, be it in the middle of a request or
    /// between two. What it does not take leaves the connection as it would have been.
    func watchOver(_ descriptor: Int32) {
        set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, keepAliveIdle.wholeSeconds)
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, keepAliveInterval.wholeSeconds)
        set(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, acknowledgementTimeout.wholeMilliseconds)
    }

    private func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int) {
        var value = Int32(clamping: value)
        _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
