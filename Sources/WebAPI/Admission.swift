internal import Accounts
package import Apps
internal import HTTPServer
internal import Providers
internal import SignIn
internal import Syntax

/// What answers those whom the public listener admits, and is given what they have shown.
package enum Admitted: Sendable {
    // With an API key, where some are configured.
    case app(Handler)
    case user(Permission, UserHandler)
    case authenticatedUser(Permission, AuthenticatedUserHandler)
    case userOrApp(Permission, UserOrAppHandler)
    case tokenOrApp(TokenOrAppHandler)
    // Without.
    case keylessOrUser(UserOrAppHandler)
    case bearerUser(Permission, AuthenticatedUserHandler)
    case introspector(IntrospectorHandler)
    case userAndClient(Permission, UserAndClientHandler)
    case provider(ProviderHandler)
    case notification(Handler)
    /// Without, where the client is an app of ours, which then has to prove it.
    case client(ClientHandler)
}

/// Whom the public listener's operations answer: what a request shows is looked at here and nowhere else, before the
/// handler is asked.
package struct Admission: Sendable {
    package let apiKeys: APIKeys
    let apps: AppRegistry
    let sessions: Sessions
    let providers: ProviderRegistry
    /// Of those who show what proves nothing.
    private let failures: AddressLimiter?

    init(
        apiKeys: APIKeys, apps: AppRegistry, sessions: Sessions, providers: ProviderRegistry, limits: AddressLimits
    ) {
        (self.apiKeys, self.apps, self.sessions, self.providers) = (apiKeys, apps, sessions, providers)
        failures = limits.limiter(of: .failedRefreshes)
    }

    /// Admits a request and asks its handler.
    ///
    /// - Throws: `ServiceError.invalidAPIKey`, `.invalidToken`, `.insufficientScope`, `.invalidClient`, `.rateLimited`,
    ///   `.unknownProvider` for what is not admitted; and what the handler throws.
    func answer(_ context: RequestContext, with handler: Admitted) async throws(ServiceError) -> HTTPResponse {
        switch handler {
        case .app(let handler):
            try admitKey(of: context)
            return try await handler(context)
        case .user(let permission, let handler):
            try admitKey(of: context)
            return try await handler(context, principal(context, with: permission))
        case .authenticatedUser(let permission, let handler):
            try admitKey(of: context)
            return try await answer(context, permission, handler)
        case .userOrApp(let permission, let handler):
            try admitKey(of: context)
            guard try context.token.optional() != nil else { return try await handler(context, nil) }
            return try await handler(context, principal(context, with: permission))
        case .tokenOrApp(let handler):
            try admitKey(of: context)
            return try await handler(context, try context.token.optional())
        case .keylessOrUser(let handler):
            guard let token = try context.token.optional() else { return try await handler(context, nil) }
            return try await handler(context, try await sessions.principal(of: token))
        case .bearerUser(let permission, let handler): return try await answer(context, permission, handler)
        case .client(let handler): return try await client(context, handler)
        case .introspector(let handler):
            // Where nobody may ask, there is nothing to ask.
            guard apps.hasIntrospectors else { throw .unknownPath }
            let parameters = try ClientParameters(context.request)
            let caller = try guessing(context) { () throws(ServiceError) in
                try ClientCredentials(context.request, parameters).introspector(in: apps)
            }
            return try await handler(context, parameters, caller)
        case .userAndClient(let permission, let handler):
            let (principal, app) = try await userAndClient(context)
            try principal.demand(permission)
            return try await handler(context, principal, app)
        case .provider(let handler):
            return try await provider(context) { () throws(ServiceError) in
                let provider = try providers.provider(ofPath: context)
                context.origin.act(as: .provider(provider.configuration.name))
                return try await handler(context, provider)
            }
        case .notification(let handler):
            return try await provider(context) { () throws(ServiceError) in try await handler(context) }
        }
    }

    private func admitKey(of context: RequestContext) throws(ServiceError) {
        guard let responses = apiKeys.responses(to: context.request) else { throw .invalidAPIKey }
        context.responses = responses
    }

    private func principal(
        _ context: RequestContext, with permission: Permission
    ) async throws(ServiceError) -> Principal {
        guard let token = try context.token.optional() else { throw .missingToken }
        let principal = try await sessions.principal(of: token)
        try admit(principal, context, permission)
        return principal
    }

    private func answer(
        _ context: RequestContext, _ permission: Permission, _ handler: AuthenticatedUserHandler
    ) async throws(ServiceError) -> HTTPResponse {
        guard let token = try context.token.optional() else { throw .missingToken }
        let (principal, user) = try await sessions.authenticatedUser(of: token)
        try admit(principal, context, permission)
        return try await handler(context, principal, user)
    }

    private func admit(
        _ principal: Principal, _ context: RequestContext, _ permission: Permission
    ) throws(ServiceError) {
        context.origin.use(principal.session)
        try principal.demand(permission)
        if let app = principal.app { context.responses = app.responses }
    }
}

extension Admission {
    /// Finds out which of our own apps a client is, and asks anyone else for the API key.
    private func client(
        _ context: RequestContext, _ handler: ClientHandler
    ) async throws(ServiceError) -> HTTPResponse {
        do throws(ServiceError) {
            let parameters = try clientParameters(of: context.request)
            let credentials = try ClientCredentials(context.request, parameters)
            let app = credentials.app(in: apps)
            let isPoster = app == nil && credentials.areOfPoster(at: providers)
            // Known before anything is refused, since it decides how that is told.
            context.isOfOurApp = !isPoster
            if let app {
                try credentials.prove(app, in: apps)
            } else if isPoster {
                try admitKey(of: context)
            } else {
                // RFC 6749 §5.2. Libraries throw a session away at any other word, and it may be good: another instance
                // may know the app already, or still.
                throw ServiceError.invalidClient
            }
            return try await handler(context, parameters, app)
        } catch {
            // Guesses at secrets are told no more than guesses at tokens.
            if case .invalidClient = error { try failures?.count(context.network) }
            throw error
        }
    }

    /// A request that can't be read names no app, and needs the API key before anything else is said.
    private func clientParameters(of request: HTTPRequest) throws(ServiceError) -> ClientParameters {
        do throws(ServiceError) {
            return try ClientParameters(request)
        } catch {
            throw apiKeys.admit(request) ? error : .invalidAPIKey
        }
    }

    /// The app with a secret, and whose token it shows beside it: one of a session of its own, or one that is made out
    /// to it. Any other it has only been shown.
    private func userAndClient(
        _ context: RequestContext
    ) async throws(ServiceError) -> (Principal, RegisteredApp) {
        let shown = try ClientCredentials.besideToken(context.request)
        let app = try guessing(context) { () throws(ServiceError) in
            let credentials = try ClientCredentials(basic: shown.basic)
            guard let app = credentials.app(in: apps), app.secret != nil else { throw .invalidClient }
            try credentials.prove(app, in: apps)
            return app
        }
        guard let bearer = shown.bearer else { throw .missingToken }
        let principal = try await sessions.principal(of: bearer, shownBy: app)
        guard principal.app?.clientID == app.clientID || principal.audience == app.clientID else {
            throw .invalidToken
        }
        context.origin.use(principal.session)
        return (principal, app)
    }

    /// Looks at a secret that was shown; an address that guesses is soon asked to wait.
    private func guessing<Value>(
        _ context: RequestContext, _ look: () throws(ServiceError) -> Value
    ) throws(ServiceError) -> Value {
        do throws(ServiceError) {
            return try look()
        } catch {
            try failures?.count(context.network)
            throw error
        }
    }

    /// Takes what a provider sends. It proves itself, so there is no API key; and since anybody can send something, an
    /// address that sends what is refused is soon asked to wait.
    private func provider(
        _ context: RequestContext, _ take: () async throws(ServiceError) -> HTTPResponse
    ) async throws(ServiceError) -> HTTPResponse {
        do throws(ServiceError) {
            return try await take()
        } catch {
            if error.isSenders { try failures?.count(context.network) }
            throw error
        }
    }
}

extension ProviderRegistry {
    /// The provider that a path names.
    ///
    /// - Throws: `ServiceError.unknownProvider`.
    func provider(ofPath context: RequestContext) throws(ServiceError) -> Provider {
        guard let name = context.request.parameters["provider"],
            let provider = provider(named: name)
        else { throw .unknownProvider }
        context.provider = provider.configuration.name
        return provider
    }
}

extension ServiceError {
    /// Whether it is a fault of what was sent.
    fileprivate var isSenders: Bool {
        switch self {
        case .storageUnavailable, .providerUnavailable, .providerCircuitOpen, .providerBusy, .providerTimeout,
            .providerError,
            .overloaded:
            false
        default: true
        }
    }
}
