import HTML
import JSON

/// A schema on the page: the members of an object.
struct SchemaTable {
    let schema: JSONValue

    func write(to page: inout HTMLWriter) {
        if let description = schema["description"]?.string { page.element("p") { $0.prose(description) } }
        guard let properties = schema["properties"]?.object?.members, !properties.isEmpty else { return }
        let required = schema["required"]?.array ?? []
        page.list { page in
            for property in properties {
                page.element("dt") { page in
                    page.code(property.name)
                    page.text(" ")
                    Self.link(property.value, &page)
                    if required.contains(.string(property.name)) { page.text(", always") }
                }
                page.element("dd") { $0.prose(Self.remarks(property.value)) }
            }
        }
    }

    /// The description, and what else a value keeps to.
    private static func remarks(_ schema: JSONValue) -> String {
        var remarks = schema["description"]?.string.map { [$0] } ?? []
        if let pattern = schema["pattern"]?.string { remarks.append("`\(pattern)`") }
        if let most = schema["maxLength"]?.integer { remarks.append("At most \(most) characters.") }
        return remarks.joined(separator: " ")
    }

    /// The type, with a link where it is a schema of its own.
    static func link(_ schema: JSONValue, _ page: inout HTMLWriter) {
        if let name = schema["$ref"]?.string?.split(separator: "/").last.map(String.init) {
            page.element("a", attributes: ["href": "#schema-" + name], name)
        } else if let items = schema["items"] {
            page.text("array of ")
            link(items, &page)
        } else {
            page.text(schema["type"]?.string ?? "any")
        }
    }
}
