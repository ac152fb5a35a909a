internal import Crypto
internal import HTTPServer
internal import JSON
internal import OpenAPI
import Synchronization
import Syntax

/// What a listener says of itself: a document for tools, the same as a page for people, and the page at its root.
///
/// All are made when somebody first asks, so that neither the start nor a server that nobody asks pays for them, and
/// sent to everybody alike. Nothing of a request is in them: what one reader's `Host` says is never shown to another.
final class DocumentationFiles: Sendable {
    /// What they are made of.
    struct Source: Sendable {
        let document: JSONValue
        let wording: DocumentationPage.Wording
        let entrance: EntrancePage
    }

    /// What is sent, again and again.
    private struct Rendered: Sendable {
        let body: SharedBody
        let headers: [(name: String, value: String)]
        let entityTag: EntityTag
        var hasCommonFields = true
    }

    private struct All: Sendable {
        let document: Rendered
        let page: Rendered
        let entrance: Rendered
    }

    private let cacheControl: String
    private let make: @Sendable () -> Source
    private let rendered = Mutex<All?>(nil)

    /// - Parameter areOpen: whether everybody may read them, so that caches between here and the reader may keep them,
    ///   too.
    init(areOpen: Bool, _ make: @escaping @Sendable () -> Source) {
        cacheControl = (areOpen ? "public" : "private") + ", max-age=300"
        self.make = make
    }

    func document(for request: HTTPRequest) -> HTTPResponse { answer(all.document, to: request) }

    func page(for request: HTTPRequest) -> HTTPResponse { answer(all.page, to: request) }

    /// It is small, and scanners judge a service's compression by this page alone (BREACH).
    func entrance(for request: HTTPRequest) -> HTTPResponse {
        var response = answer(all.entrance, to: request)
        response.isCompressible = false
        return response
    }

    private var all: All {
        rendered.withLock { rendered in
            if let rendered { return rendered }
            let source = make()
            let page = DocumentationPage(source.document, wording: source.wording)
            let all = All(
                document: Self.render(source.document), page: Self.render(page.html),
                entrance: Self.render(source.entrance.html))
            rendered = all
            return all
        }
    }

    private static func render(_ document: JSONValue) -> Rendered {
        let body = document.serialized
        return Rendered(
            body: SharedBody(body), headers: [(name: "Content-Type", value: "application/json")],
            entityTag: EntityTag(of: body))
    }

    /// A page has a style where other answers have nothing, and is as strict as they are otherwise.
    private static func render(_ html: String) -> Rendered {
        let body = Array(html.utf8)
        let style = Base64.encode(Digest.sha256.hash("\(EntrancePage.style)".utf8.span))
        return Rendered(
            body: SharedBody(body),
            headers: [
                (name: "Content-Type", value: "text/html; charset=utf-8"),
                (
                    name: "Content-Security-Policy",
                    value: "default-src 'none'; style-src 'sha256-\(style)'; base-uri 'none'; form-action 'none'; "
                        + "frame-ancestors 'none'"
                ),
                (name: "X-Content-Type-Options", value: "nosniff"), (name: "Referrer-Policy", value: "no-referrer"),
            ], entityTag: EntityTag(of: body), hasCommonFields: false)
    }

    private func answer(_ rendered: Rendered, to request: HTTPRequest) -> HTTPResponse {
        var response = HTTPResponse(status: .ok, headers: rendered.headers, shared: rendered.body)
        response.headers.append((name: "Cache-Control", value: cacheControl))
        response.hasCommonFields = rendered.hasCommonFields
        return response.unlessKnown(to: request, as: rendered.entityTag)
    }
}
