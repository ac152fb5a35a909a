public import Syntax

/// The methods that the client sends.
public enum OutboundMethod: Sendable, Hashable {
    case get, post
}

/// A request to a provider.
public struct OutboundRequest: Sendable {
    public var method: OutboundMethod
    public var url: EndpointURL
    /// Beside these the client sends `Host`, `Accept-Encoding`, `Content-Length`, and `Accept: */*` when there is none.
    /// A POST without a `Content-Type` is sent as a form.
    public var headers: [(name: String, value: String)]
    /// Sent with POST only.
    public var body: [UInt8]
    /// From `send` to the last byte of the answer, all waiting included.
    public var timeout: Duration
    public var policy: OutboundPolicy
    /// Whether a transfer that has begun goes on, and its result is awaited, when the task is cancelled. A code
    /// exchange does: its code is used up by the time the answer would be thrown away.
    public var finishesWhenCancelled: Bool

    public init(
        method: OutboundMethod, url: EndpointURL, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        timeout: Duration, policy: OutboundPolicy, finishesWhenCancelled: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.policy = policy
        self.finishesWhenCancelled = finishesWhenCancelled
    }
}

/// What a provider answered, whatever its status; redirects are answers like any other.
public struct OutboundResponse: Sendable {
    /// 200 to 999.
    public let status: Int
    /// Decompressed.
    public let body: [UInt8]
    private let fields: HeaderFields

    init(status: Int, fields: HeaderFields, body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// An answer made up, for doubles of the client.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        var fields = HeaderFields()
        for (name, value) in headers { fields.append(name: Array(name.utf8).span, value: Array(value.utf8).span) }
        self.init(status: status, fields: fields, body: body)
    }

    /// The value of the first field of that name, which is compared without regard to case (RFC 9110 §5.1).
    public func header(_ name: String) -> String? { fields.first(name) }
}
