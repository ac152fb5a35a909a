public import JSON

/// One method of one path, as a document describes it (OpenAPI 3.0 §4.7.10).
public struct OperationObject: Sendable {
    /// In small letters, as the path's object names it.
    let method: String
    let path: String
    public let json: JSONValue

    /// - Parameters:
    ///   - method: such as `GET`.
    ///   - path: with its parameters in braces.
    ///   - tag: the name of its group.
    ///   - id: the name of the function in generated clients.
    ///   - parameters: Parameter Objects, or references to some.
    ///   - responses: by status, in the order they are shown.
    ///   - otherwise: what is answered with any other status.
    ///   - security: alternatives, each the names of the schemes that it takes together; an empty one takes none.
    public init(
        method: String, path: String, tag: String, summary: String, description: String, id: String,
        parameters: [JSONValue], body: RequestBodyObject?, responses: [(status: Int, value: JSONValue)],
        otherwise: JSONValue, security: [[String]]
    ) {
        self.method = method.lowercased()
        self.path = path
        var object = JSONObject()
        object.append("tags", [.string(tag)])
        object.append("summary", .string(summary))
        object.append("description", .string(description))
        object.append("operationId", .string(id))
        if !parameters.isEmpty { object.append("parameters", .array(parameters)) }
        if let body { object.append("requestBody", body.json) }
        object.append(
            "responses", .object(JSONObject(responses.map { (String($0.status), $0.value) } + [("default", otherwise)]))
        )
        object.append("security", .array(security.map { .object(JSONObject($0.map { ($0, []) })) }))
        json = .object(object)
    }
}

/// The body that an operation needs (OpenAPI 3.0 §4.7.13), in one type: of several, generators take the first, or mix
/// them up.
public struct RequestBodyObject: Sendable {
    let json: JSONValue

    /// - Parameters:
    ///   - schema: the name of a schema among the components.
    ///   - type: its media type.
    public init(schema: String, example: JSONValue, type: String) {
        let media: JSONValue = ["schema": Reference.schema(schema), "example": example]
        json = ["required": true, "content": .object(JSONObject([(type, media)]))]
    }
}

/// What an operation answers with one status (OpenAPI 3.0 §4.7.17).
public struct ResponseObject: Sendable {
    public let json: JSONValue

    /// - Parameters:
    ///   - headers: the names of headers among the components.
    ///   - schema: nil for an answer without a body.
    ///   - type: the media type of the body.
    public init(
        description: String, headers: [String], schema: JSONValue?, example: JSONValue? = nil, type: String
    ) {
        var object = JSONObject()
        object.append("description", .string(description))
        if !headers.isEmpty { object.append("headers", Reference.headers(headers)) }
        if let schema {
            var media = JSONObject()
            media.append("schema", schema)
            if let example { media.append("example", example) }
            object.append("content", [type: .object(media)])
        }
        json = .object(object)
    }
}

/// References to components of the same document (OpenAPI 3.0 §4.7.23).
public enum Reference {
    public static func schema(_ name: String) -> JSONValue { to("schemas", name) }
    public static func parameter(_ name: String) -> JSONValue { to("parameters", name) }
    public static func response(_ name: String) -> JSONValue { to("responses", name) }
    public static func example(_ name: String) -> JSONValue { to("examples", name) }

    /// The headers of an answer, each described among the components.
    public static func headers(_ names: [String]) -> JSONValue {
        .object(JSONObject(names.map { ($0, to("headers", $0)) }))
    }

    private static func to(_ kind: String, _ name: String) -> JSONValue {
        ["$ref": .string("#/components/\(kind)/\(name)")]
    }
}
