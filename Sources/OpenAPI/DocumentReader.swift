import JSON

/// Reads a document for its page.
struct DocumentReader: Sendable {
    /// One method of one path.
    struct Operation: Sendable {
        let method: String
        let path: String
        let value: JSONValue

        /// Such as `GET /users/me`.
        var name: String { "\(method) \(path)" }
        var id: String { text("operationId") }

        func text(_ member: String) -> String { value[member]?.string ?? "" }
    }

    let value: JSONValue
    /// Every operation, in the document's order.
    let operations: [Operation]
    /// Where on the page the operations are, by their names.
    let links: [String: String]

    init(_ value: JSONValue) {
        self.value = value
        let paths = value["paths"]?.object?.members ?? []
        let operations = paths.flatMap { path in
            (path.value.object?.members ?? []).map {
                Operation(method: $0.name.uppercased(), path: path.name, value: $0.value)
            }
        }
        self.operations = operations
        links = Dictionary(operations.map { ($0.name, "#" + $0.id) }, uniquingKeysWith: { first, _ in first })
    }

    func operations(of tag: JSONValue) -> [Operation] {
        operations.filter { $0.value["tags"]?.array?.first == tag["name"] }
    }

    func text(_ path: String...) -> String { path.reduce(value as JSONValue?) { $0?[$1] }?.string ?? "" }

    /// Where the API is; nil where only the reader knows.
    var server: String? {
        value["servers"]?.array?.first?["url"]?.string.flatMap { $0 == "/" ? nil : $0 }
    }

    /// What a reference into the document refers to, or the value itself.
    func resolved(_ value: JSONValue) -> JSONValue {
        guard let reference = value["$ref"]?.string else { return value }
        return reference.dropFirst(2).split(separator: "/").reduce(self.value as JSONValue?) { $0?[String($1)] }
            ?? .null
    }
}
