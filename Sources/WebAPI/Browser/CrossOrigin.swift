internal import Apps
internal import HTTPServer
internal import SignIn

/// Which web origins' scripts may call the API (Fetch §3.2, "CORS protocol"): those that the apps' sections name, and
/// for what is public anyway, all. Never where browsers are sent, not called (RFC 9700 §2.6), nor where providers call.
struct CrossOrigin: Sendable {
    private static let everybodys = Set(IssuerMetadata.paths + ["/.well-known/jwks.json"])

    private let apps: AppRegistry
    /// How the paths end that browsers are sent to, and that providers call.
    private let others: [String]

    /// - Parameters:
    ///   - landings: the paths of our own host that apps have claimed.
    ///   - operations: all that there can be.
    init(apps: AppRegistry, landings: [String], operations: [Operation<APIServices>]) {
        self.apps = apps
        others =
            landings
            + operations.filter { $0.access.hasPages || $0.access == .provider }.map { operation in
                // What follows the name of a provider.
                String(operation.path.split(separator: "}").last ?? "")
            }
    }

    /// The answer to a browser that asks first (Fetch §3.2.3); nil when the request is no such question, or from no
    /// origin that may call.
    ///
    /// - Parameter origin: what the request names as its own, as browsers do for every script (RFC 6454 §7).
    func preflight(_ request: HTTPRequest, from origin: String) -> HTTPResponse? {
        guard request.method == .options, request.header("access-control-request-method") != nil,
            let fields = fields(for: request, from: origin)
        else { return nil }
        return HTTPResponse(
            status: .noContent,
            headers: fields + [
                (name: "Access-Control-Allow-Methods", value: "GET, POST, PATCH, DELETE"),
                (name: "Access-Control-Allow-Headers", value: "Authorization, Content-Type, X-API-KEY, X-Request-ID"),
                (name: "Access-Control-Max-Age", value: "600"),
            ])
    }

    /// What tells a browser that its script may read the answer; nil where it may not.
    func fields(for request: HTTPRequest, from origin: String) -> [(name: String, value: String)]? {
        if Self.everybodys.contains(request.path) { return [(name: "Access-Control-Allow-Origin", value: "*")] }
        let isForOthers = others.contains { request.path.hasSuffix($0) }
        guard apps.allows(origin: origin), !isForOthers else { return nil }
        return [
            (name: "Access-Control-Allow-Origin", value: origin), (name: "Vary", value: "Origin"),
            (name: "Access-Control-Expose-Headers", value: "WWW-Authenticate, Retry-After, X-Request-ID"),
        ]
    }
}
