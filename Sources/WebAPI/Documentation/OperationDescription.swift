internal import Apps
internal import HTTPServer
package import JSON
internal import OpenAPI

/// What the document says of an operation, beside its method, its path and whom it answers.
package struct OperationDescription: Sendable {
    /// The body of a request; JSON and form have the same members.
    package struct Body: Sendable {
        /// The name of a schema among the components.
        let schema: String
        let example: JSONValue
        /// What takes JSON takes a form, too, which the document says in words: generators mix up several types.
        var takesJSON = true

        package init(schema: String, example: JSONValue, takesJSON: Bool = true) {
            (self.schema, self.example, self.takesJSON) = (schema, example, takesJSON)
        }
    }

    /// An answer that is no error, or is told otherwise than errors of the API are.
    package struct Success: Sendable {
        var status = 200
        let description: String
        /// nil for an answer without a body.
        var schema: JSONValue?
        var example: JSONValue?
        var type = "application/json"
        var headers: [ResponseHeader] = []

        package init(
            status: Int = 200, description: String, schema: JSONValue? = nil, example: JSONValue? = nil,
            type: String = "application/json", headers: [ResponseHeader] = []
        ) {
            (self.status, self.description, self.schema, self.example) = (status, description, schema, example)
            (self.type, self.headers) = (type, headers)
        }
    }

    /// The name of the function in generated clients.
    let id: String
    let tag: OperationGroup
    let summary: String
    let description: String
    private(set) var parameters: [JSONValue] = []
    var body: Body?
    private(set) var successes: [Success]
    /// Errors of its own. Those of its access, of its body and of HTTP are added.
    var errors: [ErrorCode] = []

    package init(
        id: String, tag: OperationGroup, summary: String, description: String, parameters: [JSONValue] = [],
        body: Body? = nil, successes: [Success], errors: [ErrorCode] = []
    ) {
        (self.id, self.tag, self.summary, self.description) = (id, tag, summary, description)
        (self.parameters, self.body, self.successes, self.errors) = (parameters, body, successes, errors)
    }

    /// The same of an answer that is not sent to who has it (``HTTPResponse/unlessKnown(to:as:)``).
    package var conditional: Self {
        var copy = self
        copy.parameters.append([
            "name": "If-None-Match", "in": "header", "required": false,
            "description": "The `ETag` of an earlier answer (RFC 9110 §13.1.2).", "schema": ["type": "string"],
        ])
        copy.successes = successes.map { success in
            var tagged = success
            tagged.headers.insert(.entityTag, at: 0)
            return tagged
        }
        copy.successes.append(
            Success(
                status: 304, description: "It has not changed.",
                headers: copy.successes.first?.headers ?? [.entityTag]))
        return copy
    }
}

extension Operation {
    /// As the document has it.
    var object: OperationObject {
        OperationObject(
            method: method.rawValue, path: path, tag: description.tag.name, summary: description.summary,
            description: description.description + permissionSentence, id: description.id,
            parameters: description.parameters + (act == nil ? [] : [OperatorAct.reasonParameter])
                + [Reference.parameter("RequestID")],
            body: description.body?.object, responses: responses,
            otherwise: Reference.response(ErrorResponse.ofHTTP), security: access.security)
    }

    private var permissionSentence: String {
        if let act { return act.sentence }
        return permission.map { "\n\nThe token must have the scope `\($0.rawValue)`." } ?? ""
    }

    private var responses: [(status: Int, value: JSONValue)] {
        let successes = description.successes.map { ($0.status, $0.object.json) }
        let codes = errors
        // What an operation has a page for is not told as JSON, too.
        let statuses = Set(codes.map(\.status)).subtracting(successes.map(\.0)).sorted()
        return successes
            + statuses.map { status in (status, ErrorResponse(codes.filter { $0.status == status }).json) }
    }

    /// In the order of ``ErrorCode``.
    private var errors: [ErrorCode] {
        let ofBody: [ErrorCode] = description.body != nil && !access.hasPages ? [.invalidRequest] : []
        let ofPermission: [ErrorCode] = permission == nil ? [] : [.insufficientScope]
        let ofRole: [ErrorCode] = act == nil ? [] : [.insufficientRole, .invalidRequest]
        return ErrorCode.ordered(description.errors + access.errors + ofPermission + ofRole + ofBody)
    }
}

extension OperationDescription.Body {
    fileprivate var object: RequestBodyObject {
        RequestBodyObject(
            schema: schema, example: example,
            type: takesJSON ? "application/json" : "application/x-www-form-urlencoded")
    }
}

extension OperationDescription.Success {
    fileprivate var object: ResponseObject {
        ResponseObject(
            description: description, headers: ([.requestID] + headers).map(\.rawValue), schema: schema,
            example: example, type: type)
    }
}

/// Whom operations answer, as a document says it.
extension Access {
    private static let (apiKey, bearerToken, basic, clientBasic) = ("apiKey", "bearer", "basic", "client")

    /// Alternatives, each the names of the schemes that it takes together (OpenAPI 3.0 §4.7.30); an empty one takes
    /// none. The API key is only asked for where keys are configured.
    var security: [[String]] {
        switch self {
        case .everybody, .browser, .provider, .probe: []
        case .operators: [[Self.bearerToken]]
        case .app: [[], [Self.apiKey]]
        case .client: [[], [Self.apiKey], [Self.basic]]
        case .bearer: [[Self.bearerToken]]
        case .introspector: [[Self.basic]]
        case .userAndClient: [[Self.bearerToken, Self.clientBasic]]
        case .user: [[Self.bearerToken], [Self.bearerToken, Self.apiKey]]
        case .userOrApp: [[], [Self.apiKey], [Self.bearerToken], [Self.bearerToken, Self.apiKey]]
        }
    }

    /// The same in words, for people.
    static func words(_ alternatives: [Set<String>]) -> String {
        let (takesKey, takesBearer) = (
            alternatives.contains { $0.contains(apiKey) }, alternatives.contains { $0.contains(bearerToken) }
        )
        let key = "the API key, where keys are configured"
        if alternatives.contains([basic]) {
            return alternatives.count == 1
                ? "id and secret" : "\(key), or a client_id of ours, with its secret if it has one"
        }
        if alternatives == [[bearerToken, clientBasic]] { return "a session token, and an app's id and secret" }
        if alternatives == [[bearerToken]] { return "a session token" }
        switch (takesKey, takesBearer) {
        case (false, _): return "nothing"
        case (true, false): return key
        case (true, true):
            let needsBearer = alternatives.allSatisfy { $0.contains(bearerToken) }
            return "\(needsBearer ? "a session token" : "a session token, or none"), and \(key)"
        }
    }

    /// Whether what goes wrong is told by a page.
    var hasPages: Bool { self == .browser }

    /// What is told those who are not answered.
    var errors: [ErrorCode] {
        switch self {
        // A wrong token is refused also where none is needed.
        case .probe, .operators: [.invalidToken, .rateLimited]
        case .everybody, .browser, .introspector, .provider: []
        case .app: [.invalidAPIKey]
        case .client: [.invalidAPIKey, .invalidClient]
        case .bearer: [.invalidToken, .storageUnavailable]
        case .userAndClient: [.invalidClient, .invalidToken, .storageUnavailable]
        case .user, .userOrApp: [.invalidAPIKey, .invalidToken, .storageUnavailable]
        }
    }
}

extension ErrorCode {
    /// What HTTP itself may have to say to any request, whatever it is for.
    static let ofHTTP: [ErrorCode] = [
        .invalidRequest, .notFound, .methodNotAllowed, .requestTimeout, .payloadTooLarge, .uriTooLong,
        .unsupportedMediaType, .expectationFailed, .headersTooLarge, .notImplemented, .overloaded,
        .httpVersionNotSupported,
    ]
}
