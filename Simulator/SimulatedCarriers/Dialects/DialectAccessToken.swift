internal import Crypto
internal import JSON

/// Makes the access tokens of an issuer: a random text, or a JWT at the dialects that have those.
struct DialectAccessToken {
    let world: World
    let provider: Provider
    let client: SimulatedClient
    let grant: Grant

    /// A token that is good at userinfo from now on.
    ///
    /// - Parameter now: Unix time.
    func make(now: Int64) throws(CryptoError) -> String {
        guard let dialect = provider.dialect, dialect.writesAccessTokensAsJWT else {
            return provider.grants.makeAccessToken(for: grant, now: now)
        }
        let idToken = IDToken(
            world: world, provider: provider, client: client, grant: grant, accessToken: "", isRefreshed: true,
            now: now)
        let claims = DialectClaims(token: idToken, dialect: dialect).accessToken
        let token = try TokenDraft(type: "JWT", key: provider.keys.key(for: nil), claims: claims).compact()
        provider.grants.keep(accessToken: token, for: grant, now: now)
        return token
    }
}
