internal import Accounts
public import Apps
internal import System

/// The user's consent to what an app asks for (OpenID Connect Core §3.1.2.4). Only who is signed in can have given it
/// before, so it is asked for behind the provider: the session is there, and waits under a code that the app gets with
/// a "yes" and not before.
extension BrowserSignIn {
    /// Remembers the code of an app while its user is asked.
    ///
    /// - Returns: the token of the page that asks.
    func askForConsent(
        _ request: PendingRequest, to session: SessionID, _ code: String, _ browser: BrowserKey, _ network: NetworkHash
    ) async throws(ServiceError) -> String {
        var next = request
        next.stage = .consenting(session: session, code: code)
        return try await remember(next, browser, network)
    }

    /// Goes on with the user's answer. A second answer is told that it is over.
    func consented(
        _ hasAgreed: Bool, to session: SessionID, _ code: String, _ handle: PendingHandle, _ address: AppAddress,
        _ browser: BrowserKey
    ) async throws(Failure) -> Step {
        let now = clock.seconds
        do throws(ServiceError) {
            guard try await end(handle) else { throw ServiceError.notFound }
            guard hasAgreed else {
                _ = try await stored { () throws(RepositoryError) in
                    try await repository.revokeSession(session, now: now)
                }
                throw .accessDenied
            }
            let isThere = try await stored { () throws(RepositoryError) in
                try await repository.agree(
                    to: session, code: TokenHash(sha256: code), expiresAt: now + AppGrant.lifetimeSeconds, now: now)
            }
            guard isThere else { throw ServiceError.notFound }
            return .agreed(to: address.answer(code: code), by: browser)
        } catch .notFound {
            throw .page(.over)
        } catch {
            throw .app(address, error)
        }
    }

    /// How long an app keeps what it is given.
    public func lifetime(of app: RegisteredApp, with permissions: Permissions) -> GrantLifetime {
        guard app.hasRefreshTokens(with: permissions) else {
            return .seconds(configuration.accessTokenSeconds)
        }
        let terms = RefreshTerms(of: app, configuration)
        return terms.absoluteSeconds.map { .seconds($0) } ?? .untilSignOut(unusedSeconds: terms.firstSeconds)
    }
}

/// How long an app keeps what its user gives it.
public enum GrantLifetime: Equatable, Sendable {
    /// However often it comes back.
    case seconds(Int64)
    /// As long as it comes back, and for so long without that.
    case untilSignOut(unusedSeconds: Int64)
}
