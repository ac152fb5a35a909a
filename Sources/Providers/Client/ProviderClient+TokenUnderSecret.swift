internal import HTTPClient
internal import JSON
internal import Syntax

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
