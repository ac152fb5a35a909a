internal import HTTPClient
public import OpenIDConnect
internal import Syntax

/// What becomes of a provider's tokens after the sign-in: they are refreshed, and revoked.
extension ProviderClient {
    /// Finds the issuer of somebody who has signed in before.
    ///
    /// - Parameter issuer: under which the identity is stored.
    /// - Throws: also where the section has another issuer by now, which must get nothing that is the former's.
    public func issuer(ofStored issuer: String) async throws(ProviderError) -> ProviderMetadata {
        let found =
            provider.takesPortTokens ? try await self.issuer(named: issuer) : try await self.issuer(serving: nil)
        guard provider.currentName(of: found.issuer).isExactly(issuer) else {
            throw noted(.discovery, .issuerMismatch, host: provider.configuredHost)
        }
        return found
    }

    /// Exchanges a refresh token. Never sent a second time.
    ///
    /// - Parameter now: seconds since 1970.
    public func refresh(
        _ asked: RefreshRequest, at issuer: ProviderMetadata, now: Int64
    ) async throws(ProviderError) -> RefreshedTokens {
        let endpoint = issuer.tokenEndpoint
        var proof: ClientProof?
        var answer: OutboundResponse?
        do throws(ProviderCallError) {
            let client = try provider.authentication.proof(
                at: endpoint, of: issuer, keys: provider.clientKeys, now: now)
            proof = client
            let received = try await transport.sendOnce(
                asked.request(
                    to: endpoint, as: client, timeout: transport.timeout, policy: provider.policy(for: endpoint)))
            answer = received
            return try RefreshedTokens(received)
        } catch {
            let words = answer.flatMap { ProviderWords($0, removing: asked.secrets + (proof?.secrets ?? [])) }
            throw noted(.refresh, error, host: endpoint.host, words: words)
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
        var proof: ClientProof?
        do throws(ProviderCallError) {
            let client = try provider.authentication.proof(
                at: endpoint, of: issuer, keys: provider.clientKeys, now: now)
            proof = client
            let received = try await transport.sendOnce(
                asked.request(
                    to: endpoint, as: client, timeout: transport.timeout, policy: provider.policy(for: endpoint)))
            let answer = RevocationAnswer(received)
            if case .failed(let failure) = answer {
                let words = ProviderWords(received, removing: asked.secrets + (proof?.secrets ?? []))
                _ = noted(.revocation, failure, host: endpoint.host, words: words)
            }
            return answer
        } catch {
            _ = noted(.revocation, error, host: endpoint.host)
            return .failed(error)
        }
    }
}
