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
            self.documentPath = documentPath
            self.usualAddress = usualAddress
            self.commonErrors = commonErrors
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
