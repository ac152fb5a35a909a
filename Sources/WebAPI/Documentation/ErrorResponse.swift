internal import HTTPServer
internal import JSON
internal import OpenAPI

/// The errors that one operation answers with one status.
struct ErrorResponse {
    let codes: [ErrorCode]

    init(_ codes: [ErrorCode]) {
        self.codes = codes
    }

    /// A code that is alone with its status looks the same everywhere, and is described once.
    var json: JSONValue { codes.count == 1 ? Reference.response(codes[0].rawValue) : whole }

    var whole: JSONValue {
        let names = codes.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        let phrase = codes.first.map { HTTPStatus($0.status).reasonPhrase } ?? ""
        let examples = codes.map { ($0.rawValue, Reference.example($0.rawValue)) }
        return [
            "description": .string("\(phrase): \(names)."),
            "headers": Reference.headers(headers.map(\.rawValue)),
            "content": ["application/json": ["schema": schema, "examples": .object(JSONObject(examples))]],
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

    /// Codes that bring members of their own have a schema of their own.
    private var schema: JSONValue {
        var alternatives: [JSONValue] = []
        let plain = codes.filter { $0.schema == nil }.map { JSONValue.string($0.rawValue) }
        if !plain.isEmpty {
            alternatives.append([
                "$ref": .string("#/components/schemas/Error"), "properties": ["error": ["enum": .array(plain)]],
            ])
        }
        alternatives += codes.compactMap(\.schema).map(Reference.schema)
        return alternatives.count == 1 ? alternatives[0] : ["oneOf": .array(alternatives)]
    }
}

extension ErrorCode {
    fileprivate var schema: String? {
        switch self {
        case .providerNotFound: "ProviderNotFound"
        case .invalidIDToken: "InvalidIDToken"
        case .unlinkedUser: "UnlinkedUser"
        case .invalidEvent: "InvalidEvent"
        default: nil
        }
    }

    /// Its example, as it goes over the wire.
    var example: JSONValue {
        let response = answer.response(requestID: Examples.requestID)
        // What the service has just written, the same target reads.
        let value = (try? JSONValue(parsing: response.body)) ?? .null
        return ["summary": .string(meaning), "value": value]
    }
}

/// Header fields of answers that are described among the components.
enum ResponseHeader: String, CaseIterable {
    case requestID = "X-Request-ID"
    case retryAfter = "Retry-After"
    case authenticate = "WWW-Authenticate"
    case allow = "Allow"
    case entityTag = "ETag"
    case cacheControl = "Cache-Control"
    case contentLanguage = "Content-Language"
    case location = "Location"
    case setCookie = "Set-Cookie"

    static let requestIDSchema: JSONValue = ["type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"]

    var description: JSONValue {
        switch self {
        case .requestID:
            ["description": "The request's name in the log.", "schema": Self.requestIDSchema]
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
        case .contentLanguage: ["description": "What the page is written in.", "schema": ["type": "string"]]
        case .location: ["description": "Where the browser goes on.", "schema": ["type": "string"]]
        case .setCookie:
            ["description": "What the browser is known again by, for ten minutes.", "schema": ["type": "string"]]
        }
    }
}
