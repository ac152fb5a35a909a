internal import HTTPClient
internal import Syntax

/// What becomes of a provider's tokens after the sign-in: they are refreshed, and revoked.
extension ProviderClient {
    /// Finds the issuer of somebody who has signed in before.
    ///
    /// - Parameter issuer: under which the identity is stored.
    /// - Throws: also where the section has another issuer by now, which must get nothing that is the former's.
    public func issuer(ofStored issuer: String) async throws(ProviderError) -> ProviderMetadata {
        // An issuer that has another name than it had answers under that.
        let current = provider.currentName(of: issuer)
        let found =
            provider.takesPortTokens ? try await self.issuer(named: current) : try await self.issuer(serving: nil)
        guard provider.stores(issuer, of: found) else {
            throw noted(
                .discovery, .issuerMismatch(found: PrintableName(found.issuer), expected: PrintableName(issuer)),
                host: provider.configuredHost)
        }
        return found
    }

    /// Exchanges a refresh token. Never sent a second time.
    ///
    /// - Parameters:
    ///   - stored: the issuer under which its user is stored, and what that calls them.
    ///   - now: seconds since 1970.
    public func refresh(
        _ asked: RefreshRequest, ofStored stored: (issuer: String, subject: String), at issuer: ProviderMetadata,
        now: Int64
    ) async throws(ProviderError) -> RefreshedTokens {
        try await ask(asked, at: tokenEndpoint(of: issuer), of: issuer, .refresh, now: now) {
            [provider] answer throws(ProviderCallError) in
            let tokens = try RefreshedTokens(answer, dialect: provider.dialect)
            let client = asked.clientID ?? provider.configuration.clientID
            try tokens.check(
                issuer: provider.currentName(of: stored.issuer), of: provider.issuerNames ?? issuer.issuerNames,
                subject: stored.subject, client: client,
                parties: [client, provider.configuration.clientID]
                    + (provider.configuration.nativeTokens?.audiences ?? []))
            return tokens
        }
    }

    /// Has a provider revoke a token.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Returns: `.impossible` also where there is no address for it.
    public func revoke(_ asked: RevocationRequest, at issuer: ProviderMetadata, now: Int64) async -> RevocationAnswer {
        guard let endpoint = provider.configuration.revocationEndpoint ?? issuer.revocationEndpoint else {
            return .impossible
        }
        do throws(ProviderError) {
            return try await ask(asked, at: endpoint, of: issuer, .revocation, now: now) {
                [provider] answer throws(ProviderCallError) in
                let answer = RevocationAnswer(answer, dialect: provider.dialect)
                if case .failed(let failure) = answer { throw failure }
                return answer
            }
        } catch {
            guard case .call(let problem) = error else { return .failed(.notJSON) }
            return .failed(problem.failure)
        }
    }
}
