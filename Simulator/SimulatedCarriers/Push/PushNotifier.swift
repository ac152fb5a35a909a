internal import Dispatch
internal import Syntax
internal import System

/// Posts to clients, by plain HTTP: a simulation's own little client, which blocks a thread of Dispatch's.
enum PushNotifier {
    private static let seconds = 20
    private static let maximumStatusLineBytes = 64

    /// Where a notification goes.
    struct Target: Sendable {
        let host: String
        let port: UInt16
        let path: String

        /// - Returns: nil for what is no address by plain http.
        init?(_ text: String) {
            guard let url = try? EndpointURL(text, allowLoopbackHTTP: true), !url.isSecure else { return nil }
            let rest = text.dropFirst("http://".count)
            let authority = String(rest.prefix { $0 != "/" })
            host = url.host
            // The bracket of an IPv6 address is before its port.
            let port = authority.split(separator: "]").last.flatMap { $0.split(separator: ":").last }
            self.port = authority.hasSuffix("]") ? 80 : port.flatMap { UInt16($0) } ?? 80
            path = String(rest.dropFirst(authority.count))
        }
    }

    /// - Returns: the status of the answer; nil when there is none.
    static func post(_ body: [UInt8], to target: Target, bearer: String) async -> Int? {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: send(body, target, bearer)) }
        }
    }

    private static func send(_ body: [UInt8], _ target: Target, _ bearer: String) -> Int? {
        let head = """
            POST \(target.path) HTTP/1.1\r
            Host: \(Authority.text(host: target.host, port: target.port))\r
            Authorization: Bearer \(bearer)\r
            Content-Type: application/json\r
            Content-Length: \(body.count)\r
            Connection: close\r
            \r

            """
        for address in SocketName.addresses(of: target.host, port: target.port) {
            if let status = try? status(address, Array(head.utf8) + body) { return status }
        }
        return nil
    }

    private static func status(_ address: SocketName, _ request: [UInt8]) throws(SystemError) -> Int? {
        let connection = try ConnectedSocket(to: address, seconds: seconds)
        var sent = 0
        while sent < request.count { sent += try connection.send(Array(request[sent...])) }
        var line: [UInt8] = []
        while !line.contains(UInt8(ascii: "\r")), line.count < maximumStatusLineBytes {
            let piece = try connection.receive(atMost: maximumStatusLineBytes - line.count)
            guard !piece.isEmpty else { return nil }
            line += piece
        }
        // RFC 9112 §4
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        return words.count > 1 ? Int(String(decoding: words[1].prefix(3), as: UTF8.self)) : nil
    }
}
