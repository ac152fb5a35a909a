public import JSON

/// Makes schemas: the parts of JSON Schema 2020-12 that an API's messages need.
public enum Schema {
    /// An object. Other members may come with later versions, so that clients ignore what they don't know; that is why
    /// `additionalProperties` is only said where other members are known to come.
    public static func object(
        _ description: String, required: [String] = [], _ properties: KeyValuePairs<String, JSONValue>
    ) -> JSONValue {
        .object(
            JSONObject([
                ("type", "object"), ("description", .string(description)),
                ("properties", .object(JSONObject(properties.map { ($0.key, $0.value) }))),
                ("required", .array(required.map { .string($0) })),
            ]))
    }

    /// An object whose members are not known beforehand, but for those that are named here.
    ///
    /// - Parameter values: what any other member is: a schema, or true for anything.
    public static func open(
        _ description: String, required: [String] = [], values: JSONValue,
        _ properties: KeyValuePairs<String, JSONValue> = [:]
    ) -> JSONValue {
        let schema = object(description, required: required, properties)
        return .object(JSONObject((schema.object?.members ?? []) + [("additionalProperties", values)]))
    }

    /// A schema with the members of another one and more.
    public static func extending(_ name: String, with schema: JSONValue) -> JSONValue {
        ["allOf": [Reference.schema(name), schema]]
    }

    public static func text(_ description: String, _ more: KeyValuePairs<String, JSONValue> = [:]) -> JSONValue {
        typed("string", description, more)
    }

    public static func integer(_ description: String, _ more: KeyValuePairs<String, JSONValue> = [:]) -> JSONValue {
        typed("integer", description, more)
    }

    public static func boolean(_ description: String) -> JSONValue { typed("boolean", description, [:]) }

    public static func array(of items: JSONValue) -> JSONValue { ["type": "array", "items": items] }

    /// Seconds since 1970.
    public static func time(_ description: String) -> JSONValue {
        integer(description + ", in seconds since 1970.", ["minimum": 0])
    }

    /// Text that apps may send as a number.
    public static func textOrNumber(_ description: String, _ more: KeyValuePairs<String, JSONValue> = [:]) -> JSONValue
    {
        typed(["string", "integer"], description, more)
    }

    public static func typed(
        _ type: JSONValue, _ description: String, _ more: KeyValuePairs<String, JSONValue>
    ) -> JSONValue {
        .object(
            JSONObject(
                [("type", type), ("description", .string(description))] + more.map { ($0.key, $0.value) }))
    }

    /// Text that apps may send as a list of texts.
    public static func textOrList(_ description: String, _ more: KeyValuePairs<String, JSONValue> = [:]) -> JSONValue {
        var schema = JSONObject([("type", ["string", "array"]), ("description", .string(description))])
        for (name, value) in more { schema.append(name, value) }
        schema.append("items", ["type": "string"])
        return .object(schema)
    }
}
