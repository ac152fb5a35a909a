internal import Accounts
internal import Apps
public import Providers
public import Syntax
internal import System

/// One more identity for a user of an app's, through the browser.
///
/// Who has the address that is opened first is in the user's place from then on, so it is good once, and for the
/// browser that opens it. That browser may be somebody else's: who has sent their own address to others would have them
/// add their identity to a stranger's account. So a page names the app and whose account it is before anything happens,
/// and what has happened is told at the app's own address alone.
extension BrowserSignIn {
    /// Where the browser is sent to.
    public static let linkPath = "/auth/link"

    /// Begins it.
    ///
    /// - Parameters:
    ///   - parameters: `redirect_uri`, `state`, and what goes on to the provider.
    ///   - principal: whose request it is.
    ///   - address: whom the request comes from.
    /// - Returns: the address that the app opens in a browser, and for how long that may be done, in seconds.
    /// - Throws: `ServiceError.invalidParameter`, `.unauthorizedClient` for a session that is no app's of ours,
    ///   `.insufficientAuthentication`, `.identityTooNew`.
    public func beginLink(
        _ parameters: AuthorizationParameters, with provider: Provider, by principal: Principal, of address: IPAddress
    ) async throws(ServiceError) -> (url: String, expiresIn: Int64) {
        try await link.check(principal.session, of: repository)
        guard let app = principal.app else { throw .unauthorizedClient }
        guard let redirectURI = parameters[.redirectURI] else {
            throw .invalidParameter(ParameterError("redirect_uri", "is missing"))
        }
        guard app.allows(redirectURI: redirectURI) else {
            throw .invalidParameter(ParameterError("redirect_uri", "is none of this app's redirectURIs"))
        }
        let carried: CarriedParameters
        do throws(AppRequest.Problem) { carried = try CarriedParameters(parameters) } catch {
            throw .invalidRequest(error.description)
        }
        let target = AppAddress(
            app: app, redirectURI: redirectURI, state: parameters[.state], issuer: issuer.text)
        let pending = PendingRequest(
            linkingTo: principal.session.id, at: target, provider: provider.configuration.name, carried: carried,
            at: clock.milliseconds)
        // Nobody has this key: the browser that opens it gets one of its own.
        let nobody = BrowserKey()
        let handle = PendingHandle(for: nobody)
        guard
            try await store(pending.encoded, under: handle, nobody, try networkHash(of: address), instead: nil)
        else { throw .overloaded }
        let url = AppAddress.adding([(BrowserParameter.token.rawValue, handle.text)], to: issuer.address(Self.linkPath))
        return (url, Self.lifetimeSeconds)
    }

    /// What the user is asked who has opened the address.
    public struct LinkQuestion: Sendable {
        public let address: AppAddress
        public let provider: String
        /// What the user of the account is called; nil where nobody has said.
        public let name: String?
        /// Of the page that asks.
        public let token: String
    }

    /// A browser has opened the address: from now on it is that browser's.
    ///
    /// - Parameter browser: what it shows, and is known again by.
    public func openLink(
        _ parameters: AuthorizationParameters, in browser: inout BrowserKeys
    ) async throws(Failure) -> LinkQuestion {
        guard let token = parameters[.token] else { throw .page(.malformed(parameter: "token")) }
        guard let handle = PendingHandle(token) else { throw .page(.over) }
        let (row, request) = try await pending(handle)
        guard request.stage == .unopened, let session = request.linking,
            let address = request.address(apps, issuer: issuer.text)
        else { throw .page(.over) }
        do throws(ServiceError) {
            guard let user = try await user(of: session) else { throw ServiceError.notFound }
            let key = beginKey(in: &browser, for: address)
            var next = request
            next.stage = .asking
            let own = PendingHandle(for: key)
            // Of two browsers that open it at once one has it.
            guard try await store(next.encoded, under: own, key, row.network, instead: handle) else {
                throw ServiceError.notFound
            }
            return LinkQuestion(
                address: address, provider: request.provider, name: user.profile.shown["name"], token: own.text)
        } catch .notFound {
            throw .page(.over)
        } catch {
            throw .page(.service(error))
        }
    }

    private func user(of session: SessionID) async throws(ServiceError) -> User? {
        let now = clock.seconds
        return try await stored { () throws(RepositoryError) in
            guard let session = try await repository.session(session, now: now) else { return nil }
            return try await repository.user(session.user)
        }
    }

    /// Links what the browser has come back with.
    ///
    /// - Parameter begunAt: when the app asked for it, in milliseconds since 1970.
    func link(
        _ response: AuthorizedResponse, with provider: Provider, to id: SessionID, since begunAt: Int64?,
        _ call: CallContext
    ) async throws(ServiceError) -> IdentityID {
        let now = clock.seconds
        let session = try await stored { () throws(RepositoryError) in try await repository.session(id, now: now) }
        // A user who was signed out meanwhile adds nothing.
        guard let session else { throw .accessDenied }
        let askedAt = begunAt.map { $0 / 1000 }
        return try await link.link(response, with: provider, session: session, askedAt: askedAt, in: call).identity.id
    }
}
