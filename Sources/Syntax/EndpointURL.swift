/// What is wrong with the text of an endpoint's URL. It never repeats the text, which may hold somebody's data.
public enum EndpointURLError: Error, Sendable, Equatable {
    /// Not of the form `scheme://host…`.
    case notAbsolute
    /// A scheme other than https; http is for loopback addresses, and only where that is allowed.
    case schemeNotAllowed
    /// A user name or password before the host.
    case hasUserInformation
    /// A fragment, which is never sent and so means nothing to a server.
    case hasFragment
    /// No host, or one that is neither a domain name nor a well-formed address.
    case malformedHost
    /// A port that is empty, 0, above 65535 or not a number.
    case malformedPort
    /// A character that RFC 3986 does not allow where it stands, or a `%` without two hexadecimal digits.
    case malformedPathOrQuery
    /// Longer than `EndpointURL.maximumLength` bytes.
    case tooLong
}

/// The URL of something to call, accepted as text: https (or http to a loopback address where that is allowed), a host
/// that reads the same to every parser, no user information, no fragment (RFC 3986 §3).
///
/// It is stricter than RFC 3986 on purpose. Who checks a host and who connects to it are two parsers, and where they
/// disagree a request can be sent elsewhere; so whatever leaves room for that (percent-encoded hosts, numbers that some
/// read as addresses, backslashes, blanks) is refused.
public struct EndpointURL: Sendable, Hashable {
    /// The longest URL taken, in bytes.
    public static let maximumLength = 8192

    /// The URL as it was given.
    public let text: String
    /// `https` or `http`.
    public let scheme: String
    /// Whether the scheme is `https`.
    public let isSecure: Bool
    /// In lower case; an IPv6 address without its brackets.
    public let host: String
    public let port: UInt16
    /// `host:port`, an IPv6 address in brackets: whom a call reaches, whatever it is about.
    public let server: String
    /// The path as it was given, still percent-encoded; empty when there is none.
    public let path: String

    /// Whether the host is an address in 127.0.0.0/8 or `::1`. A name such as `localhost` is not: what it resolves to
    /// is the resolver's business.
    public var isLoopback: Bool { IPAddress(host)?.isLoopback ?? false }

    /// Whether there is a query, be it empty.
    public var hasQuery: Bool { text.utf8.contains(.questionMark) }

    /// Checks a URL.
    ///
    /// - Parameter allowLoopbackHTTP: whether plain http is taken where ``isLoopback``.
    /// - Throws: `EndpointURLError`, the first fault that was found.
    public init(_ text: String, allowLoopbackHTTP: Bool) throws(EndpointURLError) {
        try self.init(readingAnyHost: text)
        guard isSecure || allowLoopbackHTTP && isLoopback else { throw .schemeNotAllowed }
    }

    /// Checks a URL that an operator wrote, plain http to any host included: whether that is allowed, the operator's
    /// other settings say. A host's name is held to the grammar of host names too, so that a slip is found before
    /// anybody asks it.
    ///
    /// - Throws: `EndpointURLError`, the first fault that was found.
    public init(configured text: String) throws(EndpointURLError) {
        try self.init(readingAnyHost: text)
        guard HostName.isValid(host) || IPAddress(host) != nil else { throw .malformedHost }
    }

    private init(readingAnyHost text: String) throws(EndpointURLError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.maximumLength else { throw .tooLong }
        guard !bytes.contains(UInt8(ascii: "#")) else { throw .hasFragment }
        let (scheme, authorityStart) = try Self.scheme(of: bytes)
        let authorityEnd =
            bytes[authorityStart...].firstIndex { $0 == .slash || $0 == .questionMark } ?? bytes.endIndex
        let authority = try Authority(bytes[authorityStart..<authorityEnd])
        guard Self.isWellFormed(bytes[authorityEnd...]) else { throw .malformedPathOrQuery }
        let pathEnd = bytes[authorityEnd...].firstIndex(of: .questionMark) ?? bytes.endIndex
        (self.text, self.scheme) = (text, scheme)
        let isSecure = scheme == "https"
        self.isSecure = isSecure
        self.host = authority.host
        let port = authority.port ?? (isSecure ? 443 : 80)
        self.port = port
        self.server = Authority.text(host: authority.host, port: port)
        self.path = String(decoding: bytes[authorityEnd..<pathEnd], as: UTF8.self)
    }

    private init(_ url: EndpointURL, text: String) {
        self.text = text
        scheme = url.scheme
        isSecure = url.isSecure
        host = url.host
        port = url.port
        server = url.server
        path = url.path
    }

    /// The same URL with parameters added to its query, everything but unreserved characters percent-encoded
    /// (RFC 3986 §2.3), which form decoding reads the same.
    public func appending(query: [(String, String)]) -> EndpointURL {
        var bytes: [UInt8] = []
        // Room for all of it, unless something must be encoded.
        bytes.reserveCapacity(query.reduce(text.utf8.count) { $0 + $1.0.utf8.count + $1.1.utf8.count + 2 })
        bytes.append(contentsOf: text.utf8)
        var needsSeparator = false
        if !bytes.contains(.questionMark) {
            bytes.append(.questionMark)
        } else if let last = bytes.last, last != .questionMark, last != .ampersand {
            needsSeparator = true
        }
        for (name, value) in query {
            if needsSeparator { bytes.append(.ampersand) }
            needsSeparator = true
            PercentEncoding.append(name.utf8.span, to: &bytes, spaceIsPlus: false)
            bytes.append(.equalsSign)
            PercentEncoding.append(value.utf8.span, to: &bytes, spaceIsPlus: false)
        }
        return EndpointURL(self, text: String(decoding: bytes, as: UTF8.self))
    }

    private static func scheme(of bytes: [UInt8]) throws(EndpointURLError) -> (String, Int) {
        guard let colon = bytes.firstIndex(of: .colon), colon > 0,
            bytes[colon...].starts(with: "://".utf8)
        else { throw .notAbsolute }
        let scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
        guard scheme == "https" || scheme == "http" else { throw .schemeNotAllowed }
        return (scheme, colon + 3)
    }

    /// RFC 3986 §3.3 and §3.4.
    private static func isWellFormed(_ bytes: ArraySlice<UInt8>) -> Bool {
        let bytes = bytes.span
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == .percent {
                guard bytes.isPercentEncoded(at: index, before: bytes.count) else { return false }
                index += 3
            } else {
                guard byte.isPathCharacter || byte == .slash || byte == .questionMark else { return false }
                index += 1
            }
        }
        return true
    }
}
