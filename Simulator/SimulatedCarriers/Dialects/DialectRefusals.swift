internal import HTTPServer

/// The dialects' words for what is wrong with a token request.
enum DialectRefusals {
    static let apple = RefusalForm(refusals: [
        .client: TokenRefusal(error: "invalid_client"), .missingSecret: TokenRefusal(error: "invalid_client"),
        .unknownCode: TokenRefusal(
            error: "invalid_grant", description: "The code has expired or has been revoked."),
        .usedCode: TokenRefusal(error: "invalid_grant", description: "The code has already been used."),
        .codeOfAnotherClient: TokenRefusal(
            error: "invalid_grant",
            description: "client_id mismatch. The code was not issued to \(TokenRefusal.named)."),
        .redirectURI: TokenRefusal(
            error: "invalid_grant",
            description: "redirect_uri mismatch. The code was not issued to \(TokenRefusal.named)."),
    ])

    static let google = RefusalForm(refusals: [
        .client: TokenRefusal(error: "invalid_client", description: "Unauthorized", status: .unauthorized),
        .missingSecret: TokenRefusal(error: "invalid_request", description: "client_secret is missing."),
        .unknownCode: TokenRefusal(error: "invalid_grant", description: "Malformed auth code."),
        .usedCode: TokenRefusal(error: "invalid_grant", description: "Bad Request"),
        .codeOfAnotherClient: TokenRefusal(error: "unauthorized_client", description: "Unauthorized"),
        .redirectURI: TokenRefusal(error: "redirect_uri_mismatch", description: "Bad Request"),
        .missingVerifier: TokenRefusal(error: "invalid_grant", description: "Missing code verifier."),
        .wrongVerifier: TokenRefusal(error: "invalid_grant", description: "Invalid code verifier."),
    ])

    static let facebook = RefusalForm(
        shape: .nested,
        refusals: [
            .client: TokenRefusal(error: "invalid_client", description: "Error validating client secret."),
            .unknownCode: TokenRefusal(error: "invalid_grant", description: "Invalid verification code format."),
            .usedCode: TokenRefusal(
                error: "invalid_grant", description: "This authorization code has been used.", number: 36_009),
            .redirectURI: TokenRefusal(
                error: "invalid_grant",
                description: "Error validating verification code. Please make sure your redirect_uri is identical to "
                    + "the one you used in the OAuth dialog request", number: 36_008),
        ])

    static let entra = RefusalForm(
        shape: .numbered,
        refusals: [
            .client: TokenRefusal(
                error: "invalid_client", description: "Invalid client secret provided.", status: .unauthorized,
                number: 7_000_215),
            .missingSecret: TokenRefusal(
                error: "invalid_client",
                description: "The request body must contain the following parameter: 'client_assertion' or "
                    + "'client_secret'.", status: .unauthorized, number: 7_000_218),
            .secretOfPublicClient: TokenRefusal(
                error: "invalid_client", description: "Client is public so neither should be presented.",
                status: .unauthorized, number: 700_025),
            .unknownCode: TokenRefusal(
                error: "invalid_grant", description: "The provided value for the 'code' parameter is not valid.",
                number: 70_000),
            .usedCode: TokenRefusal(
                error: "invalid_grant", description: "OAuth2 Authorization code was already redeemed.", number: 54_005),
            .codeOfAnotherClient: TokenRefusal(
                error: "invalid_grant", description: "The code was issued to another application.", number: 70_000),
            .codeOfAnotherTenant: TokenRefusal(
                error: "invalid_grant",
                description: "Provided Authorization Code is intended to use against other tenant.", number: 700_005),
            .redirectURI: TokenRefusal(
                error: "invalid_client", description: "The reply address does not match the one provided before.",
                status: .unauthorized, number: 500_112),
            .missingVerifier: TokenRefusal(
                error: "invalid_grant", description: "The Code_Verifier is missing.", number: 501_481),
            .wrongVerifier: TokenRefusal(
                error: "invalid_grant",
                description: "The Code_Verifier does not match the code_challenge of the authorization request.",
                number: 501_481),
        ])

    /// 403 where others say 400.
    static let auth0 = RefusalForm(
        refusals: alike(
            TokenRefusal(error: "invalid_grant", description: "Invalid authorization code", status: .forbidden)
        )
        .merging([
            .client: TokenRefusal(error: "access_denied", description: "Unauthorized", status: .unauthorized),
            .wrongVerifier: TokenRefusal(
                error: "invalid_grant", description: "Failed to verify code verifier", status: .forbidden),
        ]) { $1 })

    static let okta = RefusalForm(
        refusals: alike(
            TokenRefusal(
                error: "invalid_grant", description: "The authorization code is invalid or has expired.")
        ).merging([
            .client: TokenRefusal(
                error: "invalid_client",
                description: "The client secret supplied for a confidential client is invalid.", status: .unauthorized),
            .missingVerifier: TokenRefusal(error: "invalid_grant", description: "PKCE verification failed."),
            .wrongVerifier: TokenRefusal(error: "invalid_grant", description: "PKCE verification failed."),
        ]) { $1 })

    static let keycloak = RefusalForm(
        refusals: alike(TokenRefusal(error: "invalid_grant", description: "Code not valid")).merging([
            .client: TokenRefusal(
                error: "unauthorized_client", description: "Invalid client or Invalid client credentials",
                status: .unauthorized),
            .redirectURI: TokenRefusal(error: "invalid_grant", description: "Incorrect redirect_uri"),
            .missingVerifier: TokenRefusal(error: "invalid_grant", description: "PKCE code verifier not specified"),
            .wrongVerifier: TokenRefusal(
                error: "invalid_grant", description: "PKCE verification failed: Code mismatch"),
        ]) { $1 })

    /// Codes without a word beside them.
    static let cognito = RefusalForm(
        refusals: alike(TokenRefusal(error: "invalid_grant")).merging([
            .client: TokenRefusal(error: "invalid_client"), .missingSecret: TokenRefusal(error: "invalid_client"),
        ]) { $1 })

    static let line = RefusalForm(
        refusals: alike(TokenRefusal(error: "invalid_grant", description: "invalid authorization code")).merging([
            .client: TokenRefusal(error: "invalid_client", description: "invalid client_secret")
        ]) { $1 })

    /// One refusal for all that can be wrong with a code.
    private static func alike(_ refusal: TokenRefusal) -> [TokenFault: TokenRefusal] {
        let faults: [TokenFault] = [
            .unknownCode, .usedCode, .codeOfAnotherClient, .redirectURI, .missingVerifier, .wrongVerifier,
        ]
        return Dictionary(uniqueKeysWithValues: faults.map { ($0, refusal) })
    }
}
