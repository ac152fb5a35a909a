internal import Glibc

/// An end of a connection as the system keeps it: a `sockaddr`, whose layout belongs to its family.
public struct SocketName: Sendable, Equatable {
    /// Such as `AF_INET`.
    public let family: Int32
    public let bytes: [UInt8]

    /// What a host's name or address stands for, to connect to a port of it; empty when it has no address. It blocks.
    public static func addresses(of host: String, port: UInt16) -> [SocketName] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &found) == 0 else { return [] }
        // Safe: the list is read before it is freed, and each address has the length that stands beside it.
        defer { unsafe freeaddrinfo(found) }
        var names: [SocketName] = []
        var next = unsafe found
        while let entry = unsafe next {
            let bytes = unsafe UnsafeRawBufferPointer(
                start: entry.pointee.ai_addr, count: Int(entry.pointee.ai_addrlen))
            unsafe names.append(SocketName(family: entry.pointee.ai_family, bytes: Array(bytes)))
            unsafe next = entry.pointee.ai_next
        }
        return names
    }

    /// The other end of a socket's connection; nil when there is none.
    public static func peer(of socket: Int32) -> SocketName? { unsafe name(of: socket, getpeername) }

    /// This end of a socket's connection; nil when there is none.
    public static func own(of socket: Int32) -> SocketName? { unsafe name(of: socket, getsockname) }

    private typealias NameCall = (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32

    private static func name(of socket: Int32, _ call: NameCall) -> SocketName? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutableBytes(of: &storage) { raw in
            // Safe: the storage has room and alignment for every address, and the system says how much of it is one.
            let result = unsafe raw.withMemoryRebound(to: sockaddr.self) {
                unsafe call(socket, $0.baseAddress, &length)
            }
            guard result == 0 else { return nil }
            let family = unsafe raw.load(as: sa_family_t.self)
            return unsafe SocketName(family: Int32(family), bytes: Array(raw.prefix(Int(length))))
        }
    }
}

/// A connected socket whose calls may block.
public struct ConnectedSocket: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor

    /// Takes ownership of the descriptor of a socket.
    public init(owning descriptor: consuming OwnedDescriptor) {
        self.descriptor = descriptor
    }

    /// Connects.
    ///
    /// - Parameter seconds: the time for connecting, and for each later call.
    public init(to name: SocketName, seconds: Int) throws(SystemError) {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let opened = OwnedDescriptor(owning: try systemCall("socket") { socket(name.family, kind, 0) })
        let number = opened.number
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
            // Connecting is bounded by the first of them.
            _ = unsafe setsockopt(number, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        try Self.connect(number, name.bytes)
        descriptor = opened
    }

    private static func connect(_ number: Int32, _ address: [UInt8]) throws(SystemError) {
        try systemCall("connect") {
            unsafe address.withUnsafeBytes { raw in
                unsafe raw.withMemoryRebound(to: sockaddr.self) {
                    unsafe Glibc.connect(number, $0.baseAddress, socklen_t(raw.count))
                }
            }
        }
    }

    /// For those who read and write it by other means; valid while this socket lives.
    public var number: Int32 { descriptor.number }

    /// Sends bytes, of which the system may take only some.
    ///
    /// - Returns: how many it took.
    public borrowing func send(_ bytes: [UInt8]) throws(SystemError) -> Int {
        let number = descriptor.number
        return try systemCall("send") {
            unsafe bytes.withUnsafeBytes { unsafe Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        }
    }

    /// Receives what is there, or the next that comes.
    ///
    /// - Returns: at most so many bytes; none at the end of the connection.
    public borrowing func receive(atMost count: Int) throws(SystemError) -> [UInt8] {
        let number = descriptor.number
        var bytes = [UInt8](repeating: 0, count: count)
        let received = try systemCall("recv") {
            unsafe bytes.withUnsafeMutableBytes { unsafe recv(number, $0.baseAddress, $0.count, 0) }
        }
        bytes.removeLast(count - received)
        return bytes
    }

    /// Whether the other side has said its last, and all of that was received.
    public var peerHasEnded: Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor.number, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
    }

    /// Ends the connection in both directions, in good order (TCP FIN), also where others have the descriptor.
    public borrowing func shutDown() {
        _ = shutdown(descriptor.number, Int32(SHUT_RDWR))
    }

    /// Ends it with a reset (TCP RST): to connect to no address dissolves the association (connect(2)).
    public borrowing func reset() {
        let unspecified = [UInt8](repeating: 0, count: MemoryLayout<sockaddr>.size)
        try? Self.connect(descriptor.number, unspecified)
    }
}
