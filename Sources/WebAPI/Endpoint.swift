package import Accounts
package import Apps
package import HTTPServer
package import Providers
package import SignIn

/// What answers an operation, with what its access has found out before it is asked.
///
/// Handlers are always methods and never closures: a closure of such a type leaves the executor of its caller, so that
/// each call that comes back to it, or to anything below it, becomes another job of the loop.
package enum Endpoint: Sendable {
    /// Everybody alike, at once, whatever is sent besides; nothing is found out.
    case open(OpenHandler)
    /// Everybody, by what is sent, and without an API key.
    case keyless(Handler)
    /// A browser, with a page.
    case page(PageHandler)
    /// Those that the public listener admits.
    case admitted(Admission, Admitted)
    /// Operators, by their roles.
    case operated(OperatorAdmission, OperatorAct, Handler)
}

/// Answers at once, and finds nothing out.
package typealias OpenHandler = @Sendable (HTTPRequest) -> HTTPResponse

/// Answers a request.
package typealias Handler = @Sendable (RequestContext) async throws(ServiceError) -> HTTPResponse

/// Answers a browser. It never throws: the person before it is shown a page, or sent back to the app.
package typealias PageHandler = @Sendable (RequestContext) async -> BrowserAnswer

/// Answers a request that is made in the name of a user, by a token that can be used for it.
/// Also given the user, as the store has it.
package typealias AuthenticatedUserHandler =
    @Sendable (RequestContext, Principal, User) async throws(ServiceError) -> HTTPResponse
package typealias UserHandler = @Sendable (RequestContext, Principal) async throws(ServiceError) -> HTTPResponse

/// Answers a request that is made in the name of a user, or in nobody's.
package typealias UserOrAppHandler = @Sendable (RequestContext, Principal?) async throws(ServiceError) -> HTTPResponse

/// Answers a request that shows a token, whose session may be over, or none.
package typealias TokenOrAppHandler = @Sendable (RequestContext, String?) async throws(ServiceError) -> HTTPResponse

/// Answers those who are configured to ask what a token is good for.
package typealias IntrospectorHandler =
    @Sendable (RequestContext, ClientParameters, Introspection.Caller) async throws(ServiceError) -> HTTPResponse

/// Answers an app that has shown its secret beside its user's session token.
package typealias UserAndClientHandler =
    @Sendable (RequestContext, Principal, RegisteredApp) async throws(ServiceError) -> HTTPResponse

/// Answers a request of an OAuth client.
///
/// The app is nil where the request names none that is configured: stock apps of the SDKs are no clients of ours.
package typealias ClientHandler =
    @Sendable (RequestContext, ClientParameters, RegisteredApp?) async throws(ServiceError) -> HTTPResponse

/// Answers a provider, which the path names.
package typealias ProviderHandler = @Sendable (RequestContext, Provider) async throws(ServiceError) -> HTTPResponse

extension HTTPResponse {
    /// The process runs, and answers.
    static var healthy: HTTPResponse { .json(.ok, Array(#"{"status":"ok"}"#.utf8)) }
}
