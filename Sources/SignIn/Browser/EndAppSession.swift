internal import Accounts
public import Apps
internal import HTTPClient
internal import JOSE
internal import JSON
public import Providers
internal import Syntax
internal import System

/// The end of a session by an app's request (OpenID Connect RP-Initiated Logout §2): here first, whatever becomes of
/// the rest, then at the provider.
public struct EndAppSession: Sendable {
    /// What is shown, or where the browser goes, once it is done.
    public enum Outcome: Sendable {
        /// On to the provider, where the user is still signed in, or back to the app.
        case signedOut(returnTo: String?)
        /// Nothing says whose session it is; the user is asked before anything is said to be over.
        case ask(app: RegisteredApp?)
    }

    let repository: any SessionRepository
    let tokenIssuer: TokenIssuer
    let apps: AppRegistry
    let providers: ProviderRegistry
    let transport: any HTTPTransport
    let states: LogoutStates
    let clock: Clock

    /// - Parameters:
    ///   - idTokenHint: an ID token of ours, expired or not: it ends its own session, and no other of its user.
    ///   - clientID: whose app it is, where there is no hint; with one, both must agree.
    ///   - address: where the browser is to go after; only one that the app has registered counts.
    ///   - isConfirmed: whether the user has said yes already.
    ///   - call: what travels with the request to the provider.
    public func end(
        idTokenHint: String?, clientID: String?, returnTo address: String?, state: String?, isConfirmed: Bool,
        in call: CallContext
    ) async throws(ServiceError) -> Outcome {
        let now = clock.seconds
        if let idTokenHint, let hint = try await hint(idTokenHint, now: now), clientID ?? hint.client == hint.client {
            let ended = try await end(hint.session, of: hint.subject, now: now)
            let target = LogoutReturn(clientID: hint.client, address: address, state: state).allowed(in: apps)
            if let ended, let onward = await addressThere(signingOut: ended, then: target, in: call) {
                return .signedOut(returnTo: onward)
            }
            return .signedOut(returnTo: target.text)
        }
        let app = clientID.flatMap { apps[$0] }
        guard isConfirmed else { return .ask(app: app) }
        let target = LogoutReturn(clientID: clientID ?? "", address: address, state: state)
        return .signedOut(returnTo: target.allowed(in: apps).text)
    }

    /// - Returns: nil where there was none, or it is not the session of that `sub`.
    private func end(_ id: SessionID, of subject: String, now: Int64) async throws(ServiceError) -> EndedSession? {
        try await stored { () throws(RepositoryError) in
            guard let session = try await repository.session(id, now: now),
                tokenIssuer.subject(of: session) == subject
            else { return nil }
            return try await repository.endSession(id, of: session.user, now: now)
        }
    }

    /// Where a browser goes on to that comes back from a provider where its user has signed out.
    ///
    /// - Parameters:
    ///   - state: what it was sent there with.
    ///   - name: of the provider at whose address it comes back.
    /// - Throws: `.invalidParameter` for a state that is none.
    public func returned(with state: String?, from name: String) async throws(ServiceError) -> Outcome {
        guard let state, let target = try await states.target(of: state, at: name) else {
            throw .invalidParameter(ParameterError("state", "is missing, or none that this service has given"))
        }
        return .signedOut(returnTo: target.allowed(in: apps).text)
    }

    private func hint(
        _ text: String, now: Int64
    ) async throws(ServiceError) -> (client: String, subject: String, session: SessionID)? {
        if let hint = tokenIssuer.idTokenHint(text) { return hint }
        return try await tokenIssuer.findsKey(of: text, now: now) ? tokenIssuer.idTokenHint(text) : nil
    }

    /// The address at the provider that signs its user out there, where only the browser can do that and the ID token
    /// was kept.
    ///
    /// - Returns: nil also when the provider can't be found now: the session here is over all the same.
    private func addressThere(
        signingOut session: EndedSession, then target: LogoutReturn, in call: CallContext
    ) async -> String? {
        guard let idToken = session.idToken, let provider = providers.provider(named: session.provider),
            // Carriers keep no session of a browser's, and would have to be found by network first.
            !provider.takesPortTokens,
            let client = ProviderClient(entering: provider, through: transport, in: call)
        else { return nil }
        let name = provider.configuration.name
        // From server to server is told what is to be told so, by the outbox.
        guard let issuer = try? await client.issuer(serving: nil), issuer.customLogoutEndpoint == nil,
            let endpoint = issuer.endSessionEndpoint, Self.issuer(of: idToken)?.isExactly(issuer.issuer) == true,
            let state = try? await states.state(for: target, at: name)
        else { return nil }
        return LogoutRequest(idToken: idToken, state: state).address(
            at: endpoint, clientID: provider.configuration.clientID, redirectURI: returnAddress(name))
    }

    /// The one address to which a provider sends browsers back that it has signed out.
    private func returnAddress(_ provider: String) -> String {
        tokenIssuer.configuration.issuer.address("/auth/\(provider)/logged-out")
    }

    /// Who issued an ID token that was verified when it was kept. A section of the configuration may name another
    /// issuer by now.
    private static func issuer(of idToken: String) -> String? {
        guard let token = try? CompactJWS(parsing: idToken, maximumByteCount: IDTokenVerifier.maximumTokenBytes) else {
            return nil
        }
        return (try? JSONValue(parsing: token.unverifiedPayload.span))?["iss"]?.string
    }
}

extension LogoutReturn {
    /// The same with its address only if the app has it registered now.
    fileprivate func allowed(in apps: AppRegistry) -> LogoutReturn {
        let isAllowed = address.map { apps[clientID]?.allows(postLogoutRedirectURI: $0) == true } ?? false
        return LogoutReturn(clientID: clientID, address: isAllowed ? address : nil, state: state)
    }

    /// The address with the state.
    fileprivate var text: String? { address.map { AppAddress.adding([("state", state)], to: $0) } }
}
