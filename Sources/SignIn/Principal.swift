public import Accounts
public import Apps
internal import Syntax

/// Who makes a request at our own API, by the access token that it shows, and what that may be used for now.
public struct Principal: Sendable {
    public let session: Session
    /// The app of ours whose session it is; nil for who posts codes and is no client of ours.
    public let app: RegisteredApp?
    public let permissions: Permissions
    /// Whom the token is made out to (RFC 8707).
    public let audience: String

    public var user: UserID { session.user }

    /// - Throws: `ServiceError.insufficientScope`.
    public func demand(_ permission: Permission) throws(ServiceError) {
        guard permissions.contains(permission) else { throw .insufficientScope(permission) }
    }

    /// Holds an app of ours to the providers that its section names.
    ///
    /// - Parameter provider: a configured name.
    /// - Throws: `ServiceError.invalidParameter`.
    public func demand(provider: String) throws(ServiceError) {
        guard let app, !app.allows(provider: provider) else { return }
        throw .invalidParameter(ParameterError("provider", "names none of this app's providers"))
    }
}

/// What sessions may do, by whose they are.
///
/// A permission is given where the operator's configuration has it at this moment and the session was opened with it,
/// so that what is taken out of the configuration is over at once, and what is put there is asked for anew.
struct SessionRights: Sendable {
    let configuration: TokenIssuer.Configuration
    let apps: AppRegistry
    let providers: ProviderRegistry

    /// Whose a session is.
    enum Owner: Sendable {
        case app(RegisteredApp)
        /// Who posts codes, or exchanges tokens, and is no client of ours.
        case poster

        var app: RegisteredApp? { if case .app(let app) = self { app } else { nil } }
    }

    /// - Returns: nil for a session of an app that was taken out of the configuration.
    func owner(of session: Session) -> Owner? {
        guard let client = session.app else { return .poster }
        return apps[client].map { .app($0) }
    }

    /// Whether a sign-in like the one that opened a session would still open it: by a provider that is configured, at
    /// the level that it demands.
    func goesOn(_ session: Session) -> Bool {
        SessionNarrowing.reason(session.provider, session.authentication.acr, providers) == nil
    }

    /// - Parameter narrowed: what the token itself was narrowed to; nil where it was not (RFC 6749 §6).
    func permissions(of session: Session, _ owner: Owner, narrowed: Permissions?) -> Permissions {
        let granted: Permissions =
            switch owner {
            case .app(let app): app.rights.permissions.intersection(Permissions(scope: session.scope ?? ""))
            case .poster: configuration.permissions(ofPosters: session.source)
            }
        return narrowed.map(granted.intersection) ?? granted
    }

    /// Whether a token is made out to us.
    func isOurs(_ audience: String, _ owner: Owner) -> Bool {
        if audience == configuration.issuer.text { return true }
        // An app that posts codes has one token for us and for its backend, until the operator has it have two.
        guard case .poster = owner else { return false }
        return !configuration.splitsAudiences && audience == configuration.audience
    }

    /// Whom the tokens of a session are made out to where nothing else is asked.
    func audience(of session: Session, _ owner: Owner) -> String {
        switch owner {
        case .app: session.audience ?? configuration.issuer.text
        case .poster: configuration.audienceOfPosters
        }
    }

    /// Whom a token is made out to that is asked for by its `resource` (RFC 8707 §2.2).
    ///
    /// - Throws: `ServiceError.invalidTarget` for whom the client may not have tokens for.
    func audience(asked resource: String, for owner: Owner) throws(ServiceError) -> String {
        if resource == configuration.issuer.text { return resource }
        let others: [String] =
            switch owner {
            case .app(let app): app.rights.audiences
            case .poster: [configuration.audience]
            }
        guard others.contains(resource) else { throw .invalidTarget }
        return resource
    }
}
