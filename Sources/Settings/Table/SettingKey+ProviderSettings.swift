internal import Providers

extension SettingKey where Root == ProviderSettings {
    /// Every key of a provider's section, in the order of the reference.
    static let all: [Self] =
        identification + appearance + issuers + keys + nativeTokens + trust + trustInWords + demands + userAPI + limits
        + events

    private static let identification: [Self] = [
        Self(
            "profile", \.profile, .text(.choice),
            "The dialect the provider speaks, and what the other keys of the section begin with."),
        Self(
            "dialect", \.dialect, .optional(.choice),
            "Whose error codes the provider uses (Documentation/Providers.md); empty: as the profile has it, else by "
                + "the issuer's host."),
        Self(
            "discoveryURL", \.discoveryURL, .optional(.webAddress),
            "For profile zenkey: where discovery is asked by mobile network; empty: ZenKey's own. For the others: "
                + "where metadata lies; empty: below the issuer."),
        Self(
            "discoveryUI", \.discoveryUI, .optional(.webAddress),
            "Page on which users choose a carrier, where discovery names none."),
        Self(
            "issuer", \.issuer, .optional(.providerIssuer),
            "Issuer, for all profiles but zenkey; its metadata at issuer/.well-known/openid-configuration must name "
                + "it. With {tenantid} in it, a template of its tenants' issuers. Empty: the profile's own, for "
                + "telenor-id, google, apple, microsoft, facebook and line."),
        Self("clientID", \.clientID, .text(.clientID), "Client identifier; required."),
        Self("clientSecret", \.clientSecret, .secret, "Client secret; required for the client_secret methods."),
        Self(
            "clientAuthentication", \.clientAuthentication, .text(.choice),
            "How the provider's endpoints learn who we are; apple: a secret made of a key; none: a public client, with PKCE "
                + "and without a secret."),
        Self(
            "basicEncoding", \.chosenBasicEncoding, .optional(.choice),
            "How ID and secret enter the Basic header: form-encoded (RFC 6749 §2.3.1), or raw; empty: raw for profile "
                + "zenkey, else form."),
        Self(
            "redirectURIs", \.redirectURIs, .list(.redirectURI),
            "Redirect URIs that an app may have used, compared as text; give each provider its own. Empty, for "
                + "profile zenkey: CLIENT_ID://com.xci.provider.sdk."),
    ]

    private static let appearance: [Self] = [
        Self(
            "displayName", \.displayName, .optional(.label),
            "Name of the provider where people choose one, and where they see which one they signed in with; empty: "
                + "the profile's own, else the issuer's host."),
        Self(
            "logoFile", \.logoFile, .optional(.path),
            "Picture beside that name: a PNG of at most \(PNGPicture.largestSide) by \(PNGPicture.largestSide) pixels, or an SVG "
                + "without scripts, styles that load, and references to elsewhere; at most \(ProviderLogo.maximumBytes) bytes."
        ),
        Self(
            "order", \.order, .number(-1000...1000),
            "Place among the providers that people choose from: the lowest first, then by displayName."),
    ]

    private static let keys: [Self] = [
        Self(
            "clientKey", \.clientKey, .privateKey,
            "Private key (PEM; RSA or P-256) for private_key_jwt, or Apple's .p8; without one private_key_jwt is signed with a "
                + "key of ours, whose public half providers read at /auth/client-jwks.json."),
        Self(
            "clientKeyID", \.clientKeyID, .optional(.token),
            "What the provider calls that key (kid); empty: its thumbprint (RFC 7638)."),
        Self(
            "assertionAlgorithm", \.assertionAlgorithm, .optional(.choice),
            "What assertions of private_key_jwt are signed with; empty: as clientKey has it, else RS256."),
        Self(
            "assertionAudience", \.assertionAudience, .text(.choice),
            "Whom an assertion is for: the endpoint it goes to, the token endpoint, or the issuer."),
        Self("appleTeamID", \.appleTeamID, .optional(.token), "Team of the developer account; with apple."),
        Self("appleKeyID", \.appleKeyID, .optional(.token), "What Apple calls the key in clientKey; with apple."),
    ]

    private static let trust: [Self] = [
        Self(
            "trustedIssuers", \.trustedIssuers, .list(.trustedIssuer),
            "Issuers that may be asked: carriers that discovery names, and signers of port tokens. By host, by "
                + "*.DOMAIN, or by their own URL, compared to the letter."),
        Self(
            "issuerAliases", \.issuerAliases, .list(.issuerAlias),
            "Earlier URLs of the issuer: users who are stored under one are found, and moved to the section's own "
                + "issuer."
        ),
        Self(
            "trustedAudiences", \.trustedAudiences, .list(.token),
            "Audiences that an ID token may have beside clientID without an azp that names us; anyone who is one of them may show the "
                + "token elsewhere in the user's name."),
        Self(
            "algorithms", \.algorithms, .list(.algorithm),
            "Signature algorithms an ID token may use; empty: RS256, and ES256 too for profile beyond-identity; ES256 alone for line."
        ),
        Self(
            "atHashOfEdDSA", \.atHashOfEdDSA, .text(.choice),
            "Hash behind at_hash in ID tokens that EdDSA signs."),
        Self(
            "scopes", \.scopes, .list(.scope),
            "Scopes asked for in browser sign-in, openid among them; empty: openid, name, email, phone, postal_code for "
                + "profile zenkey, openid, profile, email, phone, offline_access for telenor-id, openid, name, email for apple, openid, "
                + "profile, email, phone for cognito, else openid, profile, email."
        ),
        Self(
            "scopesFor", \.scopesFor, .scopesByApp,
            "Scopes of browser sign-in by the app that begins it, as far as the app's request wants them; an app "
                + "without an entry: scopes."),
        Self(
            "responseMode", \.responseMode, .text(.choice),
            "How the browser brings the provider's answer: in the address, or in a form. Apple demands a form where a "
                + "name or an address is asked for."),
    ]

    private static let demands: [Self] = [
        Self(
            "requireIss", \.requireIss, .flag,
            "Refuses a sign-in without the iss that came back with the code (RFC 9207), whatever metadata says."),
        Self("requirePKCE", \.requirePKCE, .flag, "Refuses a sign-in without a code verifier."),
        Self("requireNonce", \.requireNonce, .flag, "Refuses a sign-in without a nonce."),
        Self(
            "requireChallenge", \.requireChallenge, .flag,
            "Refuses a sign-in whose nonce this server has not issued."),
        Self(
            "authTime", \.authTime, .text(.choice),
            "Whether ID tokens tell when their user authenticated (auth_time). always: one without it shows nothing; "
                + "never: max_age with a posted code is refused; auto: where they have it."),
        Self(
            "freshness", \.freshness, .text(.choice),
            "What shows that users were there just now, to link and to change phone number, e-mail, username: "
                + "auth_time alone, or also an answer to our challenge where there is no auth_time, as for acts that "
                + "only end something."),
        Self("minimumACR", \.minimumACR, .optional(.level), "Least level of assurance (acr); empty: any."),
        Self(
            "clockSkewSeconds", \.clockSkewSeconds, .number(0...3600),
            "How far the provider's clock may differ from ours."),
        Self("portTokenMaxAgeDays", \.portTokenMaxAgeDays, .limit(upTo: 3650), "Age of a port token."),
        Self(
            "userinfo", \.userinfo, .text(.userinfo),
            "Whether the user's attributes are fetched: always, where they can be had, or never."),
        Self(
            "transactionIdentityMinimumAgeHours", \.transactionIdentityMinimumAgeHours, .limit(upTo: 8760),
            "How old an identity that was linked, ported or given to a user must be to approve transactions, to link, "
                + "unlink, erase, end other sessions, and change phone number, e-mail, username."),
        Self(
            "claims", \.claims, .list(.claim, upTo: ProviderSettings.maximumClaims),
            "Further claims of ID token and userinfo that the app gets, under claims, with their types."),
        Self(
            "crossClientKey", \.crossClientKey, .optional(.claim),
            "Claim that names one person at all clients of the issuer, such as kurtid: an unknown subject "
                + "that shows the key of a user signs in as that user; empty: no subject does."),
        Self(
            "serverInitiated", \.serverInitiation, .text(.serverInitiation),
            "Lets apps have users asked on their phones, by requests signed with RS256 (clientKey, or a key of ours). "
                + "minimal: also without context, and by a subject as login_hint. Profile zenkey."),
        Self(
            "keepTokens", \.keepTokens, .flag,
            "Whether the provider's tokens are kept, sealed, and refreshed on demand; they are revoked there when they end here."
        ),
        Self(
            "revocationURL", \.revocationURL, .optional(.webAddress),
            "Where the provider's tokens are revoked (RFC 7009); empty: what its metadata says."),
        Self(
            "tokenExchange", \.tokenExchange, .text(.exchangeRule),
            "Whether the provider's access tokens sign people in at /auth/token (RFC 8693), and what proves that one was issued "
                + "for this service: the provider's introspection endpoint, or the token itself as a JWT (RFC 9068)."),
        Self(
            "tokenExchangeAudiences", \.tokenExchangeAudiences, .list(.token),
            "Audiences of ours beside clientID that such a token may be for; never one that other services' tokens name too."
        ),
    ]

    private static let limits: [Self] = [
        Self("timeoutSeconds", \.timeoutSeconds, .limit(upTo: 3600), "Time for one call to the provider."),
        Self("signInTimeoutSeconds", \.signInTimeoutSeconds, .limit(upTo: 3600), "Time for a whole sign-in."),
        Self(
            "connectionsPerHost", \.connectionsPerHost, .limit(upTo: 100_000),
            "Connections of the whole process to one host at once."),
        Self("inFlight", \.inFlight, .limit(upTo: 1_000_000), "Sign-ins at once; beyond it, 503 overloaded."),
        Self(
            "outboundProxy", \.outboundProxy, .outboundRoute,
            "As http.outboundProxy, for this provider alone; direct: without one. Empty: http.outboundProxy."),
        Self("caFile", \.caFile, .optional(.path), "Further trust anchors (PEM) for the provider's certificates."),
        Self(
            "traceContext", \.traceContext, .flag,
            "Tells the provider's servers which trace a call belongs to (traceparent, tracestate), where traces are kept."
        ),
        Self(
            "allowLoopbackHTTP", \.allowLoopbackHTTP, .flag,
            "Allows plain http to loopback addresses: development and tests."),
    ]
    private static let events: [Self] = [
        Self(
            "events", \.events, .optional(.choice),
            "How the provider tells us what has happened to its users, at /auth/NAME/events: Apple's notifications, RISC, or "
                + "Facebook's signed requests; empty: it does not, and there is nothing at that address."),
        Self(
            "eventAudiences", \.eventAudiences, .list(.clientID),
            "Identifiers of ours beside clientID that an event may be for: Apple's App ID, other clients at Google."),
        Self(
            "eventConfigurationURL", \.eventConfigurationURL, .optional(.webAddress),
            "Where the transmitter of RISC events says which issuer and keys are its own; with risc."),
        Self(
            "eventMaxAgeDays", \.eventMaxAgeDays, .number(1...30),
            "How old an event may be when it comes: a provider sends it again until it gets an answer."),
        Self(
            "lockOnEvents", \.lockOnEvents, .list(.choice),
            "Events of the provider that lock the whole user: hijacking, when somebody else has got hold of the "
                + "account. In any case, an account that the provider has disabled locks its identity."),
        Self(
            "logoutTyp", \.logoutTyp, .optional(.choice),
            "Whether a back-channel logout token must have typ logout+jwt; any: JWT or none will do, as Keycloak before 25 and "
                + "authentik before 2025.12 send them. Empty: required."),
    ]
}
