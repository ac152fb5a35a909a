internal import EventLoop
internal import HTTPServer

/// Finds out whom a request comes from, behind proxies too.
///
/// Only what a trusted proxy added is believed: from the connection's own end, each address that is a trusted proxy's is
/// followed to the one it names before it, and the first that is not is the client. What a client wrote itself into the
/// field stands further to the left and is never reached.
public struct ClientAddress: Sendable {
    /// Reads an address as proxies write it; nil for what is none.
    public typealias Reader = @Sendable (_ text: String) -> [UInt8]?

    /// The one header that is believed. A proxy that adds to one passes the other on as the client wrote it.
    public enum Header: Sendable {
        case xForwardedFor
        /// RFC 7239.
        case forwarded
    }

    private let header: Header
    private let read: Reader
    private let isTrusted: @Sendable ([UInt8]) -> Bool

    /// - Parameters:
    ///   - header: the one that the proxies write.
    ///   - isTrusted: whether an address is that of a proxy the operator trusts.
    public init(header: Header, read: @escaping Reader, isTrusted: @escaping @Sendable ([UInt8]) -> Bool) {
        self.header = header
        self.read = read
        self.isTrusted = isTrusted
    }

    func network(of request: HTTPRequest) -> ClientNetwork {
        var client = request.peer.addressBytes
        guard isTrusted(client) else { return ClientNetwork(address: client) }
        for text in forwarded(request).reversed() {
            guard let address = read(text) else { break }
            client = address
            if !isTrusted(address) { break }
        }
        return ClientNetwork(address: client)
    }

    /// The addresses that proxies have added, the nearest last.
    private func forwarded(_ request: HTTPRequest) -> [String] {
        switch header {
        case .forwarded: request.headers("forwarded").flatMap(Self.elements)
        case .xForwardedFor:
            request.headers("x-forwarded-for").flatMap { $0.split(separator: ",").map { Self.host(String($0)) } }
        }
    }

    private static func elements(_ field: String) -> [String] {
        field.split(separator: ",").map { element in
            for pair in element.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0].filter({ $0 != " " }).lowercased() == "for" else { continue }
                return host(String(parts[1]))
            }
            return ""
        }
    }

    /// An address without quotes, brackets and port.
    private static func host(_ text: String) -> String {
        let bare = text.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
        if bare.hasPrefix("[") { return String(bare.dropFirst().prefix { $0 != "]" }) }
        return bare.filter { $0 == ":" }.count == 1 ? String(bare.prefix { $0 != ":" }) : bare
    }
}

extension SocketAddress {
    /// Four bytes, or sixteen.
    var addressBytes: [UInt8] {
        let high = (0..<8).map { UInt8(truncatingIfNeeded: bytes.high >> UInt64(56 - $0 * 8)) }
        if !isIPv6 { return Array(high.prefix(4)) }
        return high + (0..<8).map { UInt8(truncatingIfNeeded: bytes.low >> UInt64(56 - $0 * 8)) }
    }
}
