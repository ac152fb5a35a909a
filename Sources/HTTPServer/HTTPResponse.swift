internal import Syntax

/// An answer, whole. The connection adds what belongs to it: Content-Length, Date, Connection, X-Request-ID,
/// Content-Encoding and Vary.
public struct HTTPResponse: Sendable {
    private enum Content: Sendable {
        case own([UInt8])
        case shared(SharedBody)
    }

    public var status: HTTPStatus
    /// Names and values in the order they are sent. Control bytes in a value are sent as spaces.
    public var headers: [(name: String, value: String)]
    private var content: Content
    /// Whether the connection closes after this answer.
    public var closesConnection = false
    /// Whether the handler's common fields go with it; false for an answer that has its own in their place.
    public var hasCommonFields = true
    /// False for an answer that carries a secret beside text an attacker may choose: its compressed length would tell
    /// about the secret (BREACH).
    public var isCompressible = true
    /// Hears whether the answer has reached the client; nil where nothing depends on it.
    public var watcher: (any DeliveryWatcher)?

    public init(status: HTTPStatus, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        (self.status, self.headers) = (status, headers)
        content = .own(body)
    }

    /// An answer with a body that others have too.
    public init(status: HTTPStatus, headers: [(name: String, value: String)], shared body: SharedBody) {
        (self.status, self.headers) = (status, headers)
        content = .shared(body)
    }

    public var body: [UInt8] {
        get {
            switch content {
            case .own(let bytes): bytes
            case .shared(let shared): shared.bytes
            }
        }
        set { content = .own(newValue) }
    }

    /// Below this, gzip saves less than a packet.
    private static let smallestGzipBody = 1024

    /// Whether gzip suits the body, for a client that takes it.
    var suitsGzip: Bool {
        guard isCompressible, body.count >= Self.smallestGzipBody else { return false }
        for (name, value) in headers where name.equalsIgnoringCase("Content-Type") { return Self.isText(value) }
        return false
    }

    private static func isText(_ contentType: String) -> Bool {
        let type = String(contentType.prefix { $0 != ";" && $0 != " " }).lowercased()
        return type.hasPrefix("text/") || type.hasSuffix("+json") || type.hasSuffix("+xml")
            || ["application/json", "application/javascript", "application/xml"].contains(type)
    }

    /// The body's gzip form, or nil when that would be no shorter.
    func gzip(_ encode: ([UInt8]) -> [UInt8]?) -> [UInt8]? {
        switch content {
        case .own(let bytes): encode(bytes)
        case .shared(let shared): shared.gzip(encode)
        }
    }

    private static let jsonHeaders = [(name: "Content-Type", value: "application/json")]
    private static let htmlHeaders = [(name: "Content-Type", value: "text/html; charset=utf-8")]

    public static func json(_ status: HTTPStatus, _ bytes: [UInt8]) -> HTTPResponse {
        HTTPResponse(status: status, headers: jsonHeaders, body: bytes)
    }

    public static func html(_ status: HTTPStatus, _ text: String) -> HTTPResponse {
        HTTPResponse(status: status, headers: htmlHeaders, body: Array(text.utf8))
    }

    /// 303 See Other: whatever the method was, the client gets `location` next.
    public static func redirect(to location: String) -> HTTPResponse {
        HTTPResponse(status: .seeOther, headers: [(name: "Location", value: location)])
    }
}

extension String {
    /// Whether two texts are equal, ASCII letters of either case being equal.
    func equalsIgnoringCase(_ other: String) -> Bool {
        utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}
