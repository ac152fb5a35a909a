internal import HTML
public import JSON

/// A document of OpenAPI as a page for people: contents, operations with parameters, answers and errors, schemas, error codes.
///
/// It has no script and nothing from elsewhere. Each error of an operation is an example of its answer, whose name is the code.
public struct DocumentationPage: Sendable {
    /// What an API calls things.
    public struct Wording: Sendable {
        let documentPath: String
        let errorSchema: String
        let access: @Sendable ([Set<String>]) -> String

        /// - Parameters:
        ///   - documentPath: where the document is that the page is made from.
        ///   - errorSchema: the schema among the components whose alternatives are the error codes.
        ///   - access: what an operation needs, in words, given the alternatives of its security requirement, each the names of
        ///     the schemes that it takes together.
        public init(
            documentPath: String, errorSchema: String, access: @escaping @Sendable ([Set<String>]) -> String
        ) {
            self.documentPath = documentPath
            self.errorSchema = errorSchema
            self.access = access
        }
    }

    private let document: JSONValue
    private let wording: Wording

    public init(_ document: JSONValue, wording: Wording) {
        self.document = document
        self.wording = wording
    }

    /// The one style sheet of the page, for whose hash a policy must have room.
    public static let style: StaticString = """
        body{margin:0 auto;max-width:60rem;padding:1rem;font:1rem/1.5 system-ui,sans-serif;color:#222;background:#fff}\
        code,pre{font-family:ui-monospace,monospace;font-size:.9em}\
        code{overflow-wrap:anywhere}\
        pre{background:#f4f4f4;padding:.75rem;overflow-x:auto}\
        table{border-collapse:collapse;width:100%;margin:.5rem 0}\
        th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid #ddd}\
        section{margin-bottom:2.5rem}\
        h3{border-top:2px solid #ddd;padding-top:1rem}\
        h4{margin-bottom:.25rem}\
        .method{background:#246;color:#fff;padding:.1rem .4rem;border-radius:.2rem}\
        @media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}pre{background:#262626}a{color:#8bf}}
        """

    public var html: String {
        var page = HTMLWriter()
        let title = "\(text("info", "title")) \(text("info", "version"))"
        page.markup("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
        page.markup("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">")
        page.element("title", title)
        page.style(Self.style)
        page.markup("</head><body>")
        page.element("h1", title)
        for paragraph in paragraphs(text("info", "description")) { page.element("p") { $0.prose(paragraph) } }
        page.element("p") { page in
            page.text("For tools, the same as ")
            page.element("a", attributes: ["href": wording.documentPath], "OpenAPI 3.1")
            page.text(". Base URL: ")
            page.element("code", document["servers"]?.array?.first?["url"]?.string ?? "")
        }
        contents(&page)
        access(&page)
        for tag in document["tags"]?.array ?? [] { group(tag, &page) }
        errors(&page)
        schemas(&page)
        page.markup("</body></html>\n")
        return page.html
    }

    private func text(_ path: String...) -> String {
        path.reduce(document as JSONValue?) { $0?[$1] }?.string ?? ""
    }

    private func paragraphs(_ text: String) -> [String] {
        text.split(separator: "\n").map(String.init)
    }

    /// Every operation, in the document's order.
    private var operations: [(method: String, path: String, value: JSONValue)] {
        (document["paths"]?.object?.members ?? []).flatMap { path in
            (path.value.object?.members ?? []).map { ($0.name.uppercased(), path.name, $0.value) }
        }
    }

    private func contents(_ page: inout HTMLWriter) {
        page.element("table") { page in
            for operation in operations {
                page.element("tr") { page in
                    page.element("td") { page in
                        page.element("a", attributes: ["href": "#" + (operation.value["operationId"]?.string ?? "")]) {
                            page in
                            page.element("code", "\(operation.method) \(operation.path)")
                        }
                    }
                    page.element("td", operation.value["summary"]?.string ?? "")
                }
            }
            for (anchor, name) in [("errors", "All error codes"), ("schemas", "All schemas")] {
                page.element("tr") { page in
                    page.element("td") { $0.element("a", attributes: ["href": "#" + anchor], name) }
                    page.element("td", "")
                }
            }
        }
    }

    private func access(_ page: inout HTMLWriter) {
        page.element("h2", "Headers")
        page.element("table") { page in
            for scheme in document["components"]?["securitySchemes"]?.object?.members ?? [] {
                page.row(scheme.value["name"]?.string ?? "Authorization", scheme.value["description"]?.string ?? "")
            }
            for parameter in document["components"]?["parameters"]?.object?.members ?? [] {
                page.row(parameter.value["name"]?.string ?? "", parameter.value["description"]?.string ?? "")
            }
        }
    }

    private func group(_ tag: JSONValue, _ page: inout HTMLWriter) {
        page.element("h2", tag["name"]?.string ?? "")
        page.element("p") { $0.prose(tag["description"]?.string ?? "") }
        for (method, path, value) in operations where value["tags"]?.array?.first == tag["name"] {
            OperationSection(method: method, path: path, operation: value, document: document, wording: wording).write(
                to: &page)
        }
    }

    private func errors(_ page: inout HTMLWriter) {
        page.element("h2", attributes: ["id": "errors"], "Error codes")
        page.element("table") { page in
            for code in document["components"]?["schemas"]?[wording.errorSchema]?["oneOf"]?.array ?? [] {
                page.element("tr", attributes: ["id": "error-" + (code["const"]?.string ?? "")]) { page in
                    page.element("td", code["title"]?.string ?? "")
                    page.element("td") { $0.element("code", code["const"]?.string ?? "") }
                    page.element("td") { $0.prose(code["description"]?.string ?? "") }
                }
            }
        }
    }

    private func schemas(_ page: inout HTMLWriter) {
        page.element("h2", attributes: ["id": "schemas"], "Schemas")
        for schema in document["components"]?["schemas"]?.object?.members ?? [] where schema.name != wording.errorSchema
        {
            page.element("section", attributes: ["id": "schema-" + schema.name]) { page in
                page.element("h3", schema.name)
                SchemaTable(schema: schema.value, wording: wording).write(to: &page)
            }
        }
    }
}

extension HTMLWriter {
    /// A name and what is said of it.
    mutating func row(_ name: String, _ description: String) {
        element("tr") { row in
            row.element("td") { $0.element("code", name) }
            row.element("td") { $0.prose(description) }
        }
    }
}
