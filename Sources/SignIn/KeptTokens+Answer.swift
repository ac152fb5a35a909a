internal import Accounts
package import Providers

extension ProviderTokens {
    /// What a provider has given just now.
    package init(_ accessToken: String, _ terms: TokenTerms, client: String? = nil, now: Int64) {
        self.init(
            accessToken: accessToken, refreshToken: terms.refreshToken,
            expiresAt: terms.lifetimeSeconds.map { now + $0 }, scope: terms.scope, client: client)
    }
}

extension KeptTokens {
    /// What is kept of a sign-in's tokens.
    ///
    /// - Returns: nil where no access token has come, since there is nothing to hand out.
    convenience init?(
        _ tokens: TokenResponse, _ terms: TokenTerms, of issuer: ProviderMetadata, client: String?, now: Int64
    ) {
        guard let accessToken = tokens.accessToken else { return nil }
        // What ends nothing anywhere is not kept.
        let endsSessions = issuer.endSessionEndpoint != nil || issuer.customLogoutEndpoint != nil
        self.init(
            tokens: ProviderTokens(accessToken, terms, client: client, now: now),
            idToken: endsSessions ? tokens.idToken : nil)
    }
}
