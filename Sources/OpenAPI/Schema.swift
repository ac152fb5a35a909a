public import JSON

/// Makes schemas: the parts of OpenAPI 3.0's Schema Object (§4.7.24) that an API's messages need and that generators of
/// clients all digest. There are no alternatives, no null and no list of types: what may be one of several things is
/// said in words.
public enum Schema {
    /// An object. Other members may come with later versions, so that clients ignore what they don't know; generators
    /// make something else of an object whose other members have a schema, so that is said of none.
    public static func object(
        _ description: String, required: [String] = [], _ properties: [JSONObject.Member]
    ) -> JSONValue {
        var schema = JSONObject([
            ("type", "object"), ("description", .string(description)), ("properties", .object(JSONObject(properties))),
        ])
        if !required.isEmpty { schema.append("required", .array(required.map { .string($0) })) }
        return .object(schema)
    }

    public static func object(
        _ description: String, required: [String] = [], _ properties: KeyValuePairs<String, JSONValue>
    ) -> JSONValue {
        object(description, required: required, properties.map { ($0.key, $0.value) })
    }

    /// An object of which no member is known beforehand.
    ///
    /// - Parameter values: what each member is: a schema, or true for anything.
    public static func map(_ description: String, values: JSONValue) -> JSONValue {
        ["type": "object", "description": .string(description), "additionalProperties": values]
    }

    /// An object with the members of another one and more. Where both have a member, it is the further one.
    public static func extending(_ base: JSONValue, with further: JSONValue) -> JSONValue {
        let added = further["properties"]?.object?.members ?? []
        let kept = (base["properties"]?.object?.members ?? []).filter { member in
            !added.contains { $0.name == member.name }
        }
        let required = [base, further].flatMap { $0["required"]?.array?.compactMap(\.string) ?? [] }
        return object(further["description"]?.string ?? "", required: required, kept + added)
    }

    public static func text(_ description: String, _ more: KeyValuePairs<String, JSONValue> = [:]) -> JSONValue {
        typed("string", description, more)
    }

    /// Text that is one of some values, to which later versions may add.
    public static func choice(_ description: String, _ values: [String]) -> JSONValue {
        text("\(description) Known values: \(values.map { "`\($0)`" }.joined(separator: ", ")).")
    }

    public static func integer(_ description: String, _ more: KeyValuePairs<String, JSONValue> = [:]) -> JSONValue {
        .object(
            JSONObject(
                [("type", "integer"), ("format", "int64"), ("description", .string(description))]
                    + more.map { ($0.key, $0.value) }))
    }

    public static func boolean(_ description: String) -> JSONValue { typed("boolean", description, [:]) }

    public static func array(of items: JSONValue) -> JSONValue { ["type": "array", "items": items] }

    public static func array(_ description: String, of items: JSONValue) -> JSONValue {
        typed("array", description, ["items": items])
    }

    /// Seconds since 1970.
    public static func time(_ description: String) -> JSONValue {
        integer(description + ", in seconds since 1970.", ["minimum": 0])
    }

    /// Text that apps may send as a number.
    public static func textOrNumber(_ description: String, _ more: KeyValuePairs<String, JSONValue> = [:]) -> JSONValue
    {
        text(description + " In JSON a number is taken, too.", more)
    }

    /// Text that apps may send as a list of texts.
    public static func textOrList(_ description: String, _ more: KeyValuePairs<String, JSONValue> = [:]) -> JSONValue {
        text(description + " In JSON a list of texts is taken, too.", more)
    }

    private static func typed(
        _ type: JSONValue, _ description: String, _ more: KeyValuePairs<String, JSONValue>
    ) -> JSONValue {
        .object(
            JSONObject([("type", type), ("description", .string(description))] + more.map { ($0.key, $0.value) }))
    }
}
