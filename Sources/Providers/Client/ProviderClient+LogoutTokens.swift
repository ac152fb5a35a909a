internal import JOSE
internal import Syntax

/// A logout token that can be read and claims to be of an issuer we trust. Nothing of it is proven.
public struct PresentedLogoutToken: Sendable {
    fileprivate let token: CompactJWS
    fileprivate let issuer: String
}

extension Provider {
    /// Reads a logout token, and decides before anything is asked of anybody whether it can be this provider's: anybody
    /// can send one.
    ///
    /// - Throws: `EventTokenError`: `.malformed`, `.signature`, `.algorithm`, `.issuer`.
    public func presented(logoutToken text: String) throws(EventTokenError) -> PresentedLogoutToken {
        let token = try read(
            text, maximumByteCount: LogoutTokenVerifier.maximumTokenBytes, or: EventTokenError.self)
        guard let issuer = LogoutTokenVerifier.claimedIssuer(token), mayIssueAs(issuer) else { throw .issuer }
        return PresentedLogoutToken(token: token, issuer: issuer)
    }
}

extension ProviderClient {
    /// Verifies a logout token: its signature with its issuer's keys, then its claims (OpenID Connect Back-Channel
    /// Logout 1.0 §2.6).
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: `ProviderError.logoutToken`; `.call` where metadata or keys can't be had, so that nothing can be said
    ///   of it.
    public func verified(_ presented: PresentedLogoutToken, now: Int64) async throws(ProviderError) -> LogoutToken {
        let metadata = try await metadata(of: presented)
        let verifier = LogoutTokenVerifier(
            issuer: presented.issuer, clientID: provider.configuration.clientID,
            demandsType: provider.configuration.demandsLogoutType,
            clockSkewSeconds: provider.configuration.clockSkewSeconds)
        let clientID = provider.configuration.clientID
        return try await verified(
            presented.token, from: .stranger, keysAt: metadata.keysEndpoint,
            expecting: { ExpectedNames(issuers: [presented.issuer], audiences: [clientID]) }, now: now,
            or: ProviderError.logoutToken
        ) {
            signed throws(EventTokenError) in try verifier.verify(signed, now: now)
        }
    }

    private func metadata(of presented: PresentedLogoutToken) async throws(ProviderError) -> ProviderMetadata {
        guard provider.takesPortTokens else { return try await issuer(serving: nil) }
        do throws(ProviderCallError) {
            return try await provider.metadata.metadata(
                ofTrusted: presented.issuer, provider.lookup, through: transport)
        } catch {
            // Where a stranger has made up the issuer's path, the trusted host says that it has no such issuer.
            if error.isNoSuchIssuer { throw .logoutToken(.issuer) }
            throw noted(.discovery, error, host: provider.configuredHost)
        }
    }
}

extension ProviderCallError {
    fileprivate var isNoSuchIssuer: Bool {
        switch self {
        case .status(let status): (400..<500).contains(status) && status != 429
        case .notJSON, .invalidMember, .doubtfulMember, .issuerMismatch, .refusedEndpoint: true
        default: false
        }
    }
}
