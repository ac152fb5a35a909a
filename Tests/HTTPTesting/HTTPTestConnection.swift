import Glibc
import Synchronization

/// A connection to a port of this machine on which exactly what a test says is said.
///
/// What writes and reads blocks its thread; ``send(_:)``, ``answer(toHead:)``, ``exchange(_:)`` and ``rest()`` do so on
/// a thread of their own.
public final class HTTPTestConnection: Sendable {
    private let descriptor: Int32
    private let patienceMilliseconds: Int32
    private let unread = Mutex<[UInt8]>([])

    /// - Parameters:
    ///   - patienceSeconds: how long it waits for the other side each time.
    ///   - receiveBuffer: the bytes that the system keeps for it until it reads; nil leaves that to the system.
    /// - Throws: ``HTTPTestError/noConnection``.
    public init(to port: UInt16, patienceSeconds: Int32 = 120, receiveBuffer: Int32? = nil) throws(HTTPTestError) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        patienceMilliseconds = patienceSeconds * 1000
        if var size = receiveBuffer { _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let number = descriptor
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw .noConnection }
    }

    deinit { close(descriptor) }

    /// - Returns: whether everything was taken.
    @discardableResult
    public func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            guard wait(for: POLLOUT, milliseconds: patienceMilliseconds) else { return false }
            let count = unsafe bytes.withUnsafeBytes { raw in
                unsafe Glibc.send(
                    descriptor, raw.baseAddress?.advanced(by: sent), raw.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// What comes next; empty at the end.
    public func read() throws(HTTPTestError) -> [UInt8] {
        guard wait(for: POLLIN, milliseconds: patienceMilliseconds) else { throw .timeout }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw .reset }
        return Array(buffer.prefix(count))
    }

    /// The next of the answers that come one after the other.
    ///
    /// - Parameter toHead: whether the request was HEAD, whose answer has no body.
    public func readAnswer(toHead: Bool = false) throws(HTTPTestError) -> HTTPTestAnswer {
        var buffer = unread.withLock { $0 }
        while true {
            if let end = HTTPTestAnswer.endOfHead(in: buffer) {
                let head = try HTTPTestAnswer(head: buffer[..<end], body: [])
                let length = toHead ? 0 : head.announcedLength ?? 0
                if buffer.count >= end + length {
                    let body = Array(buffer[end..<end + length])
                    let rest = Array(buffer[(end + length)...])
                    unread.withLock { $0 = rest }
                    return HTTPTestAnswer(status: head.status, headers: head.headers, body: body)
                }
            }
            let bytes = try read()
            if bytes.isEmpty { throw buffer.isEmpty ? .endWithoutAnswer : .noAnswer(beginning: buffer) }
            buffer += bytes
        }
    }

    /// The last answer, with as much of its body as comes before the other side ends the connection.
    public func readLastAnswer() throws(HTTPTestError) -> HTTPTestAnswer {
        var received = unread.withLock { $0 }
        while true {
            let bytes = try read()
            if bytes.isEmpty { return try HTTPTestAnswer(received) }
            received += bytes
        }
    }

    /// Writes without waiting until no more is taken for a while.
    ///
    /// - Returns: how many bytes were taken: no more are tried after `limit`.
    public func flood(_ text: String, limit: Int) -> Int {
        let bytes = Array(String(repeating: text, count: 1000).utf8)
        var total = 0
        while total < limit, wait(for: POLLOUT, milliseconds: 300) {
            total += unsafe max(0, Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT)))
        }
        return total
    }

    /// Says that nothing more will come.
    public func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends with a reset: connecting to no address dissolves the association (connect(2)).
    public func reset() {
        var nowhere = sockaddr(sa_family: sa_family_t(AF_UNSPEC), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        _ = unsafe connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    }

    private func wait(for events: Int32, milliseconds: Int32) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return unsafe Glibc.poll(&poll, 1, milliseconds) == 1
    }
}

extension HTTPTestConnection {
    public func send(_ text: String) async { await send(Array(text.utf8)) }

    public func send(_ bytes: [UInt8]) async { _ = await blocking { self.write(bytes) } }

    /// The next of the answers, as ``readAnswer(toHead:)`` reads it.
    public func answer(toHead: Bool = false) async throws -> HTTPTestAnswer {
        try await blocking { try self.readAnswer(toHead: toHead) }
    }

    public func exchange(_ text: String) async throws -> HTTPTestAnswer {
        await send(text)
        return try await answer()
    }

    /// Everything up to the end of the connection; whether that was a reset.
    public func rest() async throws -> (bytes: [UInt8], isReset: Bool) {
        try await blocking {
            var received = self.unread.withLock { $0 }
            while true {
                do {
                    let bytes = try self.read()
                    if bytes.isEmpty { return (received, false) }
                    received += bytes
                } catch HTTPTestError.reset {
                    return (received, true)
                }
            }
        }
    }
}
