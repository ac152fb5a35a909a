internal import Crypto
internal import HTTPServer
internal import JSON

/// What can be wrong with a request for tokens, which each provider tells in its own words.
enum TokenFault: Sendable {
    /// The client, or what it has shown.
    case client
    case missingSecret
    case secretOfPublicClient
    case unknownCode
    case usedCode
    case codeOfAnotherClient
    case codeOfAnotherTenant
    case redirectURI
    case missingVerifier
    case wrongVerifier
}

/// One provider's words for a fault.
struct TokenRefusal: Sendable {
    /// In the description: what the request has named.
    static let named = "{named}"

    let error: String
    var description: String?
    var status = HTTPStatus.badRequest
    /// The provider's own number of it.
    var number = 0
}

/// How a dialect tells that a token request is refused.
struct RefusalForm: Sendable {
    enum Shape: Sendable {
        /// RFC 6749 §5.2.
        case plain
        /// With numbers, and with names to find it by in a log.
        case numbered
        /// An object in the place of the code.
        case nested
    }

    var shape = Shape.plain
    let refusals: [TokenFault: TokenRefusal]

    /// The answer; what the table does not have is told in the plain provider's words.
    func response(to error: OAuthError) -> HTTPResponse {
        let refusal =
            error.fault.flatMap { refusals[$0] }
            ?? TokenRefusal(error: error.code, description: error.description, status: error.status)
        let description = refusal.description?.replacing(TokenRefusal.named, with: error.named ?? "")
        switch shape {
        case .plain: return .object(Self.plain(refusal, description), status: refusal.status)
        case .numbered: return .object(Self.numbered(refusal, description), status: refusal.status)
        case .nested: return .object(Self.nested(refusal, description), status: refusal.status)
        }
    }

    private static func plain(_ refusal: TokenRefusal, _ description: String?) -> JSONObject {
        var object = JSONObject([("error", .string(refusal.error))])
        object.append("error_description", ifPresent: description)
        return object
    }

    private static func numbered(_ refusal: TokenRefusal, _ description: String?) -> JSONObject {
        let name = { DialectSubject.identifier(Random.bytes(16)) }
        let number = refusal.number == 0 ? 9_002_313 : refusal.number
        return JSONObject([
            ("error", .string(refusal.error)),
            ("error_description", .string("AADSTS\(number): \(description ?? "The request is invalid.")")),
            ("error_codes", [.integer(Int64(number))]),
            ("trace_id", .string(name())), ("correlation_id", .string(name())),
            ("error_uri", .string("https://login.microsoftonline.com/error?code=\(number)")),
        ])
    }

    private static func nested(_ refusal: TokenRefusal, _ description: String?) -> JSONObject {
        var error = JSONObject([
            ("message", .string(description ?? refusal.error)), ("type", "OAuthException"), ("code", 100),
        ])
        if refusal.number > 0 { error.append("error_subcode", .integer(Int64(refusal.number))) }
        error.append("fbtrace_id", .string(Random.token(byteCount: 8)))
        return JSONObject([("error", .object(error))])
    }
}
