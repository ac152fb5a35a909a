import JSON

/// What generators of clients digest of OpenAPI 3.0: tried with several of them, of which each fails at something else.
enum GeneratorSubset {
    private static let outside: Set<String> = [
        "anyOf", "oneOf", "allOf", "not", "nullable", "const", "enum", "discriminator", "patternProperties",
        "dependentRequired", "minProperties", "maxProperties",
    ]

    /// What of a document is outside; empty when nothing is.
    static func problems(in document: JSONValue) -> [String] {
        var problems = document["openapi"] == "3.0.3" ? [] : ["it is not OpenAPI 3.0.3"]
        for (name, schema) in members(document["components"]?["schemas"]) {
            problems += self.problems(of: schema, name)
        }
        problems += references(document, "$")
        var names: [String: Int] = [:]
        for (path, item) in members(document["paths"]) {
            for (method, operation) in members(item) {
                let place = "\(method) \(path)"
                let name = operation["operationId"]?.string ?? ""
                if name.wholeMatch(of: /[a-z][A-Za-z]*/) == nil {
                    problems.append("\(place): \(name) is no name of a method")
                }
                names[name, default: 0] += 1
                problems += self.problems(of: operation, at: place, document)
            }
        }
        return problems + names.filter { $0.value > 1 }.map { "\($0.key) is there twice" }
    }

    private static func members(_ value: JSONValue?) -> [JSONObject.Member] { value?.object?.members ?? [] }

    private static func problems(of operation: JSONValue, at place: String, _ document: JSONValue) -> [String] {
        let responses = members(operation["responses"]) + members(document["components"]?["responses"])
        let bodies = [(name: "body", value: operation["requestBody"] ?? [:])] + responses
        var problems: [String] = []
        for (name, body) in bodies {
            let content = members(body["content"])
            if content.count > 1 { problems.append("\(place) \(name): several media types") }
            for (_, media) in content {
                let schema = media["schema"] ?? .null
                let isNamed = schema["$ref"] != nil || schema["items"]?["$ref"] != nil || schema["type"] == "string"
                if !isNamed { problems.append("\(place) \(name): the schema has no name") }
            }
        }
        for parameter in operation["parameters"]?.array ?? [] where parameter["$ref"] == nil {
            problems += self.problems(of: parameter["schema"] ?? .null, "\(place) \(parameter["name"]?.string ?? "")")
        }
        return problems
    }

    private static func problems(of schema: JSONValue, _ place: String, isNamed: Bool = true) -> [String] {
        guard schema.object != nil else { return ["\(place): there is no schema"] }
        var problems = members(schema).filter { outside.contains($0.name) }.map { "\(place): \($0.name)" }
        if schema["type"]?.array != nil { problems.append("\(place): several types") }
        let hasProperties = schema["properties"] != nil
        if hasProperties, schema["additionalProperties"] != nil { problems.append("\(place): properties, and others") }
        if hasProperties, !isNamed { problems.append("\(place): an object without a name") }
        if schema["required"]?.array == [] { problems.append("\(place): nothing is required") }
        for (name, property) in members(schema["properties"]) {
            problems += self.problems(of: property, "\(place).\(name)", isNamed: false)
        }
        for word in ["items", "additionalProperties"] {
            guard let inner = schema[word], inner != true else { continue }
            problems += self.problems(of: inner, "\(place).\(word)", isNamed: false)
        }
        return problems
    }

    /// References with something beside them, which is passed over by some and not by others.
    private static func references(_ value: JSONValue, _ place: String) -> [String] {
        let own = value["$ref"] != nil && members(value).count > 1 ? ["\(place): beside $ref"] : []
        return own + members(value).flatMap { references($0.value, "\(place).\($0.name)") }
            + (value.array ?? []).flatMap { references($0, place) }
    }
}
