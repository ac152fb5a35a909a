import Glibc
import Testing

/// A connection on which nothing is said unless it is told to.
final class RawConnection {
    private let descriptor: Int32

    init(to port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(descriptor, $0, 16) }
        }
        try #require(connected == 0)
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        _ = unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) throws {
        let sent = unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        try #require(sent == bytes.count)
    }

    /// Asks for something; the status of the answer, or nil when none comes.
    func status() throws -> Int? {
        try send(Array("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        return count < 12 ? nil : Int(String(decoding: buffer[9..<12], as: UTF8.self))
    }

    /// Whether the other side has closed.
    func hasEnded() -> Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, 0) == 0
    }

    /// Ends with a reset: connecting to no address dissolves the association (connect(2)).
    func reset() {
        var nowhere = sockaddr(sa_family: sa_family_t(AF_UNSPEC), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        _ = unsafe connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    }
}
