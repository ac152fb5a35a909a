import JSON

/// Checks values against schemas: as much of OpenAPI 3.0's as the documents use, and of what they must not. A keyword
/// that is not understood is a problem of its own, so that nothing is passed over in silence.
///
/// Schemas say what clients may rely on and leave room for more; a test leaves none. An object member that no schema
/// names is a problem unless `additionalProperties` lets it in.
struct SchemaCheck {
    let document: JSONValue

    /// What is wrong with a value; empty when nothing is.
    func problems(_ value: JSONValue, _ schema: JSONValue, at path: String = "$") -> [String] {
        open(value, schema, path) + strangers(value, schema, path)
    }

    /// What a reference refers to, or the value itself.
    func resolved(_ value: JSONValue) -> JSONValue {
        guard let reference = value["$ref"]?.string else { return value }
        guard reference.hasPrefix("#/") else { return .null }
        return reference.dropFirst(2).split(separator: "/").reduce(document as JSONValue?) { $0?[String($1)] } ?? .null
    }

    /// Members that no schema names.
    private func strangers(_ value: JSONValue, _ schema: JSONValue, _ path: String) -> [String] {
        guard let object = value.object, !takesAny(schema) else { return [] }
        let known = names(schema)
        return object.members.filter { !known.contains($0.name) }.map { "\(path).\($0.name) is not documented" }
    }

    private func parts(_ schema: JSONValue) -> [JSONValue] {
        (schema["$ref"] == nil ? [] : [resolved(schema)]) + (schema["allOf"]?.array ?? [])
    }

    private func names(_ schema: JSONValue) -> Set<String> {
        let own = Set(schema["properties"]?.object?.members.map(\.name) ?? [])
        return parts(schema).reduce(own) { $0.union(names($1)) }
    }

    /// Whether what is no property is let in, or looked at elsewhere: by the alternatives themselves.
    private func takesAny(_ schema: JSONValue) -> Bool {
        schema["additionalProperties"] != nil || schema["oneOf"] != nil || parts(schema).contains(where: takesAny)
            || schema.object?.members.map(\.name) == ["description"]
    }

    private func open(_ value: JSONValue, _ schema: JSONValue, _ path: String) -> [String] {
        guard let keywords = schema.object else { return ["\(path): there is no schema"] }
        return keywords.members.flatMap { keyword in
            problems(value, keyword.name, keyword.value, schema, path)
        }
    }

    private func problems(
        _ value: JSONValue, _ keyword: String, _ rule: JSONValue, _ schema: JSONValue, _ path: String
    ) -> [String] {
        switch keyword {
        case "description", "title", "example", "format": return []
        case "$ref": return open(value, resolved(schema), path)
        case "allOf": return (rule.array ?? []).flatMap { open(value, $0, path) }
        case "anyOf":
            return (rule.array ?? []).contains { open(value, $0, path).isEmpty } ? [] : ["\(path) fits no alternative"]
        case "oneOf":
            let fits = (rule.array ?? []).map { problems(value, $0, at: path) }
            if fits.filter(\.isEmpty).count == 1 { return [] }
            return ["\(path) does not fit one alternative"] + fits.flatMap(\.self)
        case "properties":
            return (rule.object?.members ?? []).flatMap { property in
                value[property.name].map { problems($0, property.value, at: "\(path).\(property.name)") } ?? []
            }
        case "additionalProperties":
            guard rule != true, let object = value.object else { return [] }
            let known = names(schema)
            return object.members.filter { !known.contains($0.name) }
                .flatMap { problems($0.value, rule, at: "\(path).\($0.name)") }
        case "required":
            guard value.object != nil else { return [] }
            return (rule.array ?? []).compactMap(\.string).filter { value[$0] == nil }.map {
                "\(path).\($0) is missing"
            }
        case "dependentRequired":
            let needed = (rule.object?.members ?? []).filter { value[$0.name] != nil }.flatMap { $0.value.array ?? [] }
            return needed.compactMap(\.string).filter { value[$0] == nil }.map { "\(path).\($0) is missing" }
        case "items":
            return (value.array ?? []).enumerated().flatMap { problems($1, rule, at: "\(path)[\($0)]") }
        default:
            return fits(value, keyword, rule).map { $0 ? [] : ["\(path) breaks \(keyword)"] }
                ?? ["\(path): the keyword \(keyword) is not understood"]
        }
    }

    /// Whether a value keeps to a rule about itself alone; nil for a rule that is not understood.
    private func fits(_ value: JSONValue, _ keyword: String, _ rule: JSONValue) -> Bool? {
        switch keyword {
        case "type": return (rule.array ?? [rule]).contains { $0.string == value.schemaType }
        case "const": return value == rule
        case "enum": return rule.array?.contains(value) == true
        case "minimum": return value.integer.map { $0 >= rule.integer ?? .max } ?? true
        case "maximum": return value.integer.map { $0 <= rule.integer ?? .min } ?? true
        case "maxLength": return value.string.map { $0.unicodeScalars.count <= rule.integer ?? 0 } ?? true
        case "minLength": return value.string.map { $0.unicodeScalars.count >= rule.integer ?? .max } ?? true
        case "minProperties": return value.object.map { $0.members.count >= rule.integer ?? .max } ?? true
        case "maxProperties": return value.object.map { $0.members.count <= rule.integer ?? -1 } ?? true
        case "pattern":
            guard let text = value.string else { return true }
            guard let regex = try? Regex(rule.string ?? "(") else { return nil }
            return text.contains(regex)
        default: return nil
        }
    }
}

extension JSONValue {
    fileprivate var schemaType: String {
        switch self {
        case .null: "null"
        case .doubtful: "nothing that can be trusted"
        case .boolean: "boolean"
        case .integer: "integer"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
