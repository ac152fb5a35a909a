internal import HTTPServer
internal import SignIn

/// The rows of the table, by whom they answer.
extension Operation<Operations> {
    static func everybody(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> OpenHandler
    ) -> Self {
        Self(method: method, path: path, access: .everybody, description: description) { .open(handler($0)) }
    }

    /// Answers everybody, by what is sent.
    static func keyless(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> Handler
    ) -> Self {
        Self(method: method, path: path, access: .everybody, description: description) {
            .handler(.keyless(handler($0)))
        }
    }

    static func app(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> Handler
    ) -> Self {
        Self(method: method, path: path, access: .app, description: description) { .handler(.app(handler($0))) }
    }

    static func userOrApp(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> Handler
    ) -> Self {
        Self(method: method, path: path, access: .userOrApp, description: description) { .handler(.app(handler($0))) }
    }

    /// The session is found before the handler is asked, which is given it.
    static func user(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> UserHandler
    ) -> Self {
        Self(method: method, path: path, access: .user, description: description) { services in
            .handler(.app(UserEndpoint(sessions: services.useCases.sessions, handler: handler(services)).respond))
        }
    }

    static func bearer(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> UserHandler
    ) -> Self {
        Self(method: method, path: path, access: .bearer, description: description) { services in
            .handler(.keyless(UserEndpoint(sessions: services.useCases.sessions, handler: handler(services)).respond))
        }
    }

    static func client(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> ClientHandler
    ) -> Self {
        Self(method: method, path: path, access: .client, description: description) { .handler(.client(handler($0))) }
    }

    static func browser(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> BrowserHandler
    ) -> Self {
        Self(method: method, path: path, access: .browser, description: description) { .handler(.browser(handler($0))) }
    }
}
