package import Apps
package import HTTPServer
internal import SignIn

/// One method of one path: whom it answers, what answers, and what the document says of it.
///
/// The router and the document are made from the same table of these, so that neither has what the other has not.
package struct Operation<Services: Sendable>: Sendable {
    package let method: HTTPMethod
    /// A segment in braces is a parameter.
    package let path: String
    /// Where it is, too, for clients that spell it otherwise; the document does not have them.
    package var otherPaths: [String] = []
    let access: Access
    /// What a token must be good for; nil where none is shown, or any will do.
    var permission: Permission? = nil
    /// To which operators it is open; nil where it is none of theirs.
    var act: OperatorAct? = nil
    let description: OperationDescription
    /// Makes what answers on one loop.
    let endpoint: @Sendable (Services) -> Endpoint
}

/// Whom an operation answers.
package enum Access: Sendable {
    /// Everybody.
    case everybody
    /// Apps: with an API key where some are configured.
    case app
    /// Apps, in the name of the user of a session token.
    case user
    /// Apps, with a session token or without one.
    case userOrApp
    /// OAuth clients: apps of ours, or apps with an API key where some are configured.
    case client
    /// Anyone with a session token, who needs no API key.
    case bearer
    /// Those who are configured to ask, with id and secret.
    case introspector
    /// Apps with a secret, in the name of the user of a session token.
    case userAndClient
    /// People's browsers.
    case browser
    /// Providers, whose signature proves what they say.
    case provider
    /// What looks after processes, on the listener for operators, and has no token.
    case probe
    case operators
}

/// The rows of the public listener's table, by whom they answer: what an operation is given agrees with its access.
extension Operation<APIServices> {
    package static func everybody(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> OpenHandler
    ) -> Self {
        Self(method: method, path: path, access: .everybody, description: description) { .open(handler($0)) }
    }

    /// Answers everybody, by what is sent.
    package static func keyless(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> Handler
    ) -> Self {
        Self(method: method, path: path, access: .everybody, description: description) { .keyless(handler($0)) }
    }

    /// Answers everybody. A session token, where one is shown, must be a good one, and the handler learns its user.
    package static func keylessOrUser(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> UserOrAppHandler
    ) -> Self {
        Self(method: method, path: path, access: .everybody, description: description) {
            .admitted($0.admission, .keylessOrUser(handler($0)))
        }
    }

    package static func browser(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> PageHandler
    ) -> Self {
        Self(method: method, path: path, access: .browser, description: description) { .page(handler($0)) }
    }

    package static func app(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> Handler
    ) -> Self {
        admitted(method, path, .app, description) { .app(handler($0)) }
    }

    package static func user(
        _ method: HTTPMethod, _ path: String, needs permission: Permission, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> UserHandler
    ) -> Self {
        admitted(method, path, .user, needs: permission, description) { .user(permission, handler($0)) }
    }

    package static func userOrApp(
        _ method: HTTPMethod, _ path: String, needs permission: Permission, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> UserOrAppHandler
    ) -> Self {
        admitted(method, path, .userOrApp, needs: permission, description) { .userOrApp(permission, handler($0)) }
    }

    package static func tokenOrApp(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> TokenOrAppHandler
    ) -> Self {
        admitted(method, path, .userOrApp, description) { .tokenOrApp(handler($0)) }
    }

    /// A user's, of whom the handler is given what the store has.
    package static func authenticatedUser(
        _ method: HTTPMethod, _ path: String, needs permission: Permission, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> AuthenticatedUserHandler
    ) -> Self {
        admitted(method, path, .user, needs: permission, description) { .authenticatedUser(permission, handler($0)) }
    }

    package static func bearerUser(
        _ method: HTTPMethod, _ path: String, needs permission: Permission, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> AuthenticatedUserHandler
    ) -> Self {
        admitted(method, path, .bearer, needs: permission, description) { .bearerUser(permission, handler($0)) }
    }

    package static func client(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> ClientHandler
    ) -> Self {
        admitted(method, path, .client, description) { .client(handler($0)) }
    }

    package static func introspector(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> IntrospectorHandler
    ) -> Self {
        admitted(method, path, .introspector, description) { .introspector(handler($0)) }
    }

    package static func userAndClient(
        _ method: HTTPMethod, _ path: String, needs permission: Permission, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> UserAndClientHandler
    ) -> Self {
        admitted(method, path, .userAndClient, needs: permission, description) {
            .userAndClient(permission, handler($0))
        }
    }

    /// Answers the provider that the path names.
    package static func provider(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> ProviderHandler
    ) -> Self {
        admitted(method, path, .provider, description) { .provider(handler($0)) }
    }

    /// Answers a provider that shows by a token which request of ours it answers.
    package static func notification(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> Handler
    ) -> Self {
        admitted(method, path, .provider, description) { .notification(handler($0)) }
    }

    private static func admitted(
        _ method: HTTPMethod, _ path: String, _ access: Access, needs permission: Permission? = nil,
        _ description: OperationDescription, _ handler: @escaping @Sendable (APIServices) -> Admitted
    ) -> Self {
        Self(method: method, path: path, access: access, permission: permission, description: description) {
            .admitted($0.admission, handler($0))
        }
    }
}
