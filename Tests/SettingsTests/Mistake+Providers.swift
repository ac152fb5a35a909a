extension Mistake {
    /// Mistakes in the list of providers and in their sections.
    static let ofProviders = [
        Mistake(
            .providers, "providers: []",
            "providers: [plain]",
            says: """
                fault: providers (file, line 1) is []; expected the name of a provider at least. Write \
                providers: [plain] into the file that --config names, and below provider: plain: its profile: \
                openid, issuer, clientID, clientSecretFile and redirectURIs. Documentation/Recipes.md has a \
                section for every provider that is known, and gatehouse check-config says what is still missing
                """),
        Mistake(
            .providers, "providers: plain",
            "providers: [plain]",
            says: """
                fault: providers (file, line 1) is plain; expected a list; each element: a name of lower-case \
                letters, digits and hyphens
                """),
        Mistake(
            .providers, "providers: [plain, other]",
            "providers: [plain]",
            says: "fault: provider.other: expected the section of a provider that providers lists"),
        Mistake(
            .providers, "providers: [Plain Provider]",
            "providers: [plain]",
            says: """
                fault: providers (file, line 1) is Plain Provider; expected a name of lower-case letters, \
                digits and hyphens
                """),
        Mistake(
            .plain, "profile: oidc",
            "profile: openid",
            says: """
                fault: provider.plain.profile (file, line 3) is oidc; expected one of zenkey, openid, \
                beyond-identity, telenor-id, tim, google, apple, microsoft, facebook, auth0, okta, keycloak, \
                cognito, line, twitch
                """),
        Mistake(
            .plain, "issuer: ''",
            "issuer: https://id.shop.test",
            says: """
                fault: provider.plain.issuer (file, line 3) is empty; expected the provider's issuer URL: \
                profile openid needs it
                """),
        Mistake(
            .plain, "issuer: id.shop.test",
            "issuer: https://id.shop.test",
            says: """
                fault: provider.plain.issuer (file, line 3) is id.shop.test; expected an absolute http(s) URL \
                without user information, query and fragment
                """),
        Mistake(
            .plain, "issuer: http://id.shop.test",
            "issuer: https://id.shop.test",
            says: """
                fault: provider.plain.issuer (file, line 3) is http://id.shop.test; expected an https URL \
                (plain http goes to a loopback address only, such as 127.0.0.1)
                """),
        Mistake(
            .plain, "issuer: http://127.0.0.1:9000",
            "issuer: http://127.0.0.1:9000, allowLoopbackHTTP: true",
            says: """
                fault: provider.plain.issuer (file, line 3) is http://127.0.0.1:9000; expected an https URL, or \
                allowLoopbackHTTP: true for development
                """),
        Mistake(
            .plain, "issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0'",
            "issuer: https://id.shop.test",
            says: """
                fault: provider.plain.tenants is []; expected the tenants that are let in, or * for any: the \
                issuer is a template
                """),
        Mistake(
            .plain, "clientID: ''",
            "clientID: shop",
            says: """
                fault: provider.plain.clientID (file, line 3) is empty; expected the client identifier that the \
                provider gave out
                """),
        Mistake(
            .plain, "clientId: shop",
            "clientID: shop",
            says: "fault: provider.plain.clientId (file, line 3) is no key; the nearest is provider.plain.clientID"),
        Mistake(
            .plain, "clientSecret: ''",
            "clientSecret: the-secret-of-the-shop",
            says: """
                fault: provider.plain.clientSecret is empty; expected the client's secret, here or in a file \
                that clientSecretFile names
                """),
        Mistake(
            .plain, "clientSecretFile: nowhere",
            "clientSecretFile: secret",
            says: "fault: provider.plain.clientSecretFile (file, line 3) is nowhere; expected a file that exists"),
        Mistake(
            .plain, "clientSecretFile: secret, clientSecret: x",
            "clientSecretFile: secret",
            says: """
                fault: provider.plain.clientSecret (file, line 3) is <redacted>; expected either the secret or \
                clientSecretFile, not both
                """),
        Mistake(
            .plain, "clientSecret: ' the-secret-of-the-shop'",
            "clientSecret: the-secret-of-the-shop",
            says: """
                notice: provider.plain.clientSecret begins or ends with white space, which is a part of the \
                secret then
                """),
        Mistake(
            .plain, "clientSecret: \"'the-secret-of-the-shop'\"",
            "clientSecret: the-secret-of-the-shop",
            says: """
                notice: provider.plain.clientSecret is between quotation marks, which are a part of the secret \
                then
                """),
        Mistake(
            .plain, "clientAuthentication: basic",
            "clientAuthentication: client_secret_basic",
            says: """
                fault: provider.plain.clientAuthentication (file, line 3) is basic; expected one of \
                client_secret_basic, client_secret_post, client_secret_jwt, private_key_jwt, apple, none
                """),
        Mistake(
            .plain, "clientAuthentication: none",
            "clientAuthentication: client_secret_basic",
            says: """
                fault: provider.plain.clientSecret (file, line 3) is <redacted>; expected nothing: with \
                clientAuthentication none it is never used
                """),
        Mistake(
            .plain, "redirectURIs: []",
            "redirectURIs: ['shop.app:/back']",
            says: """
                fault: provider.plain.redirectURIs (file, line 3) is []; expected a redirect URI at least, or \
                an app that signs its users in by the browser
                """),
        Mistake(
            .plain, "redirectURIs: ['https://shop.test/*']",
            "redirectURIs: ['https://shop.test/back']",
            says: """
                fault: provider.plain.redirectURIs (file, line 3) is https://shop.test/*; expected a redirect \
                URI to the letter: * stands for nothing
                """),
        Mistake(
            .plain, "redirectURIs: ['/back']",
            "redirectURIs: ['https://shop.test/back']",
            says: """
                fault: provider.plain.redirectURIs (file, line 3) is /back; expected an absolute URI without a \
                fragment, such as com.example.app:/callback
                """),
        Mistake(
            .plain, "algorithms: [HS256]",
            "algorithms: [RS256]",
            says: """
                fault: provider.plain.algorithms (file, line 3) is HS256; expected an asymmetric algorithm: \
                with HS256, everybody who can check a token can also make one
                """),
        Mistake(
            .plain, "algorithms: [none]",
            "algorithms: [RS256]",
            says: """
                fault: provider.plain.algorithms (file, line 3) is none; expected a signature algorithm: with \
                none, everybody can make a token
                """),
        Mistake(
            .plain, "scopes: openid profile",
            "scopes: [openid, profile]",
            says: """
                fault: provider.plain.scopes (file, line 3) is openid profile; expected a list; each element: a \
                scope: printable characters without spaces, quotes and backslashes
                """),
        Mistake(
            .plain, "timeoutSeconds: 30, signInTimeoutSeconds: 20",
            "timeoutSeconds: 10, signInTimeoutSeconds: 20",
            says: """
                fault: provider.plain.timeoutSeconds (file, line 3) is 30; expected at most \
                signInTimeoutSeconds, which is 20: one call is part of a sign-in
                """),
        Mistake(
            .plain, "caFile: nowhere.pem",
            "caFile: ca.pem",
            says: "fault: provider.plain.caFile (file, line 3) is nowhere.pem; expected a file that exists"),
        Mistake(
            .plain, "userinfo: 'yes'",
            "userinfo: required",
            says: "fault: provider.plain.userinfo (file, line 3) is yes; expected one of required, optional, never"),
        Mistake(
            .plain, "trustEmails: owned, emailDomains: ['@shop.test']",
            "trustEmails: owned, emailDomains: [shop.test]",
            says: """
                fault: provider.plain.emailDomains (file, line 3) is @shop.test; expected a domain such as \
                example.com
                """),
        Mistake(
            .plain, "serverInitiated: true",
            "serverInitiated: false",
            says: """
                fault: provider.plain.serverInitiated (file, line 3) is true; expected false: profile openid \
                does not take it
                """),
        Mistake(
            .plain, "minAcr: a3",
            "minimumACR: a3",
            says: "fault: provider.plain.minAcr (file, line 3) is no key; the nearest is provider.plain.minimumACR"),
    ]
}
