import Glibc
import Synchronization

/// A server on a kernel-chosen port of 127.0.0.1 that plays a script to every connection, each on a thread of its own.
final class ScriptedServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let count = Atomic<Int>(0)

    /// - Parameters:
    ///   - authority: whose certificate for `localhost` it has; without one it speaks no TLS.
    ///   - script: plays one connection, which is closed when it returns; it is told how many came before.
    init(
        tls authority: TestAuthority? = nil, _ script: @escaping @Sendable (ScriptedConnection, Int) -> Void
    ) throws {
        let bound = try BoundSocket()
        let listener = bound.release()
        guard listen(listener, 1024) == 0 else { throw ScriptedServerError() }
        self.listener = listener
        port = bound.port
        Self.onThread { [weak self] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0, let number = self?.countOne() else { break }
                // A process that another test starts must not keep the connection open.
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                Self.onThread {
                    let connection = ScriptedConnection(descriptor)
                    if connection.startTLS(authority) { script(connection, number) }
                    connection.close()
                }
            }
            close(listener)
        }
    }

    deinit {
        // The thread that accepts wakes up with an error, and closes the listener.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// How many connections have come.
    var connections: Int { count.load(ordering: .sequentiallyConsistent) }

    private func countOne() -> Int { count.add(1, ordering: .sequentiallyConsistent).oldValue }

    private static func onThread(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let box = unsafe Unmanaged.passRetained(Box(body)).toOpaque()
        unsafe pthread_create(
            &thread, nil,
            { raw in
                if let raw = unsafe raw { unsafe Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().body() }
                return nil
            }, box)
        pthread_detach(thread)
    }

    private final class Box: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }
}

struct ScriptedServerError: Error {}

/// A port of 127.0.0.1 that is taken; as long as nothing listens, connections to it are refused.
final class BoundSocket {
    let port: UInt16
    private var descriptor: Int32

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, length) | getsockname(descriptor, address, &length)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard descriptor >= 0, status == 0 else { throw ScriptedServerError() }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Hands the descriptor on to its new owner.
    func release() -> Int32 {
        defer { descriptor = -1 }
        return descriptor
    }
}

/// A server's end of a connection, with calls that block.
final class ScriptedConnection {
    private let descriptor: Int32
    private var tls: ServerTLS?
    private var isOpen = true

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// - Returns: whether what comes and goes from now on does so as the server wants, inside of TLS or not.
    func startTLS(_ authority: TestAuthority?) -> Bool {
        guard let authority else { return true }
        tls = try? ServerTLS(descriptor, as: authority)
        return tls != nil
    }

    /// Reads a request with its body, if it has a `Content-Length`.
    ///
    /// - Returns: nil when the client has ended the connection before.
    func request() -> String? {
        var (bytes, wanted) = ([UInt8](), Int?.none)
        while true {
            if wanted == nil { wanted = Self.length(ofRequest: bytes) }
            if let wanted, bytes.count >= wanted { return String(decoding: bytes, as: UTF8.self) }
            guard let more = receive() else { return nil }
            bytes += more
        }
    }

    /// How long a request is, head and body; nil when its head is not complete.
    private static func length(ofRequest bytes: [UInt8]) -> Int? {
        // Not by Character: to Swift a carriage return with its line feed is one.
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let end = lines.firstIndex(of: [UInt8(ascii: "\r")]) else { return nil }
        let fields = lines[..<end].map { String(decoding: $0, as: UTF8.self).lowercased() }
        let length = fields.first { $0.hasPrefix("content-length:") }.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        return lines[...end].reduce(length) { $0 + $1.count + 1 }
    }

    private func receive() -> [UInt8]? {
        let chunk = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = unsafe tls?.receive(into: buffer) ?? max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        return chunk.isEmpty ? nil : chunk
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends every byte as a packet of its own, as far as the kernel lets it.
    func sendByteByByte(_ text: String) {
        var one: Int32 = 1
        _ = unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        for byte in text.utf8 { send([byte]) }
    }

    func send(_ bytes: [UInt8]) {
        var offset = 0
        while offset < bytes.count {
            let sent = unsafe bytes.withUnsafeBytes { raw in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: raw[offset...])
                return unsafe tls?.send(rest)
                    ?? Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return }
            offset += sent
        }
    }

    /// Returns when the client has ended the connection.
    func waitForEnd() {
        while receive() != nil {}
    }

    /// Goes between the client and a port of this machine, until one of the two has ended.
    func tunnel(to port: UInt16) {
        let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { Glibc.close(other) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(other, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var ends = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        while unsafe poll(&ends, 2, -1) > 0 {
            for (from, to) in [(0, 1), (1, 0)] where ends[from].revents != 0 {
                let count = unsafe recv(ends[from].fd, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                guard unsafe Glibc.send(ends[to].fd, buffer, count, Int32(MSG_NOSIGNAL)) == count else { return }
            }
        }
    }

    /// Drops every packet that comes from now on before TCP sees it: nothing is read, acknowledged or closed any more.
    /// To the client it is what a firewall does that has forgotten the connection.
    func swallowPackets() {
        // SO_ATTACH_FILTER with a program of one instruction: BPF_RET | BPF_K, 0 (linux/filter.h), which takes no byte.
        let program: [UInt64] = [0x06]
        unsafe program.withUnsafeBytes { code in
            var filter = (count: UInt16(1), program: code.baseAddress)
            _ = unsafe setsockopt(descriptor, SOL_SOCKET, 26, &filter, 16)
        }
    }

    /// Ends the connection with a TCP reset.
    func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        cut()
    }

    func close() {
        if isOpen { tls?.notifyClose() }
        cut()
    }

    /// Ends the connection without a word inside of TLS, as an attacker between the two can.
    func cut() {
        guard isOpen else { return }
        isOpen = false
        Glibc.close(descriptor)
    }
}

extension ScriptedServer {
    /// A server that answers every request of every connection alike.
    convenience init(
        tls authority: TestAuthority? = nil, answering answer: @escaping @Sendable (String) -> [UInt8]
    ) throws {
        try self.init(tls: authority) { connection, _ in
            while let request = connection.request() { connection.send(answer(request)) }
        }
    }

    /// A server that answers every request of every connection with the same text.
    convenience init(answer: String) throws {
        try self.init(answering: { _ in Array(answer.utf8) })
    }
}
