public import JSON

/// A document of OpenAPI 3.0: what an API says of itself to tools.
public struct OpenAPIDocument: Sendable {
    /// A group of operations.
    public struct Tag: Sendable {
        let name: String
        let description: String

        public init(name: String, description: String) {
            (self.name, self.description) = (name, description)
        }
    }

    /// What operations refer to, each kind by name and in the order it is shown. The document has what is referred to.
    public struct Components: Sendable {
        fileprivate let kinds: [(name: String, members: [JSONObject.Member])]

        public init(
            schemas: [JSONObject.Member], parameters: [JSONObject.Member], headers: [JSONObject.Member],
            examples: [JSONObject.Member], responses: [JSONObject.Member], securitySchemes: [JSONObject.Member]
        ) {
            kinds = [
                ("schemas", schemas), ("parameters", parameters), ("headers", headers), ("examples", examples),
                ("responses", responses), ("securitySchemes", securitySchemes),
            ]
        }

        /// Those that something refers to, directly or by way of others.
        ///
        /// - Parameter roots: what refers to them in the first place.
        fileprivate func reached(from roots: [JSONValue]) -> JSONValue {
            var (known, waiting): (Set<String>, [JSONValue]) = ([], roots)
            while let value = waiting.popLast() {
                for name in Self.names(in: value) where known.insert(name).inserted {
                    let component = kinds.lazy.flatMap { kind in
                        kind.members.lazy.filter { "\(kind.name)/\($0.name)" == name }
                    }.first
                    if let component { waiting.append(component.value) }
                }
            }
            let reached = kinds.map { kind in
                (name: kind.name, members: kind.members.filter { known.contains("\(kind.name)/\($0.name)") })
            }
            return .object(
                JSONObject(reached.filter { !$0.members.isEmpty }.map { ($0.name, .object(JSONObject($0.members))) }))
        }

        private static func names(in value: JSONValue) -> [String] {
            let own = value["$ref"]?.string.map { [String($0.dropFirst("#/components/".count))] } ?? []
            // A security requirement names its schemes without a reference (§4.7.30).
            let schemes = (value["security"]?.array ?? []).flatMap { $0.object?.members ?? [] }
                .map { "securitySchemes/\($0.name)" }
            let inside = (value.object?.members ?? []).flatMap { names(in: $0.value) }
            return own + schemes + inside + (value.array ?? []).flatMap { names(in: $0) }
        }
    }

    /// The document.
    public let json: JSONValue

    /// - Parameters:
    ///   - info: an Info Object.
    ///   - server: where the API is.
    ///   - tags: in the order a reader wants them.
    ///   - operations: likewise; those of one path come together where the first of them stands.
    ///   - components: what they may refer to.
    ///   - namedSchemas: those that descriptions name, and nothing refers to.
    public init(
        info: JSONValue, server: String, tags: [Tag], operations: [OperationObject], components: Components,
        namedSchemas: [String] = []
    ) {
        let roots = operations.map(\.json) + namedSchemas.map { ["$ref": .string("#/components/schemas/\($0)")] }
        json = [
            "openapi": "3.0.3", "info": info, "servers": [["url": .string(server)]],
            "tags": .array(tags.map { ["name": .string($0.name), "description": .string($0.description)] }),
            "paths": Self.paths(operations), "components": components.reached(from: roots),
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
