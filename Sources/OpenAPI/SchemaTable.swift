import HTML
import JSON

/// A schema on the page: the members of its objects.
struct SchemaTable {
    let schema: JSONValue
    let wording: DocumentationPage.Wording

    func write(to page: inout HTMLWriter) {
        if let description = schema["description"]?.string { page.element("p") { $0.prose(description) } }
        var parts = schema["allOf"]?.array ?? []
        for part in parts where part["$ref"] != nil {
            page.element("p") { page in
                page.text("All members of ")
                Self.link(part, &page, wording)
                page.text(", and:")
            }
        }
        parts.append(schema)
        for part in parts { members(of: part, &page) }
    }

    private func members(of part: JSONValue, _ page: inout HTMLWriter) {
        guard let properties = part["properties"]?.object?.members, !properties.isEmpty else { return }
        let required = part["required"]?.array ?? []
        page.element("table") { page in
            for property in properties {
                page.element("tr") { page in
                    page.element("td") { $0.element("code", property.name) }
                    page.element("td") { page in
                        Self.link(property.value, &page, wording)
                        if required.contains(.string(property.name)) { page.text(", always") }
                    }
                    page.element("td") { page in
                        page.prose(Self.remarks(property.value))
                        SchemaTable(schema: .object(Self.nested(property.value)), wording: wording).members(
                            of: property.value, &page)
                    }
                }
            }
        }
    }

    private static func nested(_ schema: JSONValue) -> JSONObject { schema.object ?? JSONObject() }

    /// The description, and the values that are possible.
    private static func remarks(_ schema: JSONValue) -> String {
        var remarks = schema["description"]?.string.map { [$0] } ?? []
        if let constant = schema["const"]?.string { remarks.append("`\(constant)`.") }
        if let values = schema["enum"]?.array {
            remarks.append(values.compactMap(\.string).map { "`\($0)`" }.joined(separator: ", ") + ".")
        }
        if let pattern = schema["pattern"]?.string { remarks.append("`\(pattern)`") }
        if let most = schema["maxLength"]?.integer { remarks.append("At most \(most) characters.") }
        return remarks.joined(separator: " ")
    }

    /// The type, with a link where it is a schema of its own.
    static func link(_ schema: JSONValue, _ page: inout HTMLWriter, _ wording: DocumentationPage.Wording) {
        if let name = schema["$ref"]?.string?.split(separator: "/").last.map(String.init) {
            page.element("a", attributes: ["href": name == wording.errorSchema ? "#errors" : "#schema-" + name], name)
        } else if let items = schema["items"] {
            page.text("array of ")
            link(items, &page, wording)
        } else if let types = schema["type"]?.array {
            page.text(types.compactMap(\.string).joined(separator: " or "))
        } else {
            page.text(schema["type"]?.string ?? "string")
        }
    }
}
