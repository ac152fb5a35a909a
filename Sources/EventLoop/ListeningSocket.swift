internal import CLinux
import Glibc
internal import Syntax
public import System

/// A TCP socket that accepts connections, non-blocking and close-on-exec.
///
/// Several may listen on one port (`SO_REUSEPORT`): the kernel spreads connections over them, one for each loop.
public struct ListeningSocket: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor
    /// Where it listens; the port is the kernel's choice when 0 was asked for.
    public let address: SocketAddress

    /// The addresses of a host, as texts: `localhost` mostly has two. It is looked up now, so call this before serving.
    ///
    /// - Throws: `SystemError`; a host that can't be found is reported as `getaddrinfo` with `EADDRNOTAVAIL`.
    public static func addresses(of host: String) throws(SystemError) -> [String] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_PASSIVE
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &found) == 0, let first = unsafe found else {
            throw .hostNotFound
        }
        defer { unsafe freeaddrinfo(first) }
        var addresses: [String] = []
        var next = unsafe found
        while let entry = unsafe next?.pointee {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let code = unsafe getnameinfo(
                entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            let address = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            if code == 0, !addresses.contains(address) { addresses.append(address) }
            unsafe next = entry.ai_next
        }
        return addresses
    }

    /// Binds and listens.
    ///
    /// - Parameters:
    ///   - host: an IPv4 or IPv6 address, or a name, of whose addresses the first is taken.
    ///   - port: 0 lets the kernel choose.
    ///   - sharesPort: whether other sockets that share may listen on the port too.
    /// - Throws: `SystemError`; a host that can't be found is reported as `getaddrinfo` with `EADDRNOTAVAIL`.
    public init(host: String, port: UInt16, sharesPort: Bool) throws(SystemError) {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &found) == 0, let result = unsafe found else {
            throw .hostNotFound
        }
        defer { unsafe freeaddrinfo(result) }
        let family = unsafe result.pointee.ai_family
        let number = try systemCall("socket") {
            socket(
                family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        }
        let descriptor = OwnedDescriptor(owning: number)
        try Self.enable(SO_REUSEADDR, on: number)
        if sharesPort { try Self.enable(SO_REUSEPORT, on: number) }
        try systemCall("bind") { unsafe bind(number, result.pointee.ai_addr, result.pointee.ai_addrlen) }
        try systemCall("listen") { listen(number, 4096) }
        let address = try Self.localAddress(of: number)
        self.descriptor = descriptor
        self.address = address
    }

    /// Shares a socket that somebody else has opened and owns. What has not been accepted when this one goes waits for
    /// others who share it.
    ///
    /// - Throws: `SystemError`; `EINVAL` for a socket that does not listen, and `EAFNOSUPPORT` for one that is not TCP.
    public init(sharing number: Int32) throws(SystemError) {
        let descriptor = try OwnedDescriptor(duplicating: number)
        let own = descriptor.number
        var listens: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        try systemCall("getsockopt") { unsafe getsockopt(own, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) }
        guard listens != 0 else { throw SystemError(call: "getsockopt", code: EINVAL) }
        let address = try Self.localAddress(of: own)
        let flags = try systemCall("fcntl") { fcntl(own, F_GETFL) }
        try systemCall("fcntl") { fcntl(own, F_SETFL, flags | O_NONBLOCK) }
        self.descriptor = descriptor
        self.address = address
    }

    /// The number to register with a loop; valid while this socket lives.
    public var number: Int32 { descriptor.number }

    /// Accepts one connection.
    ///
    /// - Returns: the connection, or nil when none waits.
    /// - Throws: `SystemError`; `EMFILE` and `ENFILE` mean that descriptors have run out.
    public borrowing func accept() throws(SystemError) -> AcceptedSocket? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let listener = descriptor.number
        guard
            let number = try nonBlockingCall("accept4", { unsafe clinux_accept(listener, &storage, &length) })
        else { return nil }
        return AcceptedSocket(
            stream: StreamSocket(owning: number),
            peer: SocketAddress(storage) ?? SocketAddress(address: IPAddress(v4: 0), port: 0))
    }

    private static func enable(_ option: Int32, on number: Int32) throws(SystemError) {
        var one: Int32 = 1
        try systemCall("setsockopt") {
            unsafe setsockopt(number, SOL_SOCKET, option, &one, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    private static func localAddress(of number: Int32) throws(SystemError) -> SocketAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        try systemCall("getsockname") {
            unsafe withUnsafeMutablePointer(to: &storage) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe getsockname(number, address, &length)
                }
            }
        }
        guard let address = SocketAddress(storage) else { throw SystemError(call: "getsockname", code: EAFNOSUPPORT) }
        return address
    }
}

/// A connection just accepted, and who is at its other end.
public struct AcceptedSocket: ~Copyable, Sendable {
    public let stream: StreamSocket
    public let peer: SocketAddress

    /// Hands the stream on to its new owner.
    public consuming func takeStream() -> StreamSocket { stream }
}
