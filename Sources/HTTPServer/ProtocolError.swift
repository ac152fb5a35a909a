/// Why a request was refused before there was one to route. It is answered, then the connection closes, because nobody
/// can tell any more where the next request would begin.
public enum ProtocolError: Error, Sendable, Equatable {
    /// 400; the sentence names what is wrong, never what was sent.
    case malformed(String)
    /// 408: a part of a request came, the rest did not in time.
    case requestTimeout
    /// 413
    case bodyTooLarge
    /// 414
    case targetTooLong
    /// 431: the head, or the trailer section, is too long or has too many fields.
    case headTooLarge
    /// 501
    case methodNotImplemented
    /// 501: a transfer coding other than `chunked`.
    case transferCodingNotImplemented
    /// 505
    case versionNotSupported
    /// 417: an expectation other than `100-continue`.
    case expectationFailed
    /// 503: as many connections as are allowed are busy.
    case overloaded

    public var status: HTTPStatus {
        switch self {
        case .malformed: .badRequest
        case .requestTimeout: .requestTimeout
        case .bodyTooLarge: .contentTooLarge
        case .targetTooLong: .uriTooLong
        case .headTooLarge: .requestHeaderFieldsTooLarge
        case .methodNotImplemented, .transferCodingNotImplemented: .notImplemented
        case .versionNotSupported: .httpVersionNotSupported
        case .expectationFailed: .expectationFailed
        case .overloaded: .serviceUnavailable
        }
    }
}
