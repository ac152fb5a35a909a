internal import Accounts
public import Apps

/// The end of a session by an app's wish (OpenID Connect RP-Initiated Logout §2).
public struct EndAppSession: Sendable {
    /// What is shown, or where the browser goes, once it is done.
    public enum Outcome: Sendable {
        case signedOut(returnTo: String?)
        /// Nothing says whose session it is; the user is asked before anything is said to be over.
        case ask(app: RegisteredApp?)
    }

    let repository: any SessionRepository
    let tokenIssuer: TokenIssuer
    let apps: AppDirectory
    let clock: Clock

    /// - Parameters:
    ///   - idTokenHint: an ID token of ours, expired or not: it ends its own session, and no other of its user.
    ///   - clientID: whose app it is, where there is no hint; with one, both must agree.
    ///   - address: where the browser is to go after; only one that the app has registered counts.
    ///   - isConfirmed: whether the user has said yes already.
    public func end(
        idTokenHint: String?, clientID: String?, returnTo address: String?, state: String?, isConfirmed: Bool
    ) async throws(ServiceError) -> Outcome {
        let now = clock.seconds
        if let idTokenHint, let hint = try await hint(idTokenHint, now: now), clientID ?? hint.client == hint.client {
            _ = try await stored { () throws(RepositoryError) in
                try await repository.revokeSession(hint.bearer.session, of: hint.bearer.user, now: now)
            }
            return signedOut(apps[hint.client], address, state)
        }
        let app = clientID.flatMap { apps[$0] }
        return isConfirmed ? signedOut(app, address, state) : .ask(app: app)
    }

    private func hint(
        _ text: String, now: Int64
    ) async throws(ServiceError) -> (client: String, bearer: TokenIssuer.Bearer)? {
        if let hint = tokenIssuer.idTokenHint(text) { return hint }
        return try await tokenIssuer.findsKey(of: text, now: now) ? tokenIssuer.idTokenHint(text) : nil
    }

    private func signedOut(_ app: RegisteredApp?, _ address: String?, _ state: String?) -> Outcome {
        guard let app, let address, app.allows(postLogoutRedirectURI: address) else {
            return .signedOut(returnTo: nil)
        }
        return .signedOut(returnTo: AppAddress.adding([("state", state)], to: address))
    }
}
