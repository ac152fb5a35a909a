internal import HTTPClient
internal import Syntax

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
