internal import HTML
public import JSON

/// A document of OpenAPI as a page for people: what the API is for and the way through it, then each operation with a
/// line to copy, its answers and its own errors, and at the end the schemas and all error codes.
///
/// It has no script and nothing from elsewhere. Each error of an operation is an example of its answer, whose name is
/// the code.
public struct DocumentationPage: Sendable {
    /// What an API calls things.
    public struct Wording: Sendable {
        let documentPath: String
        let usualAddress: String
        let commonErrors: String
        let access: @Sendable ([Set<String>]) -> String

        /// - Parameters:
        ///   - documentPath: where the document is that the page is made from.
        ///   - usualAddress: where the API usually is, for readers of a document that does not say it.
        ///   - commonErrors: the response among the components whose errors any operation can give.
        ///   - access: what an operation needs, in words, given the alternatives of its security requirement, each the
        ///     names of the schemes that it takes together.
        public init(
            documentPath: String, usualAddress: String, commonErrors: String,
            access: @escaping @Sendable ([Set<String>]) -> String
        ) {
            (self.documentPath, self.usualAddress, self.commonErrors) = (documentPath, usualAddress, commonErrors)
            self.access = access
        }
    }

    let document: DocumentReader
    let wording: Wording

    public init(_ document: JSONValue, wording: Wording) {
        self.document = DocumentReader(document)
        self.wording = wording
    }

    /// The document as HTML, in UTF-8.
    public var html: String {
        let title = document.text("info", "title") + " " + document.text("info", "version")
        return HTMLWriter.page(title) { page in
            page.element("h1", title)
            page.description(document.text("info", "description"), document.links)
            address(&page)
            contents(&page)
            everyRequest(&page)
            for tag in document.value["tags"]?.array ?? [] { group(tag, &page) }
            schemas(&page)
            codes(&page)
        }
    }

    private func address(_ page: inout HTMLWriter) {
        page.element("p") { page in
            if let server = document.server {
                page.text("Base URL: ")
                page.element("code", server)
            } else {
                page.text("The lines below ask the server at ")
                page.element("code", "$GATEHOUSE")
                page.text(", which you set once, to the address that you read this at:")
            }
        }
        if document.server == nil { page.block("GATEHOUSE=" + CurlCommand.quoted(wording.usualAddress)) }
        page.element("p") { page in
            page.text("For tools, the same as ")
            page.element("a", attributes: ["href": wording.documentPath], "OpenAPI 3.0")
            page.text(".")
        }
    }

    private func contents(_ page: inout HTMLWriter) {
        page.element("nav") { page in
            for tag in document.value["tags"]?.array ?? [] {
                page.element("h2", tag["name"]?.string ?? "")
                page.element("ul") { page in
                    for operation in document.operations(of: tag) {
                        page.element("li") { page in
                            page.element("a", attributes: ["href": "#" + operation.id]) { $0.code(operation.name) }
                            page.text(" " + operation.text("summary"))
                        }
                    }
                }
            }
            page.element("p") { page in
                for (anchor, name) in [("every", "Every request"), ("schemas", "Schemas"), ("errors", "Error codes")] {
                    page.element("a", attributes: ["href": "#" + anchor], name)
                    page.text(" ")
                }
            }
        }
    }

    /// What all operations have in common: headers, and what HTTP itself may say.
    private func everyRequest(_ page: inout HTMLWriter) {
        let components = document.value["components"]
        page.element("h2", attributes: ["id": "every"], "Every request")
        page.list { page in
            for scheme in components?["securitySchemes"]?.object?.members ?? [] {
                page.entry(scheme.value["name"]?.string ?? "Authorization", scheme.value["description"]?.string ?? "")
            }
            for parameter in components?["parameters"]?.object?.members ?? [] {
                page.entry(parameter.value["name"]?.string ?? "", parameter.value["description"]?.string ?? "")
            }
        }
        guard let response = components?["responses"]?[wording.commonErrors] else { return }
        page.element("p") { $0.prose(response["description"]?.string ?? "") }
        page.list { page in ErrorEntries(document: document).write(response, to: &page) }
    }

    private func group(_ tag: JSONValue, _ page: inout HTMLWriter) {
        page.element("h2", tag["name"]?.string ?? "")
        page.description(tag["description"]?.string ?? "", document.links)
        for operation in document.operations(of: tag) {
            OperationSection(operation: operation, document: document, wording: wording).write(to: &page)
        }
    }

    private func schemas(_ page: inout HTMLWriter) {
        page.element("h2", attributes: ["id": "schemas"], "Schemas")
        for schema in document.value["components"]?["schemas"]?.object?.members ?? [] {
            page.element("section", attributes: ["id": "schema-" + schema.name]) { page in
                page.element("h3", schema.name)
                SchemaTable(schema: schema.value).write(to: &page)
            }
        }
    }

    private func codes(_ page: inout HTMLWriter) {
        page.element("h2", attributes: ["id": "errors"], "Error codes")
        page.list { page in
            for code in document.value["components"]?["examples"]?.object?.members ?? [] {
                page.element("dt", attributes: ["id": "error-" + code.name]) { page in
                    page.code(code.name)
                    page.text(" " + (code.value["summary"]?.string ?? ""))
                }
                page.element("dd") { $0.prose(code.value["description"]?.string ?? "") }
            }
        }
    }
}

/// What the pages are made of.
extension HTMLWriter {
    /// The one style sheet of the pages. A word is only broken where it is longer than its line.
    static let sheet: StaticString = """
        :root{color-scheme:light dark;--ink:#1b1f24;--soft:#545c66;--ground:#fff;--box:#f3f4f6;--line:#d5d9de;--link:#1c5bb8}\
        @media(prefers-color-scheme:dark){:root{\
        --ink:#e8eaed;--soft:#aab1ba;--ground:#15171a;--box:#22262b;--line:#3a4048;--link:#9cc1ff}}\
        body{margin:0 auto;max-width:50rem;padding:1rem;font:1rem/1.5 system-ui,sans-serif;color:var(--ink);\
        background:var(--ground);overflow-wrap:break-word}\
        a{color:var(--link)}\
        code,pre{font-family:ui-monospace,monospace;font-size:.9em}\
        pre{background:var(--box);padding:.75rem;border-radius:.375rem;overflow-x:auto}\
        h2{margin-top:3rem;border-bottom:2px solid var(--line)}\
        nav h2{margin:1rem 0 0;border:0;font-size:1rem}\
        nav ul{margin:0;padding-left:1.25rem}\
        h3{margin-top:2.5rem}\
        h4{margin-bottom:.25rem}\
        dl{margin:.5rem 0}\
        dt{margin-top:.5rem;color:var(--soft)}\
        dt code{color:var(--ink);font-weight:600}\
        dd{margin:0 0 0 1.25rem}
        """

    /// A whole document.
    static func page(_ title: String, _ content: (inout HTMLWriter) -> Void) -> String {
        var page = HTMLWriter()
        page.markup("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
        page.markup("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">")
        page.element("title", title)
        page.style(sheet)
        page.markup("</head><body>")
        content(&page)
        page.markup("</body></html>\n")
        return page.html
    }

    mutating func code(_ text: String) { element("code", text) }

    /// Text to copy, or to look at as it is.
    mutating func block(_ text: String) { element("pre") { $0.code(text) } }

    /// Names, each with what is said of it.
    mutating func list(_ content: (inout HTMLWriter) -> Void) { element("dl", content) }

    mutating func entry(_ name: String, _ description: String) {
        element("dt") { $0.code(name) }
        element("dd") { $0.prose(description) }
    }

    /// A description of several lines: paragraphs, and steps where lines are numbered (CommonMark §5.2).
    ///
    /// - Parameter links: where to find what is named between backticks.
    mutating func description(_ text: String, _ links: [String: String]) {
        var steps: [Substring] = []
        for line in text.split(separator: "\n") {
            if line.first?.isNumber == true, let dot = line.firstIndex(of: ".") {
                steps.append(line[dot...].dropFirst().drop { $0 == " " })
                continue
            }
            writeSteps(&steps, links)
            element("p") { $0.prose(line, links) }
        }
        writeSteps(&steps, links)
    }

    private mutating func writeSteps(_ steps: inout [Substring], _ links: [String: String]) {
        if steps.isEmpty { return }
        element("ol") { list in
            for step in steps { list.element("li") { $0.prose(step, links) } }
        }
        steps = []
    }

    private mutating func prose(_ text: Substring, _ links: [String: String]) {
        for (index, piece) in text.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
            if index.isMultiple(of: 2) {
                self.text(String(piece))
            } else if let link = links[String(piece)] {
                element("a", attributes: ["href": link]) { $0.code(String(piece)) }
            } else {
                code(String(piece))
            }
        }
    }
}
