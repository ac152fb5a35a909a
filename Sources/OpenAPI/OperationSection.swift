import HTML
import JSON

/// One operation on the page.
struct OperationSection {
    let method: String
    let path: String
    let operation: JSONValue
    let document: JSONValue
    let wording: DocumentationPage.Wording

    func write(to page: inout HTMLWriter) {
        page.element("section", attributes: ["id": operation["operationId"]?.string ?? ""]) { page in
            page.element("h3") { page in
                page.element("code", attributes: ["class": "method"], method)
                page.text(" ")
                page.element("code", path)
                page.text(" " + (operation["summary"]?.string ?? ""))
            }
            page.element("p") { $0.prose(operation["description"]?.string ?? "") }
            page.element("p", "Needs: \(access).")
            parameters(&page)
            body(&page)
            answers(&page)
            errors(&page)
        }
    }

    /// In words, from the alternatives of the security requirement.
    private var access: String {
        wording.access((operation["security"]?.array ?? []).map { Set(($0.object?.members ?? []).map(\.name)) })
    }

    private func parameters(_ page: inout HTMLWriter) {
        // What every operation takes stands once, above all of them.
        let own = (operation["parameters"]?.array ?? []).filter { $0["$ref"] == nil }
        guard !own.isEmpty else { return }
        page.element("h4", "Parameters")
        page.element("table") { page in
            for parameter in own {
                page.row(
                    parameter["name"]?.string ?? "",
                    "In the \(parameter["in"]?.string ?? ""). \(parameter["description"]?.string ?? "")")
            }
        }
    }

    private func body(_ page: inout HTMLWriter) {
        guard let content = operation["requestBody"]?["content"]?.object, let first = content.members.first else {
            return
        }
        page.element("h4", "Body")
        page.element("p") { page in
            schemaLink(first.value["schema"], &page)
            page.text(" as ")
            for (index, type) in content.members.enumerated() {
                if index > 0 { page.text(" or ") }
                page.element("code", type.name)
            }
        }
        example(first.value["example"], &page)
    }

    private func answers(_ page: inout HTMLWriter) {
        for (status, response) in responses where !Self.isError(status) {
            page.element("h4", "\(status): \(response["description"]?.string ?? "")")
            guard let content = response["content"]?.object?.members.first else { continue }
            page.element("p") { page in
                schemaLink(content.value["schema"], &page)
                page.text(" as ")
                page.element("code", content.name)
            }
            example(content.value["example"], &page)
        }
    }

    private func errors(_ page: inout HTMLWriter) {
        page.element("h4", "Errors")
        page.element("table") { page in
            for (status, response) in responses where Self.isError(status) {
                let codes = response["content"]?["application/json"]?["examples"]?.object?.members ?? []
                for code in codes {
                    page.element("tr") { page in
                        page.element("td", status)
                        page.element("td") { page in
                            page.element("a", attributes: ["href": "#error-" + code.name]) {
                                $0.element("code", code.name)
                            }
                        }
                        page.element("td") { $0.prose(resolved(code.value)["summary"]?.string ?? "") }
                    }
                }
            }
        }
    }

    private static func isError(_ status: String) -> Bool { status.hasPrefix("4") || status.hasPrefix("5") }

    private var responses: [(status: String, value: JSONValue)] {
        (operation["responses"]?.object?.members ?? []).map { ($0.name, resolved($0.value)) }
    }

    /// What a reference into the document refers to.
    private func resolved(_ value: JSONValue) -> JSONValue {
        guard let reference = value["$ref"]?.string else { return value }
        return reference.dropFirst(2).split(separator: "/").reduce(document as JSONValue?) { $0?[String($1)] } ?? .null
    }

    private func schemaLink(_ schema: JSONValue?, _ page: inout HTMLWriter) {
        SchemaTable.link(schema ?? .null, &page, wording)
    }

    private func example(_ example: JSONValue?, _ page: inout HTMLWriter) {
        guard let example else { return }
        page.element("pre") { $0.element("code", example.indented()) }
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

    private var compact: String { String(decoding: serialized, as: UTF8.self) }
}
