internal import HTTPServer
internal import JSON

/// An error that OAuth has a code for. The description never repeats what the request contained.
struct OAuthError: Error, Sendable {
    let code: String
    let description: String
    var status = HTTPStatus.badRequest
    /// The value of WWW-Authenticate.
    var challenge: String?
    /// By which a dialect knows it.
    var fault: TokenFault?
    /// What the request has named, for the dialects that repeat it.
    var named: String?

    init(
        _ code: String, _ description: String, status: HTTPStatus = .badRequest, challenge: String? = nil,
        fault: TokenFault? = nil, named: String? = nil
    ) {
        self.code = code
        self.description = description
        self.status = status
        self.challenge = challenge
        self.fault = fault
        self.named = named
    }

    static func invalidRequest(_ description: String) -> OAuthError { OAuthError("invalid_request", description) }
    static func invalidGrant(_ description: String, _ fault: TokenFault? = nil, named: String? = nil) -> OAuthError {
        OAuthError("invalid_grant", description, fault: fault, named: named)
    }

    /// The error object of RFC 6749 §5.2.
    var response: HTTPResponse {
        var response = HTTPResponse.object(
            JSONObject([("error", .string(code)), ("error_description", .string(description))]), status: status)
        if let challenge { response.headers.append(("WWW-Authenticate", challenge)) }
        return response
    }
}

extension HTTPResponse {
    /// JSON that nobody may store (RFC 6749 §5.1).
    static func object(_ object: JSONObject, status: HTTPStatus = .ok) -> HTTPResponse {
        var response = json(status, JSONValue.object(object).serialized)
        response.headers += [("Cache-Control", "no-store"), ("Pragma", "no-cache")]
        return response
    }

    /// A document that may be kept for a while.
    static func document(_ object: JSONObject) -> HTTPResponse {
        var response = json(.ok, JSONValue.object(object).serialized)
        response.headers.append(("Cache-Control", "public, max-age=900"))
        return response
    }
}
