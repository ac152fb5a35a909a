import EventLoop
import HTTPServer
import Testing

@Suite struct `A router` {
    private static let none: @Sendable (HTTPRequest) async -> HTTPResponse = { _ in HTTPResponse(status: .ok) }

    private static let router = Router([
        Route(.get, "/", none),
        Route(.get, "/users/me", none),
        Route(.delete, "/users/me", none),
        Route(.get, "/users/{user_id}", none),
        Route(.put, "/users/{user_id}", none),
        Route(.get, "/users/me/identities/{identity_id}", none),
        Route(.get, "/users/{user_id}/{kind}/all", none),
        Route(.post, "/users/{user_id}/identities/{identity_id}", none),
        Route(.head, "/own", none),
        Route(.get, "/own", none),
        Route(.options, "*", none),
    ])

    /// `METHOD pattern name=value`, `405 METHODS` or `404`.
    private func match(_ method: HTTPMethod, _ path: String, _ names: String...) -> String {
        switch Self.router.match(method, path) {
        case .found(let route, let parameters):
            let values = names.map { " \($0)=\(parameters[$0] ?? "nil")" }.joined()
            return "\(route.method.rawValue) \(route.pattern)\(values)"
        case .methodNotAllowed(let allow): return "405 " + allow.map(\.rawValue).joined(separator: ", ")
        case .notFound: return "404"
        }
    }

    @Test func `finds literal paths`() {
        #expect(match(.get, "/") == "GET /")
        #expect(match(.delete, "/users/me") == "DELETE /users/me")
        #expect(match(.options, "*") == "OPTIONS *")
    }

    @Test func `reads parameters, percent-decoded`() {
        #expect(
            match(.get, "/users/a%20%C3%A9%2Fb", "user_id", "other") == "GET /users/{user_id} user_id=a é/b other=nil")
        #expect(
            match(.post, "/users/7/identities/9", "user_id", "identity_id")
                == "POST /users/{user_id}/identities/{identity_id} user_id=7 identity_id=9")
    }

    @Test func `prefers the literal segment that comes first`() {
        #expect(match(.get, "/users/me") == "GET /users/me")
        #expect(match(.get, "/users/me/identities/all", "identity_id").hasSuffix("{identity_id} identity_id=all"))
        #expect(match(.get, "/users/you/identities/all") == "GET /users/{user_id}/{kind}/all")
    }

    @Test func `falls back to a parameter when the literal has no such method`() {
        #expect(match(.put, "/users/me", "user_id") == "PUT /users/{user_id} user_id=me")
    }

    @Test func `answers HEAD by GET unless HEAD has a route of its own`() {
        #expect(match(.head, "/users/me") == "GET /users/me")
        #expect(match(.head, "/own") == "HEAD /own")
    }

    @Test func `computes what is allowed from every pattern that matches`() {
        #expect(match(.post, "/users/me") == "405 GET, HEAD, PUT, DELETE")
        #expect(match(.delete, "/own") == "405 GET, HEAD")
    }

    @Test func `computes what is allowed anywhere for what is about the server`() {
        let router = Router([.post, .delete].map { Route($0, "/a/{b}") { _ in HTTPResponse(status: .ok) } })
        guard case .methodNotAllowed(let allow) = router.match(.options, "*") else {
            Issue.record("it is not found")
            return
        }
        #expect(allow == [.post, .delete])
    }

    @Test(arguments: ["/users", "/users/", "/users/me/", "/users//me", "//", "/Users/me", "/users/%ff", "/nothing", ""])
    func `finds nothing for other paths`(_ path: String) {
        #expect(match(.get, path) == "404")
    }
}
