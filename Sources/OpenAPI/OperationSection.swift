import HTML
import JSON

/// One operation on the page.
struct OperationSection {
    let operation: DocumentReader.Operation
    let document: DocumentReader
    let wording: DocumentationPage.Wording

    func write(to page: inout HTMLWriter) {
        page.element("section", attributes: ["id": operation.id]) { page in
            page.element("h3") { page in
                page.code(operation.name)
                page.text(" " + operation.text("summary"))
            }
            page.description(operation.text("description"), document.links)
            page.element("p", "Needs: \(access).")
            page.block(CurlCommand(operation: operation, document: document).text)
            parameters(&page)
            body(&page)
            answers(&page)
            errors(&page)
        }
    }

    /// In words, from the alternatives of the security requirement.
    private var access: String {
        wording.access(
            (operation.value["security"]?.array ?? []).map { Set(($0.object?.members ?? []).map(\.name)) })
    }

    private func parameters(_ page: inout HTMLWriter) {
        // What every operation takes stands once, above all of them.
        let own = (operation.value["parameters"]?.array ?? []).filter { $0["$ref"] == nil }
        guard !own.isEmpty else { return }
        page.element("h4", "Parameters")
        page.list { page in
            for parameter in own {
                page.element("dt") { page in
                    page.code(parameter["name"]?.string ?? "")
                    page.text(" in the \(parameter["in"]?.string ?? "")")
                    if parameter["required"] == true { page.text(", always") }
                }
                page.element("dd") { $0.prose(parameter["description"]?.string ?? "") }
            }
        }
    }

    private func body(_ page: inout HTMLWriter) {
        guard let content = operation.value["requestBody"]?["content"]?.object?.members.first else { return }
        page.element("h4", "Body")
        page.element("p") { page in
            SchemaTable.link(content.value["schema"] ?? .null, &page)
            page.text(" as ")
            page.code(content.name)
        }
    }

    private func answers(_ page: inout HTMLWriter) {
        for (status, response) in responses where !Self.isError(status) {
            page.element("h4", "\(status): \(response["description"]?.string ?? "")")
            guard let content = response["content"]?.object?.members.first else { continue }
            page.element("p") { page in
                SchemaTable.link(content.value["schema"] ?? .null, &page)
                page.text(" as ")
                page.code(content.name)
            }
            if let example = content.value["example"] { page.block(example.indented()) }
        }
    }

    private func errors(_ page: inout HTMLWriter) {
        let errors = responses.filter { Self.isError($0.status) }
        if errors.isEmpty { return }
        page.element("h4", "Errors")
        page.list { page in
            for (status, response) in errors {
                ErrorEntries(document: document).write(response, status, to: &page)
            }
        }
    }

    private static func isError(_ status: String) -> Bool { status.hasPrefix("4") || status.hasPrefix("5") }

    /// By status; what all operations have in common stands once, above all of them.
    private var responses: [(status: String, value: JSONValue)] {
        (operation.value["responses"]?.object?.members ?? []).filter { $0.name != "default" }
            .map { ($0.name, document.resolved($0.value)) }
    }
}

/// The errors that one answer may have, each with what to do about it.
struct ErrorEntries {
    let document: DocumentReader

    /// - Parameter status: of an answer that has no examples, which is described as a whole.
    func write(_ response: JSONValue, _ status: String = "", to page: inout HTMLWriter) {
        let codes = response["content"]?["application/json"]?["examples"]?.object?.members ?? []
        guard !codes.isEmpty else {
            page.element("dt", status)
            page.element("dd") { $0.prose(response["description"]?.string ?? "") }
            return
        }
        for code in codes {
            let described = document.resolved(code.value)
            page.element("dt") { page in
                page.element("a", attributes: ["href": "#error-" + code.name]) { $0.code(code.name) }
                page.text(" " + (described["summary"]?.string ?? ""))
            }
            page.element("dd") { $0.prose(described["description"]?.string ?? "") }
        }
    }
}

extension JSONValue {
    /// This value as JSON with line breaks, for people.
    func indented(_ margin: String = "") -> String {
        let inner = margin + "  "
        switch self {
        case .object(let object) where !object.members.isEmpty:
            let members = object.members.map { member in
                "\(inner)\(JSONValue.string(member.name).compact): \(member.value.indented(inner))"
            }
            return "{\n\(members.joined(separator: ",\n"))\n\(margin)}"
        case .array(let elements) where !elements.isEmpty:
            return "[\n\(elements.map { inner + $0.indented(inner) }.joined(separator: ",\n"))\n\(margin)]"
        default: return compact
        }
    }

    /// The same on one line.
    var compact: String { String(decoding: serialized, as: UTF8.self) }
}
