internal import HTTPClient
internal import Syntax

/// Apple says `invalid_client` with 400, and says nothing more about it. A user who leaves its page is
/// `user_cancelled_authorize`.
enum Apple {
    static let dialect = Dialect(
        "apple", "Apple", hosts: ["appleid.apple.com", "account.apple.com"], profile: profile,
        rules: [
            RefusalRule(
                "invalid_client", with: 400...401, means: .clientFault("invalid_client"),
                remedy: "the client secret does not hold: clientID must be the app's bundle or the Services ID, and "
                    + "appleTeamID, appleKeyID and clientKey those of one key that has Sign in with Apple"),
            RefusalRule(
                "unauthorized_client", with: 400...401, means: .clientFault("unauthorized_client"),
                remedy: "the code was issued to another App ID or Services ID, or this one is in no group with it"),
            RefusalRule(
                "invalid_scope", means: .clientFault("invalid_scope"), remedy: "scopes may be openid, name and email"),
        ],
        authorization: [
            "user_cancelled_authorize": .accessDenied, "user_trigger_new_signin_flow": .loginRequired,
        ])

    /// Its metadata has had another name than its tokens since 2025. It has no userinfo, and takes no verifier. Asked
    /// for a name or an address, it answers by a form only.
    private static let profile = ProviderProfile(
        "apple", displayName: "Apple",
        place: ProviderProfile.Place(issuer: "https://appleid.apple.com", issuers: ["https://account.apple.com"]),
        clientAuthentication: .apple, scopes: ["openid", "name", "email"], redirectURI: .optional,
        responseMode: .formPost, requirePKCE: false, nativeTokens: true, userinfo: .never, authTime: .never,
        pkce: .ignored, trustEmails: .all)
}

/// What the team that an app leaves asks Apple, before the app moves.
extension ProviderClient {
    /// Fetches the token that the other question takes. It is good for an hour.
    ///
    /// - Parameter now: seconds since 1970.
    public func migrationToken(
        at issuer: ProviderMetadata, now: Int64
    ) async throws(ProviderError) -> MigrationToken {
        try await ask(MigrationTokenRequest(), at: tokenEndpoint(of: issuer), of: issuer, .transfer, now: now) {
            answer throws(ProviderCallError) in try MigrationToken(answer)
        }
    }

    /// Asks by what a user will be known.
    ///
    /// - Parameter now: seconds since 1970.
    public func transferSubject(
        _ asked: UserMigrationRequest, at issuer: ProviderMetadata, now: Int64
    ) async throws(ProviderError) -> TransferSubject {
        let tokenEndpoint = try tokenEndpoint(of: issuer)
        let endpoint: EndpointURL
        do throws(ProviderCallError) {
            endpoint = try UserMigrationRequest.endpoint(beside: tokenEndpoint)
        } catch {
            throw noted(.transfer, error, host: tokenEndpoint.host)
        }
        return try await ask(asked, at: endpoint, of: issuer, .transfer, now: now) {
            answer throws(ProviderCallError) in try TransferSubject(answer)
        }
    }
}
