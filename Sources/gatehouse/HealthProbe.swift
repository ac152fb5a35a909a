import Glibc
import Syntax
import System

/// One plain request to a server on this machine, with nothing of the client for providers, whose rules about addresses
/// are made for strangers.
enum HealthProbe {
    private static let longestStatusLine = 64

    /// Asks for `/healthz`, at one address of the host after the other. It blocks.
    ///
    /// - Parameters:
    ///   - host: an address, or a name, of which the server may have taken any address.
    ///   - seconds: the time for each step at each address.
    /// - Returns: the status of the first answer; nil when there is none.
    static func status(of host: String, port: UInt16, seconds: Int) -> Int? {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &found) == 0 else { return nil }
        defer { unsafe freeaddrinfo(found) }
        let request = Array(
            "GET /healthz HTTP/1.1\r\nHost: \(Authority.text(host: host, port: port))\r\nConnection: close\r\n\r\n".utf8
        )
        var next = unsafe found
        while let address = unsafe next {
            if let status = unsafe status(address.pointee, request, seconds) { return status }
            unsafe next = address.pointee.ai_next
        }
        return nil
    }

    private static func status(_ address: addrinfo, _ request: [UInt8], _ seconds: Int) -> Int? {
        let number = socket(unsafe address.ai_family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return nil }
        let connection = OwnedDescriptor(owning: number)
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
            // Connecting is bounded by the first of them.
            _ = unsafe setsockopt(number, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        guard unsafe connect(connection.number, address.ai_addr, address.ai_addrlen) == 0 else { return nil }
        let sent = unsafe request.withUnsafeBytes { raw in
            unsafe send(connection.number, raw.baseAddress, raw.count, Int32(MSG_NOSIGNAL))
        }
        guard sent == request.count else { return nil }
        var line: [UInt8] = []
        while !line.contains(UInt8(ascii: "\r")), line.count < longestStatusLine {
            let room = longestStatusLine - line.count
            let piece = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                count = max(0, unsafe recv(connection.number, buffer.baseAddress, room, 0))
            }
            guard !piece.isEmpty else { return nil }
            line += piece
        }
        // RFC 9112 §4
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count > 1, words[0].starts(with: "HTTP/1.".utf8) else { return nil }
        return Int(String(decoding: words[1].prefix(3), as: UTF8.self))
    }
}
