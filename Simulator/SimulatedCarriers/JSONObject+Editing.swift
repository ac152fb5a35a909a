internal import JSON

extension JSONObject {
    /// Gives a member another value in its place, or adds it.
    mutating func set(_ name: String, _ value: JSONValue) {
        if self[name] == nil {
            append(name, value)
        } else {
            self = JSONObject(members.map { $0.name == name ? (name, value) : $0 })
        }
    }

    mutating func remove(_ name: String) {
        self = JSONObject(members.filter { $0.name != name })
    }

    /// Adds a member when there is a value for it.
    mutating func append(_ name: String, ifPresent value: String?) {
        if let value { append(name, .string(value)) }
    }
}

extension JSONValue {
    static func strings(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }
}
