public import JSON

/// A document of OpenAPI 3.1: what an API says of itself to tools.
public struct OpenAPIDocument: Sendable {
    /// A group of operations.
    public struct Tag: Sendable {
        let name: String
        let description: String

        public init(name: String, description: String) {
            self.name = name
            self.description = description
        }
    }

    /// What operations refer to, each kind by name and in the order it is shown.
    public struct Components: Sendable {
        let json: JSONValue

        public init(
            schemas: [JSONObject.Member], parameters: [JSONObject.Member], headers: [JSONObject.Member],
            examples: [JSONObject.Member], responses: [JSONObject.Member], securitySchemes: [JSONObject.Member]
        ) {
            json = [
                "schemas": .object(JSONObject(schemas)), "parameters": .object(JSONObject(parameters)),
                "headers": .object(JSONObject(headers)), "examples": .object(JSONObject(examples)),
                "responses": .object(JSONObject(responses)),
                "securitySchemes": .object(JSONObject(securitySchemes)),
            ]
        }
    }

    /// The document.
    public let json: JSONValue

    /// - Parameters:
    ///   - info: an Info Object.
    ///   - server: where the API is.
    ///   - tags: in the order a reader wants them.
    ///   - operations: likewise; those of one path come together where the first of them stands.
    public init(
        info: JSONValue, server: String, tags: [Tag], operations: [OperationObject], components: Components
    ) {
        json = [
            "openapi": "3.1.0", "info": info, "servers": [["url": .string(server)]],
            "tags": .array(tags.map { ["name": .string($0.name), "description": .string($0.description)] }),
            "paths": Self.paths(operations), "components": components.json,
        ]
    }

    private static func paths(_ operations: [OperationObject]) -> JSONValue {
        var paths = JSONObject()
        for operation in operations where paths[operation.path] == nil {
            let methods = operations.filter { $0.path == operation.path }
            paths.append(operation.path, .object(JSONObject(methods.map { ($0.method, $0.json) })))
        }
        return .object(paths)
    }
}
