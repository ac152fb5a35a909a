internal import EventLoop
import Glibc
import HTTPServer
import Synchronization

/// An answer as a client reads it.
struct Answer: Sendable, Equatable {
    var head: String
    var body: [UInt8]

    var status: Int { Int(head.dropFirst(9).prefix(3)) ?? 0 }
    var text: String { String(decoding: body, as: UTF8.self) }

    func header(_ name: String) -> String? {
        for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix(name.lowercased() + ": ") {
            return String(line.dropFirst(name.count + 2))
        }
        return nil
    }
}

enum ClientError: Error { case noConnection(Int32), timeout, ended(String) }

/// A client that does exactly what it is told to, on a blocking socket. It gives up after two minutes.
final class Client: Sendable {
    let descriptor: Int32
    private let unread = Mutex<[UInt8]>([])

    init(_ server: HTTPServer, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if var size = receiveBuffer { _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = server.address.port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let number = descriptor
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(number, $0, 16) }
        }
        guard connected == 0 else { throw ClientError.noConnection(errno) }
    }

    deinit { close(descriptor) }

    /// - Returns: whether everything was taken.
    @discardableResult
    func sendNow(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            guard wait(for: POLLOUT, milliseconds: 120_000) else { return false }
            let count = unsafe bytes.withUnsafeBytes { raw in
                unsafe Glibc.send(
                    descriptor, raw.baseAddress?.advanced(by: sent), raw.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    func send(_ text: String) async throws { _ = try await blocking { self.sendNow(Array(text.utf8)) } }

    /// Sends without waiting until no more is taken for a while, or `limit` bytes are.
    func flood(_ text: String, limit: Int) async throws -> Int {
        try await blocking {
            let bytes = Array(String(repeating: text, count: 1000).utf8)
            var total = 0
            while total < limit, self.wait(for: POLLOUT, milliseconds: 300) {
                total += unsafe max(0, Glibc.send(self.descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT)))
            }
            return total
        }
    }

    /// The next answer.
    func answer(toHead: Bool = false) async throws -> Answer {
        try await blocking { try self.answerNow(toHead: toHead) }
    }

    func exchange(_ text: String) async throws -> Answer {
        try await send(text)
        return try await answer()
    }

    func answerNow(toHead: Bool = false) throws -> Answer {
        var buffer = unread.withLock { $0 }
        while true {
            if let end = Self.end(ofHead: buffer) {
                var answer = Answer(head: String(decoding: buffer[..<end], as: UTF8.self), body: [])
                let length = toHead ? 0 : Int(answer.header("Content-Length") ?? "0") ?? 0
                if buffer.count >= end + length {
                    answer.body = Array(buffer[end..<end + length])
                    let rest = Array(buffer[(end + length)...])
                    unread.withLock { $0 = rest }
                    return answer
                }
            }
            let bytes = try receive()
            if bytes.isEmpty { throw ClientError.ended(String(decoding: buffer.prefix(1000), as: UTF8.self)) }
            buffer += bytes
        }
    }

    /// Everything up to the end of the connection; whether that was a reset.
    func rest() async throws -> (bytes: [UInt8], isReset: Bool) {
        try await blocking {
            var buffer = self.unread.withLock { $0 }
            while true {
                do {
                    let bytes = try self.receive()
                    if bytes.isEmpty { return (buffer, false) }
                    buffer += bytes
                } catch ClientError.ended {
                    return (buffer, true)
                }
            }
        }
    }

    func shutdownSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes the close to come a reset.
    func resetOnClose() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    private func wait(for events: Int32, milliseconds: Int32) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return unsafe Glibc.poll(&poll, 1, milliseconds) == 1
    }

    /// Empty at the end of the stream.
    private func receive() throws -> [UInt8] {
        guard wait(for: POLLIN, milliseconds: 120_000) else { throw ClientError.timeout }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw ClientError.ended("reset") }
        return Array(buffer.prefix(count))
    }

    private static func end(ofHead bytes: [UInt8]) -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        guard bytes.count >= 4 else { return nil }
        for index in 0...(bytes.count - 4) where bytes[index..<index + 4].elementsEqual(mark) { return index + 4 }
        return nil
    }
}

func get(_ path: String, _ fields: String...) -> String {
    "GET \(path) HTTP/1.1\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
}
