import Syntax

/// An absolute `http` or `https` URL that a server can be asked at: host, optional port, path and query, but neither
/// user information nor a fragment (RFC 3986 §3).
public struct WebAddress: Sendable, Equatable, CustomStringConvertible {
    /// The URL as it was written.
    public let text: String
    /// The host in lower case; an IPv6 address without its brackets.
    public let host: String
    /// The port that was written, if any.
    public let port: UInt16?
    /// Everything from the path on; empty when the URL ends with its host or port.
    public let path: String
    /// Whether the scheme is `https`.
    public let isSecure: Bool

    public var description: String { text }

    /// Whether the host is an address of the loopback interface. A name such as `localhost` is not: what it resolves to
    /// is the resolver's business.
    public var isLoopback: Bool { IPAddress(host)?.isLoopback ?? false }

    /// Whether there is a query.
    public var hasQuery: Bool { path.utf8.contains(UInt8(ascii: "?")) }

    /// Takes the URL apart; nil when it is not one.
    public init?(_ text: String) {
        guard text.utf8.allSatisfy({ Self.isURLByte($0) }), let separator = text.firstRange(of: "://") else {
            return nil
        }
        switch text[..<separator.lowerBound].lowercased() {
        case "https": isSecure = true
        case "http": isSecure = false
        default: return nil
        }
        let rest = text[separator.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        guard let (host, port) = Self.authority(rest[..<end]) else { return nil }
        self.text = text
        self.host = host
        self.port = port
        path = String(rest[end...])
    }

    private static func authority(_ text: Substring) -> (host: String, port: UInt16?)? {
        let host: Substring
        var rest: Substring
        if text.first == "[" {
            guard let bracket = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<bracket]
            rest = text[text.index(after: bracket)...]
            guard IPAddress(host)?.isIPv6 == true else { return nil }
        } else {
            let colon = text.firstIndex(of: ":") ?? text.endIndex
            host = text[..<colon]
            rest = text[colon...]
            guard HostName.isValid(host) else { return nil }
        }
        if rest.isEmpty { return (host.lowercased(), nil) }
        guard rest.removeFirst() == ":", let port = UInt16(digits: rest), port > 0 else { return nil }
        return (host.lowercased(), port)
    }

    /// Printable ASCII without the characters RFC 3986 leaves out, and without `#` and `@`: a fragment never reaches a
    /// server, and a password has no place in a URL that is logged.
    private static func isURLByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x20, 0x7F...0xFF: false
        case UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"): false
        case UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"): false
        case UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"): false
        default: true
        }
    }
}
