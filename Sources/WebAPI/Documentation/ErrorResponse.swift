internal import HTTPServer
internal import JSON
internal import OpenAPI

/// The errors that one operation answers with one status.
struct ErrorResponse {
    /// What the component is called that has what HTTP itself may have to say to any request.
    static let ofHTTP = "Refusal"

    let codes: [ErrorCode]

    init(_ codes: [ErrorCode]) {
        self.codes = codes
    }

    /// A code that is alone with its status looks the same everywhere, and is described once.
    var json: JSONValue { codes.count == 1 ? Reference.response(codes[0].rawValue) : whole }

    /// Each code and what to do about it.
    var whole: JSONValue {
        let phrase = codes.first.map { HTTPStatus($0.status).reasonPhrase } ?? ""
        return response("\(phrase).\n\n" + codes.map { "- `\($0.rawValue)`: \($0.meaning)" }.joined(separator: "\n"))
    }

    func response(_ description: String) -> JSONValue {
        let examples = codes.map { ($0.rawValue, Reference.example($0.rawValue)) }
        let media: JSONValue = [
            "schema": Reference.schema(ErrorSchemas.error), "examples": .object(JSONObject(examples)),
        ]
        return [
            "description": .string(description), "headers": Reference.headers(headers.map(\.rawValue)),
            "content": ["application/json": media],
        ]
    }

    private var headers: [ResponseHeader] {
        var headers = [ResponseHeader.requestID]
        for header in ResponseHeader.allCases {
            if codes.contains(where: { $0.answer.headers.contains { $0.name == header.rawValue } }) {
                headers.append(header)
            }
        }
        return headers
    }
}

extension ErrorCode {
    /// Its example, as it goes over the wire.
    var example: JSONValue {
        let response = answer.response(requestID: Examples.requestID)
        // What the service has just written, the same target reads.
        let value = (try? JSONValue(parsing: response.body)) ?? .null
        return [
            "summary": .string("\(status) \(HTTPStatus(status).reasonPhrase)"), "description": .string(meaning),
            "value": value,
        ]
    }
}

/// Header fields of answers that are described among the components.
package enum ResponseHeader: String, CaseIterable {
    case requestID = "X-Request-ID"
    case retryAfter = "Retry-After"
    case authenticate = "WWW-Authenticate"
    case allow = "Allow"
    case entityTag = "ETag"
    case cacheControl = "Cache-Control"
    case vary = "Vary"
    case contentLanguage = "Content-Language"
    case location = "Location"
    case setCookie = "Set-Cookie"

    static let requestIDPattern: JSONValue = "^[A-Za-z0-9._-]{1,64}$"

    var description: JSONValue {
        switch self {
        case .requestID:
            [
                "description": "The request's name in the log.",
                "schema": ["type": "string", "pattern": Self.requestIDPattern],
            ]
        case .retryAfter:
            [
                "description": "In how many seconds to try again.",
                "schema": ["type": "integer", "minimum": 1],
            ]
        case .authenticate:
            ["description": "What the session lacks (RFC 6750 §3, RFC 9470 §3).", "schema": ["type": "string"]]
        case .allow:
            ["description": "The methods that the path takes.", "schema": ["type": "string"]]
        case .entityTag:
            ["description": "For `If-None-Match`.", "schema": ["type": "string"]]
        case .cacheControl:
            ["description": "How long the answer may be kept.", "schema": ["type": "string"]]
        case .vary:
            ["description": "The fields of the request that the answer depends on.", "schema": ["type": "string"]]
        case .contentLanguage: ["description": "What the page is written in.", "schema": ["type": "string"]]
        case .location: ["description": "Where the browser goes on.", "schema": ["type": "string"]]
        case .setCookie:
            [
                "description": "What the browser is known again by, for twenty minutes at the most.",
                "schema": ["type": "string"],
            ]
        }
    }
}
