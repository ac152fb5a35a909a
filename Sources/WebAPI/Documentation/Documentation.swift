internal import Crypto
internal import HTTPServer
internal import JSON
internal import OpenAPI
import Synchronization
import Syntax

/// The API's description of itself, for tools at `/openapi.json` and for people at `/docs`.
///
/// Both are made when somebody first asks, so that neither the start nor a server that nobody asks pays for them. All
/// loops share one.
public final class Documentation: Sendable {
    /// What is sent, again and again.
    struct Rendered: Sendable {
        let body: SharedBody
        let headers: [(name: String, value: String)]
        /// Weak, since the connection may compress the body (RFC 9110 §8.8.3.3).
        let entityTag: String
        var hasCommonFields = true
    }

    private static let cacheControl = "public, max-age=300"

    /// All there are, at the paths of this configuration: the routes are made of them, too.
    let operations: [Operation<Operations>]
    /// Below which TIM's KeyService is.
    let keyServicePath: String
    private let version: String
    private let baseURL: String?
    private let rendered = Mutex<(document: Rendered, page: Rendered)?>(nil)

    /// - Parameters:
    ///   - version: this build's.
    ///   - baseURL: where apps reach the service; nil when nobody has said.
    ///   - keyServicePath: below which TIM's KeyService is; nil for where it is by itself.
    public init(version: String, baseURL: String?, keyServicePath: String? = nil) {
        self.version = version
        self.baseURL = baseURL
        self.keyServicePath = keyServicePath ?? KeyServiceEndpoint.usualPath
        operations = keyServicePath.map(Operations.table(keyServiceAt:)) ?? Operations.all
    }

    func document(for request: HTTPRequest) -> HTTPResponse { Self.answer(both.document, to: request) }

    func page(for request: HTTPRequest) -> HTTPResponse { Self.answer(both.page, to: request) }

    private var both: (document: Rendered, page: Rendered) {
        rendered.withLock { rendered in
            if let rendered { return rendered }
            let document = APIDocument.make(version: version, baseURL: baseURL, operations: operations)
            let both = (Self.render(document), Self.render(DocumentationPage(document, wording: APIDocument.wording)))
            rendered = both
            return both
        }
    }

    private static func render(_ document: JSONValue) -> Rendered {
        let body = document.serialized
        return Rendered(
            body: SharedBody(body), headers: [(name: "Content-Type", value: "application/json")],
            entityTag: entityTag(of: body))
    }

    /// The page has a style where other answers have nothing, and is as strict as they are otherwise.
    private static func render(_ page: DocumentationPage) -> Rendered {
        let body = Array(page.html.utf8)
        let style = Base64.encode(Digest.sha256.hash("\(DocumentationPage.style)".utf8.span))
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
            ], entityTag: entityTag(of: body), hasCommonFields: false)
    }

    private static func entityTag(of body: [UInt8]) -> String {
        "W/\"\(Base64URL.encode(Array(Digest.sha256.hash(body).prefix(12))))\""
    }

    private static func answer(_ rendered: Rendered, to request: HTTPRequest) -> HTTPResponse {
        let isKnown = request.headers("if-none-match").contains { matches($0, rendered.entityTag) }
        var response =
            isKnown
            ? HTTPResponse(status: .notModified, headers: rendered.headers)
            : HTTPResponse(status: .ok, headers: rendered.headers, shared: rendered.body)
        response.headers.append((name: "ETag", value: rendered.entityTag))
        response.headers.append((name: "Cache-Control", value: Self.cacheControl))
        response.hasCommonFields = rendered.hasCommonFields
        return response
    }

    /// Whether a list of entity tags has this one, by weak comparison (RFC 9110 §13.1.2). Ours have no comma.
    private static func matches(_ field: String, _ entityTag: String) -> Bool {
        let opaque = entityTag.dropFirst(2)
        return field.split(separator: ",").contains { element in
            let tag = element.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed()
            let text = String(tag)
            return text == "*" || text == entityTag || text == opaque
        }
    }
}
