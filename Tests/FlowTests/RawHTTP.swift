import Foundation
import Glibc
import JSON
import Testing

/// An HTTP client as plain as can be, independent of the product: one request, one connection, read to its end.
enum RawHTTP {
    struct Answer: Sendable {
        let status: Int
        let headers: [(name: String, value: String)]
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
        var json: JSONValue { (try? JSONValue(parsing: body.span)) ?? .null }
        func header(_ name: String) -> String? { headers.first { $0.name == name.lowercased() }?.value }
        subscript(name: String) -> JSONValue? { json[name] }
    }

    static func send(
        _ method: String, _ path: String, port: UInt16, headers: [String: String] = [:], body: [UInt8]? = nil
    ) async throws -> Answer {
        try await exchange(request(method, path, port: port, headers: headers, body: body), port: port)
    }

    /// Sends bytes as they are and reads the answer.
    static func exchange(_ bytes: [UInt8], port: UInt16) async throws -> Answer {
        try #require(await attempt(bytes, port: port), "no whole HTTP answer")
    }

    /// Like ``exchange(_:port:)`` with a server that may be gone: nil without a whole answer.
    static func attempt(_ bytes: [UInt8], port: UInt16) async -> Answer? {
        let received = await withCheckedContinuation { continuation in
            // A thread of its own: it blocks, and Dispatch's threads are for those that must not wait for it.
            Thread.detachNewThread { continuation.resume(returning: talk(bytes, port)) }
        }
        return Answer(received)
    }

    /// The bytes of a request.
    static func request(
        _ method: String, _ path: String, port: UInt16, headers: [String: String] = [:], body: [UInt8]? = nil
    ) -> [UInt8] {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        return Array("\(head)\r\n".utf8) + (body ?? [])
    }

    static func form(_ fields: [String: String]) -> String {
        var unreserved = CharacterSet.alphanumerics
        unreserved.insert(charactersIn: "-._~")
        return fields.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "")"
        }.joined(separator: "&")
    }

    private static func talk(_ bytes: [UInt8], _ port: UInt16) -> [UInt8] {
        let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(connection) }
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        _ = unsafe setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(connection, $0, 16) }
        }
        guard connected == 0 else { return [] }
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { raw in
                unsafe Glibc.send(
                    connection, raw.baseAddress?.advanced(by: sent), raw.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { break }
            sent += count
        }
        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe recv(connection, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { return received }
            received += chunk[..<count]
        }
    }
}

extension RawHTTP.Answer {
    /// Reads an answer whose body ends with the connection or its Content-Length.
    init?(_ bytes: [UInt8]) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
        self.status = status
        headers = lines.dropFirst().compactMap { line in
            line.firstIndex(of: ":").map { colon in
                (line[..<colon].lowercased(), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
            }
        }
        body = Array(bytes[end.upperBound...])
        // Cut short, an answer acknowledges nothing.
        guard header("content-length").map({ Int($0) == body.count }) ?? true else { return nil }
    }
}
