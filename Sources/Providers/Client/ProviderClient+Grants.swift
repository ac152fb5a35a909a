internal import HTTPClient
internal import JSON
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

extension ProviderClient {
    /// Has the provider sign a user out, from server to server. Never sent a second time by itself: its caller, who
    /// remembers that the provider is to be asked, decides when to ask again.
    ///
    /// - Parameter issuer: whose ID token it is.
    /// - Returns: `.refused` also where the provider has no `custom_logout_endpoint`. What failed is noted for the log.
    public func logOut(_ asked: LogoutRequest, at issuer: ProviderMetadata) async -> LogoutOutcome {
        guard let endpoint = issuer.customLogoutEndpoint else {
            _ = noted(.logout, .invalidMember("custom_logout_endpoint"), host: provider.configuredHost)
            return .refused
        }
        let request = asked.request(
            to: endpoint, timeout: transport.timeout, policy: provider.policy(for: endpoint))
        do throws(ProviderCallError) {
            let answer = try await transport.sendOnce(request, for: .logout)
            let outcome = LogoutOutcome(status: answer.status)
            if outcome != .done {
                let words = ProviderWords(answer, removing: asked.secrets)
                _ = noted(.logout, .status(answer.status), host: endpoint.host, words: words)
            }
            return outcome
        } catch {
            _ = noted(.logout, error, host: endpoint.host)
            return .later
        }
    }
}

/// ID tokens that a provider has signed with our secret.
extension ProviderClient {
    /// Has the provider verify an ID token that has come from its token endpoint, and holds what it says to the rules
    /// of all ID tokens. An app's own token never comes here: only what the provider has given to us is its word.
    ///
    /// - Parameters:
    ///   - endpoint: where the provider verifies them.
    ///   - clientID: the client whose code it was given for.
    ///   - now: seconds since 1970.
    /// - Returns: nil for a token that is verified with the provider's keys, as nearly all are.
    /// - Throws: `ProviderError.idToken`; `.call` where the provider does not answer.
    func verified(
        _ token: String, at endpoint: EndpointURL, for clientID: String, by verifier: IDTokenVerifier, now: Int64
    ) async throws(ProviderError) -> IDToken? {
        guard let asked = IDTokenVerificationRequest(token, clientID: clientID, nonce: verifier.nonce) else {
            return nil
        }
        let claims: JSONValue?
        do throws(ProviderCallError) {
            let request = asked.request(
                to: endpoint, timeout: transport.timeout, policy: provider.policy(for: endpoint))
            claims = try asked.claims(in: try await transport.send(request, for: .verification))
        } catch {
            throw noted(.verification, error, host: endpoint.host)
        }
        guard let claims else { throw .idToken(.signature) }
        do throws(IDTokenError) {
            return try verifier.verify(claims, answering: asked, now: now)
        } catch {
            if let found = verifier.finding(error, in: claims, now: now) { call.note(found: found) }
            throw .idToken(error)
        }
    }
}
