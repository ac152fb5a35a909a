import Composition
import Syntax
import System
import TLS

/// One plain request to a server on this machine, with nothing of the client for providers, whose rules about addresses
/// are made for strangers.
enum HealthProbe {
    private static let maximumStatusLineBytes = 64

    /// Asks for a path, at one address of the host after the other. It blocks.
    ///
    /// - Parameters:
    ///   - host: an address, or a name, of which the server may have taken any address.
    ///   - byTLS: whether the server speaks TLS there; whose certificate it has is not looked at.
    ///   - seconds: the time for each step at each address.
    /// - Returns: the status of the first answer; nil when there is none.
    static func status(of path: String, at host: String, port: UInt16, byTLS: Bool = false, seconds: Int) -> Int? {
        let request = Array(
            "GET \(path) HTTP/1.1\r\nHost: \(Authority.text(host: host, port: port))\r\nConnection: close\r\n\r\n".utf8
        )
        for address in SocketName.addresses(of: host, port: port) {
            if let status = try? status(address, request, byTLS, seconds) { return status }
        }
        return nil
    }

    private static func status(
        _ address: SocketName, _ request: [UInt8], _ byTLS: Bool, _ seconds: Int
    ) throws(SystemError) -> Int? {
        let connection = try ConnectedSocket(to: address, seconds: seconds)
        if byTLS {
            return LocalProbe.answer(to: request, over: connection.number, atMost: maximumStatusLineBytes)
                .flatMap { status(in: $0) }
        }
        guard try connection.send(request) == request.count else { return nil }
        var line: [UInt8] = []
        while !line.contains(UInt8(ascii: "\r")), line.count < maximumStatusLineBytes {
            let piece = try connection.receive(atMost: maximumStatusLineBytes - line.count)
            guard !piece.isEmpty else { return nil }
            line += piece
        }
        return status(in: line)
    }

    /// The code of a status line (RFC 9112 §4).
    private static func status(in line: [UInt8]) -> Int? {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count > 1, words[0].starts(with: "HTTP/1.".utf8) else { return nil }
        return Int(String(decoding: words[1].prefix(3), as: UTF8.self))
    }
}
