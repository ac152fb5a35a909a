extension Mistake {
    /// Mistakes in the environment, in the list of apps and in their sections.
    static let ofOthers = [
        Mistake(
            .environment, "GATEHOUSE_HTTP_PROT=8080",
            "GATEHOUSE_HTTP_PORT=8080",
            says: "fault: GATEHOUSE_HTTP_PROT is no key; the nearest is GATEHOUSE_HTTP_PORT"),
        Mistake(
            .environment, "GATEHOUSE_HTTP_PORT=eighty",
            "GATEHOUSE_HTTP_PORT=80",
            says: """
                fault: http.port (environment GATEHOUSE_HTTP_PORT) is eighty; expected a port from 1 to 65535, \
                or 0 for one that the kernel chooses
                """),
        Mistake(
            .environment, "HTTP_PORT=8080",
            "GATEHOUSE_HTTP_PORT=8080",
            says: "notice: HTTP_PORT is an environment variable that is not read: only GATEHOUSE_HTTP_PORT is"),
        Mistake(
            .environment, "GATEHOUSE_LOGLEVEL=debug",
            "GATEHOUSE_LOG_LEVEL=debug",
            says: "fault: GATEHOUSE_LOGLEVEL is no key; the nearest is GATEHOUSE_LOG_LEVEL"),
        Mistake(
            .environment, "GATEHOUSE_PROVIDER_PLAIN_CLIENT_SECRT=x",
            "GATEHOUSE_PROVIDER_PLAIN_CLIENT_SECRET=the-secret-of-the-shop",
            says: """
                fault: GATEHOUSE_PROVIDER_PLAIN_CLIENT_SECRT is no key; the nearest is \
                GATEHOUSE_PROVIDER_PLAIN_CLIENT_SECRET
                """),
        Mistake(
            .environment, "GATEHOUSE_PROVIDER_OTHER_CLIENT_ID=x",
            "GATEHOUSE_PROVIDER_PLAIN_CLIENT_ID=x",
            says: """
                notice: GATEHOUSE_PROVIDER_OTHER_CLIENT_ID is an environment variable of a provider that \
                providers does not list
                """),
        Mistake(
            .environment, "GATEHOUSE_HTTP_TRUSTED_PROXIES=10.0.0.0/8;10.1.0.0/16",
            "GATEHOUSE_HTTP_TRUSTED_PROXIES=10.0.0.0/8,10.1.0.0/16",
            says: """
                fault: http.trustedProxies (environment GATEHOUSE_HTTP_TRUSTED_PROXIES) is \
                10.0.0.0/8;10.1.0.0/16; expected an address range such as 10.0.0.0/8 or 2001:db8::/32
                """),
        Mistake(
            .environment, "HTTPS_PROXY=http://proxy:3128",
            "GATEHOUSE_HTTP_OUTBOUND_PROXY=http://proxy:3128",
            says: """
                notice: HTTPS_PROXY is set, and not used: name the proxy in http.outboundProxy, or direct for \
                none
                """),
        Mistake(
            .app, "clientID: ''",
            "clientID: acme-app",
            says: """
                fault: app.acme.clientID (file, line 6) is empty; expected the client identifier that the app \
                names itself by
                """),
        Mistake(
            .app, "redirectURIs: []",
            "redirectURIs: ['com.acme.app:/back']",
            says: "fault: app.acme.redirectURIs (file, line 6) is []; expected a redirect URI at least"),
        Mistake(
            .app, "redirectURIs: ['acme:/back']",
            "redirectURIs: ['com.acme.app:/back']",
            says: """
                notice: app.acme.redirectURIs has acme:/back, whose scheme has no dot: another app may come by \
                the same. One made of a domain that is yours, such as com.example.app, is nobody else's (RFC \
                8252 §8.4)
                """),
        Mistake(
            .app, "providers: [google]",
            "providers: [plain]",
            says: "fault: app.acme.providers (file, line 6) is google; expected names that providers lists: plain"),
        Mistake(
            .app, "origins: ['https://acme.test/']",
            "origins: ['https://acme.test']",
            says: """
                fault: app.acme.origins (file, line 6) is https://acme.test/; expected https://acme.test, as \
                browsers write that origin
                """),
        Mistake(
            .app, "refreshTokens: reusable",
            "refreshTokens: rotating",
            says: """
                fault: app.acme.inactivityDays is 0; expected a number of days: refreshTokens is reusable, and \
                such a session has to end by itself
                """),
        Mistake(
            .app, "responses: json",
            "responses: flat",
            says: """
                fault: app.acme.responses (file, line 6) is json; expected one of flat, zenkey-ios, \
                zenkey-android
                """),
        Mistake(
            .app, "scopes: [openid, admin]",
            "scopes: [openid]",
            says: """
                fault: app.acme.scopes (file, line 6) is admin; expected one of openid, profile, email, phone, \
                address, postal_code, last_4_social, claims, offline_access, account.read, account.write, \
                account.sessions, account.identities, account.erase, tokens, transactions
                """),
        Mistake(
            .app, "secret: short",
            "secret: a-secret-of-the-app",
            says: """
                fault: app.acme.secret (file, line 6) is <redacted>; expected at least 16 characters, such as \
                openssl rand -hex 32 makes
                """),
        Mistake(
            .apps, "apps: [acme, shop]",
            "apps: [acme]",
            says: "fault: app.shop: expected the section of an app that apps lists"),
        Mistake(
            .apps, "apps: []",
            "apps: [acme]",
            says: "notice: app.acme is not listed in apps, and so is not used"),
    ]
}
