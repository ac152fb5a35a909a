internal import Crypto
internal import JSON

/// All dialects. Nothing here does anything.
enum DialectTable {
    static let byIssuer: [SimulatedIssuer: Dialect] = [
        .apple: apple, .google: google, .facebook: facebook, .entra: entra, .auth0: auth0, .okta: okta,
        .keycloak: keycloak, .cognito: cognito, .line: line, .firebase: firebase,
    ]

    private static let names = ["name", "given_name", "family_name"]
    private static let mail = ["email", "email_verified"]

    private static let apple = Dialect(
        profile: .ofDialect(
            "Apple", [.rs256, .rs256], idTokenLifetime: 86_400, ignoresPKCE: true,
            scopesAnsweredByForm: ["name", "email"], refreshTokenNeedsScope: false),
        places: [
            DialectPlace(
                issuer: "", announced: "/account", home: "", authorize: "/auth/authorize", token: "/auth/token",
                keys: "/auth/keys", revocation: "/auth/revoke")
        ],
        subject: DialectSubject(form: .opaque, prefix: "001482.", audience: .team),
        refusals: DialectRefusals.apple, constants: [("nonce_supported", true)],
        attributes: mail + ["is_private_email"], authentication: ["client_secret_post"], codeLifetime: 300,
        writesType: false, rotatesRefreshTokens: false, nativeCode: .withoutRedirectURI, introducesUsers: true)

    private static let google = Dialect(
        profile: .ofDialect("Google", [.rs256, .rs256], idTokenLifetime: 3_600, refreshTokenNeedsScope: false),
        places: [
            DialectPlace(
                issuer: "", home: "", authorize: "/o/oauth2/v2/auth", token: "/token", keys: "/oauth2/v3/certs",
                userinfo: "/v1/userinfo", revocation: "/revoke")
        ],
        subject: DialectSubject(form: .digits, prefix: "1"), refusals: DialectRefusals.google,
        attributes: mail + names, userinfo: .attributes(mail + names), otherSpelling: .withoutScheme,
        authentication: ["client_secret_post", "client_secret_basic"], namesParty: true, rotatesRefreshTokens: false,
        revokesForAnybody: true, nativeAccess: .good, nativeCode: .withEmptyRedirectURI)

    /// Facebook's Limited Login: what iOS gives to apps that may not track.
    private static let facebook = Dialect(
        profile: .ofDialect("Facebook", [.rs256], idTokenLifetime: 3_600),
        places: [
            DialectPlace(
                issuer: "", home: "", authorize: "/dialog/oauth", token: "/oauth/access_token", announcesToken: false,
                keys: "/limited/oauth/openid/jwks")
        ],
        subject: DialectSubject(form: .digits, audience: .oneClient), refusals: DialectRefusals.facebook,
        attributes: ["email"] + names, otherSpelling: .path("/limited"), hashesAccessToken: false,
        nativeAccess: .useless)

    private static let entra = Dialect(
        profile: .ofDialect("Microsoft Entra", [.rs256, .rs256], idTokenLifetime: 3_600),
        places: [
            DialectPlace(
                issuer: "/{tenant}/v2.0", home: "/{tenant}/v2.0", authorize: "/{tenant}/oauth2/v2.0/authorize",
                token: "/{tenant}/oauth2/v2.0/token", keys: "/{tenant}/discovery/v2.0/keys",
                userinfo: "/oidc/userinfo", tenants: .directories),
            DialectPlace(
                issuer: "/tfp/\(EntraTenant.ofPolicies)/{tenant}/v2.0/", home: "/b2c/{tenant}/v2.0",
                authorize: "/b2c/{tenant}/oauth2/v2.0/authorize", token: "/b2c/{tenant}/oauth2/v2.0/token",
                keys: "/b2c/{tenant}/discovery/v2.0/keys", tenants: .policies),
        ],
        tenant: EntraTenant.home, subject: DialectSubject(form: .opaque, audience: .oneClient),
        refusals: DialectRefusals.entra, constants: [("ver", "2.0")],
        attributes: ["email", "name", "preferred_username"], userinfo: .refusal, hashesAccessToken: false,
        nativeAccess: .good)

    private static let auth0 = Dialect(
        profile: .ofDialect("Auth0", [.rs256, .rs256], idTokenLifetime: 36_000),
        places: [
            DialectPlace(
                issuer: "/", home: "", authorize: "/authorize", token: "/oauth/token", keys: "/.well-known/jwks.json",
                userinfo: "/userinfo", revocation: "/oauth/revoke")
        ],
        subject: DialectSubject(form: .hexadecimal, prefix: "auth0|"), refusals: DialectRefusals.auth0,
        attributes: mail + ["name", "nickname"], userinfo: .attributes(mail + ["name", "nickname"]),
        nativeAccess: .good)

    private static let okta = Dialect(
        profile: .ofDialect("Okta", [.rs256], idTokenLifetime: 3_600),
        places: [
            DialectPlace(
                issuer: "/oauth2/default", home: "/oauth2/default", authorize: "/oauth2/default/v1/authorize",
                token: "/oauth2/default/v1/token", keys: "/oauth2/default/v1/keys",
                userinfo: "/oauth2/default/v1/userinfo", revocation: "/oauth2/default/v1/revoke"),
            DialectPlace(
                issuer: "", home: "", authorize: "/oauth2/v1/authorize", token: "/oauth2/v1/token",
                keys: "/oauth2/v1/keys", userinfo: "/oauth2/v1/userinfo", revocation: "/oauth2/v1/revoke",
                tenants: .named("org"), withheld: ["email", "email_verified"]),
        ],
        subject: DialectSubject(form: .digits, prefix: "00u"), refusals: DialectRefusals.okta,
        constants: [("ver", 1), ("amr", ["pwd"])], attributes: mail + ["name", "preferred_username"],
        userinfo: .attributes(mail + names + ["preferred_username"]), nativeAccess: .good)

    private static let keycloak = Dialect(
        profile: .ofDialect(
            "Keycloak", [.rs256, .es256], idTokenLifetime: 300, publishesEncryptionKey: true,
            refreshTokenNeedsScope: false),
        places: [
            DialectPlace(
                issuer: "/realms/demo", home: "/realms/demo", authorize: "/realms/demo/protocol/openid-connect/auth",
                token: "/realms/demo/protocol/openid-connect/token", keys: "/realms/demo/protocol/openid-connect/certs",
                userinfo: "/realms/demo/protocol/openid-connect/userinfo",
                revocation: "/realms/demo/protocol/openid-connect/revoke")
        ],
        subject: DialectSubject(form: .identifier), refusals: DialectRefusals.keycloak,
        constants: [("typ", "ID"), ("acr", "1")], attributes: mail + names + ["preferred_username"],
        userinfo: .attributes(mail + names + ["preferred_username"]), namesParty: true, writesAccessTokensAsJWT: true,
        nativeAccess: .good)

    private static let cognito = Dialect(
        profile: .ofDialect("Amazon Cognito", [.rs256, .rs256], idTokenLifetime: 3_600, refreshTokenNeedsScope: false),
        places: [
            DialectPlace(
                issuer: "/eu-west-1_demo", home: "/eu-west-1_demo", authorize: "/oauth2/authorize",
                token: "/oauth2/token", keys: "/eu-west-1_demo/.well-known/jwks.json", userinfo: "/oauth2/userInfo",
                revocation: "/oauth2/revoke")
        ],
        subject: DialectSubject(form: .identifier), refusals: DialectRefusals.cognito,
        constants: [("token_use", "id")], attributes: mail + names,
        userinfo: .withTexts(mail + names + ["phone_number", "phone_number_verified"]),
        authentication: ["client_secret_basic"], rotatesRefreshTokens: false, writesAccessTokensAsJWT: true,
        nativeAccess: .good)

    private static let line = Dialect(
        profile: .ofDialect("LINE", [.es256], idTokenLifetime: 3_600, refreshTokenNeedsScope: false),
        places: [
            DialectPlace(
                issuer: "", home: "", authorize: "/oauth2/v2.1/authorize", token: "/oauth2/v2.1/token",
                keys: "/oauth2/v2.1/certs", revocation: "/oauth2/v2.1/revoke")
        ],
        subject: DialectSubject(form: .hexadecimal, prefix: "U"), refusals: DialectRefusals.line,
        constants: [("amr", ["linesso"])], attributes: ["name", "email"], hashesAccessToken: false,
        signsCodesTokensWithSecret: true, nativeAccess: .useless)

    /// Firebase's phone number verification: who has the number is all that it says.
    private static let firebase = Dialect(
        profile: .ofDialect("Firebase", [.es256], idTokenLifetime: 3_600),
        places: [
            DialectPlace(
                issuer: "/projects/\(DialectClients.firebaseNumber)",
                home: "/projects/\(DialectClients.firebaseNumber)", keys: "/v1beta/jwks")
        ],
        subject: DialectSubject(form: .phoneNumber), refusals: RefusalForm(refusals: [:]), attributes: [],
        hashesAccessToken: false)
}
