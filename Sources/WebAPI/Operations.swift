internal import Accounts
internal import HTTPServer
internal import SignIn

/// The public listener's operations, in the order a reader of the document wants them.
enum Operations: OperationTable {
    typealias Services = APIServices
    typealias Description = OperationDescription

    /// Whom an operation answers.
    enum Access: Sendable {
        /// Everybody.
        case everybody
        /// Apps: with an API key where some are configured.
        case app
        /// Apps, in the name of the user of a session token.
        case user
        /// Apps, with a session token or without one.
        case userOrApp
    }

    static let all = sessions + user + identities + devices + service

    private static let sessions: [Operation<Self>] = [
        .app(.post, "/auth/signin", SignInDescriptions.signIn) { $0.signIn.respond },
        .app(.post, "/auth/zenkey-signin", SignInDescriptions.zenkeySignIn) { $0.signIn.respond },
        .app(.post, "/auth/challenge", SignInDescriptions.challenge) { $0.challenge.respond },
        .app(.post, "/auth/token", SignInDescriptions.token) { $0.token.refresh },
        .userOrApp(.delete, "/auth/token", SignInDescriptions.signOut) { $0.token.signOut },
        .app(.post, "/auth/revoke", SignInDescriptions.revoke) { $0.token.revoke },
        .app(.post, "/users", SignInDescriptions.register) { $0.registration.respond },
    ]

    private static let user: [Operation<Self>] = [
        .user(.get, "/users/me", UserDescriptions.show) { $0.currentUser.show },
        .user(.patch, "/users/me", UserDescriptions.edit) { $0.currentUser.edit },
        .user(.delete, "/users/me", UserDescriptions.erase) { $0.currentUser.erase },
        .user(.post, "/auth/transaction", UserDescriptions.approve) { $0.transaction.respond },
    ]

    private static let identities: [Operation<Self>] = [
        .user(.get, "/users/me/identities", UserListDescriptions.listIdentities) { $0.identities.list },
        .user(.post, "/users/me/identities", UserListDescriptions.linkIdentity) { $0.identities.add },
        .user(.delete, "/users/me/identities/{identity_id}", UserListDescriptions.unlinkIdentity) {
            $0.identities.remove
        },
    ]

    private static let devices: [Operation<Self>] = [
        .user(.get, "/users/me/sessions", UserListDescriptions.listSessions) { $0.devices.list },
        .user(.delete, "/users/me/sessions", UserListDescriptions.revokeSessions) { $0.devices.revokeAll },
        .user(.delete, "/users/me/sessions/{session_id}", UserListDescriptions.revokeSession) { $0.devices.revoke },
    ]

    private static let service: [Operation<Self>] = [
        .everybody(.get, "/.well-known/jwks.json", OpenDescriptions.keys) { $0.keys },
        .everybody(.get, "/healthz", OpenDescriptions.health) { _ in { _ in .healthy } },
        .everybody(.get, APIDocument.path, OpenDescriptions.document) { $0.documentation.document },
        .everybody(.get, "/docs", OpenDescriptions.page) { $0.documentation.page },
    ]
}

/// What the endpoints of one loop are made of.
struct APIServices: Sendable {
    let useCases: UseCases
    let code: CodeParameters
    let limits: AddressLimits
    let documentation: Documentation

    fileprivate var signIn: SignInEndpoint { SignInEndpoint(signIn: useCases.signIn, code: code) }
    fileprivate var token: TokenEndpoint { TokenEndpoint(sessions: useCases.sessions, limits: limits) }
    fileprivate var challenge: ChallengeEndpoint {
        ChallengeEndpoint(challenges: useCases.challenges, limits: limits)
    }
    fileprivate var transaction: TransactionEndpoint { TransactionEndpoint(approve: useCases.approve, code: code) }
    fileprivate var registration: RegistrationEndpoint {
        RegistrationEndpoint(register: useCases.register, code: code)
    }
    fileprivate var currentUser: CurrentUserEndpoint { CurrentUserEndpoint(accounts: useCases.accounts) }
    fileprivate var identities: IdentitiesEndpoint {
        IdentitiesEndpoint(accounts: useCases.accounts, link: useCases.link, code: code)
    }
    fileprivate var devices: SessionsEndpoint { SessionsEndpoint(accounts: useCases.accounts) }

    fileprivate func keys(for request: HTTPRequest) -> HTTPResponse {
        var response = HTTPResponse.json(.ok, useCases.sessions.keyDocument)
        response.headers.append((name: "Cache-Control", value: "public, max-age=300"))
        return response
    }
}

extension Operation<Operations> {
    fileprivate static func everybody(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> OpenHandler
    ) -> Self {
        Self(method: method, path: path, access: .everybody, description: description) { .open(handler($0)) }
    }

    fileprivate static func app(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> Handler
    ) -> Self {
        Self(method: method, path: path, access: .app, description: description) { .handler(handler($0)) }
    }

    fileprivate static func userOrApp(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> Handler
    ) -> Self {
        Self(method: method, path: path, access: .userOrApp, description: description) { .handler(handler($0)) }
    }

    /// The session is found before the handler is asked, which is given it.
    fileprivate static func user(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (APIServices) -> UserHandler
    ) -> Self {
        Self(method: method, path: path, access: .user, description: description) { services in
            .handler(UserEndpoint(sessions: services.useCases.sessions, handler: handler(services)).respond)
        }
    }
}
