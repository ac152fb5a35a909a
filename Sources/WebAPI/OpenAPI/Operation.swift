internal import HTTPServer
internal import JSON

/// One method of one path, as the document describes it.
struct Operation {
    /// Whom an operation answers.
    enum Access {
        /// Everybody.
        case everybody
        /// Apps: with an API key where some are configured.
        case app
        /// Apps, in the name of the user of a session token.
        case user
        /// Apps, with a session token or without one.
        case userOrApp
    }

    /// The body of a request; JSON and form have the same members.
    struct Body {
        /// The name of a schema among the components.
        let schema: String
        let example: JSONValue
        /// Media types beside JSON and form.
        var otherTypes: [String] = []
    }

    /// An answer that is no error.
    struct Success {
        var status = 200
        let description: String
        /// nil for an answer without a body.
        var schema: JSONValue?
        var example: JSONValue?
        var type = "application/json"
        var headers: [ResponseHeader] = []
    }

    let method: HTTPMethod
    let path: String
    /// The name of the function in generated clients.
    let id: String
    let tag: Tag
    let summary: String
    let description: String
    var access = Access.app
    var parameters: [JSONValue] = []
    var body: Body?
    let successes: [Success]
    /// Errors of its own. Those of its access, of its body and of HTTP are added.
    var errors: [ErrorCode] = []

    var json: JSONValue {
        var object = JSONObject()
        object.append("tags", [.string(tag.rawValue)])
        object.append("summary", .string(summary))
        object.append("description", .string(description))
        object.append("operationId", .string(id))
        let parameters = self.parameters + [Reference.parameter("RequestID")]
        object.append("parameters", .array(parameters))
        if let body { object.append("requestBody", body.json) }
        object.append("responses", responses)
        object.append("security", access.json)
        return .object(object)
    }

    private var responses: JSONValue {
        var object = JSONObject()
        for success in successes { object.append(String(success.status), success.json) }
        let codes = allErrors
        for status in Set(codes.map(\.status)).sorted() {
            object.append(String(status), ErrorResponse(codes.filter { $0.status == status }).json)
        }
        return .object(object)
    }

    /// In the order of ``ErrorCode``.
    private var allErrors: [ErrorCode] {
        var codes = Set(errors + access.errors + ErrorCode.ofHTTP)
        if body != nil { codes.insert(.unsupportedMediaType) }
        if method == .post || method == .patch { codes.insert(.lengthRequired) }
        return ErrorCode.allCases.filter(codes.contains)
    }
}

extension Operation.Body {
    static let form = "application/x-www-form-urlencoded"

    fileprivate var json: JSONValue {
        let media: JSONValue = ["schema": Reference.schema(schema), "example": example]
        let types = ["application/json"] + otherTypes + [Self.form]
        return ["required": true, "content": .object(JSONObject(types.map { ($0, media) }))]
    }
}

extension Operation.Success {
    fileprivate var json: JSONValue {
        var object = JSONObject()
        object.append("description", .string(description))
        object.append("headers", ResponseHeader.json([.requestID] + headers))
        if let schema {
            var media = JSONObject()
            media.append("schema", schema)
            if let example { media.append("example", example) }
            object.append("content", [type: .object(media)])
        }
        return .object(object)
    }
}

extension Operation.Access {
    /// Alternatives (OpenAPI 3.1 §4.8.30): the API key is only asked for where keys are configured.
    fileprivate var json: JSONValue {
        switch self {
        case .everybody: []
        case .app: [[:], ["apiKey": []]]
        case .user: [["bearer": []], ["bearer": [], "apiKey": []]]
        case .userOrApp: [[:], ["apiKey": []], ["bearer": []], ["bearer": [], "apiKey": []]]
        }
    }

    fileprivate var errors: [ErrorCode] {
        switch self {
        case .everybody: []
        case .app: [.invalidAPIKey]
        case .user, .userOrApp: [.invalidAPIKey, .invalidToken, .storageUnavailable]
        }
    }
}

extension ErrorCode {
    /// What HTTP itself may have to say to any request.
    fileprivate static let ofHTTP: [ErrorCode] = [
        .invalidRequest, .requestTimeout, .payloadTooLarge, .uriTooLong, .expectationFailed, .headersTooLarge,
        .notImplemented, .overloaded, .httpVersionNotSupported,
    ]
}
