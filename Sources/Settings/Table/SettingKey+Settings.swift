internal import HTTPClient

extension SettingKey where Root == Settings {
    /// Every key outside the sections with names, in the order of the reference.
    ///
    /// - Parameter wings: whose keys stand with ours: limits among the limits, the rest behind.
    static func all(with wings: [any WingSettings.Type]) -> [Self] {
        let ofWings = keys(of: wings)
        // Where a wing's key is in a section that there is without it, it stands at its end.
        func added(to section: String) -> [Self] { ofWings.filter { $0.path.first == section } }
        return http + admin + [
            Self("apiKeys", \.apiKeys, .apiKeys, "Keys that apps send in X-API-KEY; none: no key is demanded.")
        ] + rateLimit + added(to: "rateLimit") + [
            Self(
                "instances", \.instances, .number(1...1000),
                "Instances that serve together; each lets its share of the limits for one address pass.")
        ] + storage + session + browser + added(to: "browser") + outbox + traces + associationFiles
            + ofWings.filter { !["rateLimit", "browser"].contains($0.path.first) } + [
                Self(
                    "registration", \.registration, .text(.choice),
                    "Whether an unknown subject becomes a user at once, or the app gets a link ticket."),
                Self("log.level", \.log.level, .text(.logLevel), "The least severe event that is logged."),
                Self("log.format", \.log.format, .text(.choice), "Log lines for people, or one JSON object a line."),
                Self(
                    "providers", \.listedProviders.names, .list(.sectionName),
                    "The names of the providers in use; each has a section below provider."),
                Self(
                    "apps", \.listedApps.names, .list(.sectionName),
                    "The names of our own apps that sign users in through the browser; each has a section below app."),
                Self(
                    "resourceServers", \.listedResourceServers.names, .list(.sectionName),
                    "The names of the services that may ask what an access token is good for; each has a section below "
                        + "resourceServer."),
            ]
    }

    private static let day = 86_400

    private static let http: [Self] = [
        Self("http.host", \.http.host, .text(.host), "Address that apps connect to."),
        Self("http.port", \.http.port, .port, "Port that apps connect to."),
        Self("http.loops", \.http.loops, .positive(upTo: 1024, zero: "one per processor"), "Event loops."),
        Self("http.connections", \.http.connections, .limit(upTo: 1_000_000), "Connections at once."),
        Self("http.headerBytes", \.http.headerBytes, .limit(upTo: 1 << 20), "Bytes of a request head."),
        Self("http.bodyBytes", \.http.bodyBytes, .limit(upTo: 1 << 30), "Bytes of a request body."),
        Self("http.headerTimeoutSeconds", \.http.headerTimeoutSeconds, .limit(upTo: day), "Time for a whole head."),
        Self("http.bodyTimeoutSeconds", \.http.bodyTimeoutSeconds, .limit(upTo: day), "Time for a whole body."),
        Self(
            "http.idleTimeoutSeconds", \.http.idleTimeoutSeconds, .limit(upTo: day),
            "Time a connection may wait for its next request."),
        Self(
            "http.drainSeconds", \.http.drainSeconds, .number(0...day),
            "Time that requests in flight get when the server is told to stop; 0: none."),
        Self(
            "http.connectionsPerAddress", \.http.connectionsPerAddress, .limit(upTo: 1_000_000),
            "Connections at once of one client address; trusted proxies are exempt."),
        Self(
            "http.lameDuckSeconds", \.http.lameDuckSeconds, .number(0...day),
            "Time after SIGTERM in which the server is not ready but still accepts, before it drains; 0: none."),
        Self(
            "http.trustedProxies", \.http.trustedProxies, .list(.proxyRange),
            "Proxies whose word about the client's address is believed."),
        Self(
            "http.clientAddressHeader", \.http.clientAddressHeader, .text(.headerName),
            "The one header of those proxies that is believed; the other is ignored."),
        Self(
            "http.hstsSeconds", \.http.hstsSeconds, .positive(upTo: 2 * 365 * day, zero: "no such field"),
            "How long browsers come back by https only (Strict-Transport-Security); sent where session.issuer is an "
                + "https URL."
        ),
        Self(
            "http.tlsCertificateFile", \.http.tlsCertificateFile, .optional(.path),
            "Certificate chain (PEM) for HTTPS, with tlsKeyFile."),
        Self("http.tlsKeyFile", \.http.tlsKeyFile, .optional(.path), "Private key (PEM) for HTTPS."),
        Self(
            "http.tls.certificates", \.http.tlsCertificates, .list(.certificateFiles),
            "Further certificates for HTTPS, each with its private key; clients get the one for the name they ask for."),
        Self(
            "http.tls.redirectPort", \.http.redirectPort, .positive(upTo: 65_535, zero: "none"),
            "Port, such as 80, at which plain http is answered with the way to https."),
        Self(
            "http.tls.acmeFolder", \.http.acmeFolder, .optional(.path),
            "Folder whose files answer /.well-known/acme-challenge/NAME at that port, for an ACME client that writes them."
        ),
        Self(
            "http.outboundProxy", \.http.outboundProxy, .outboundRoute,
            "Proxy for https to all providers, by CONNECT; empty or direct: none. HTTPS_PROXY and NO_PROXY of the "
                + "environment are not read."),
        Self(
            "http.outboundProxyExceptions", \.http.outboundProxyExceptions, .list(.proxyException),
            "Hosts, each with all below it, and addresses that are reached without a proxy; with a port, only at that "
                + "port."),
    ]

    private static let admin: [Self] = [
        Self("admin.host", \.admin.host, .text(.host), "Address that operators connect to."),
        Self("admin.port", \.admin.port, .port, "Port that operators connect to."),
        Self(
            "admin.token", \.admin.token, .secret(.ownSecret),
            "Bearer token of an operator named admin; this or one of admin.tokens is needed unless admin.host is a loopback "
                + "address."),
        Self(
            "admin.metricsToken", \.admin.metricsToken, .secret(.ownSecret),
            "Bearer token that opens /metrics of the admin listener, and nothing else."),
        Self(
            "admin.openOnLoopback", \.admin.openOnLoopback, .optional(.choice),
            "Without any token: true lets everybody on this machine do everything, for development; false lets them "
                + "read what is not personal. Empty: false, but true in a store that is older than this key."),
        Self(
            "admin.reasons", \.admin.reasons, .text(.choice),
            "Whether an operator who looks at a person must say why (X-Reason, --reason); the reason is in the audit "
                + "trail."),
        Self(
            "admin.tls.certificates", \.admin.certificates, .list(.certificateFiles),
            "Certificates for HTTPS, each with its private key; none: plain http."),
        Self(
            "admin.tls.clientCAFile", \.admin.clientCAFile, .optional(.path),
            "Who issues the certificates by which operators may prove themselves (PEM); admin.tokens names them."),
        Self(
            "probes.host", \.probes.host, .optional(.host),
            "Address of a listener for load balancers and supervisors, with /livez, /startupz, /readyz and /healthz "
                + "only; empty: none. The admin listener has them too."),
        Self("probes.port", \.probes.port, .port, "Port of the probes' listener."),
        Self(
            "audit.retentionDays", \.audit.retentionDays, .limit(upTo: 36_500),
            "How long events stay in the audit trail."),
    ]

    private static let rateLimit: [Self] = [
        Self(
            "rateLimit.signInsPerMinutePerAddress", \.rateLimit.signInsPerMinutePerAddress, .limit(upTo: 1_000_000),
            "Sign-ins that one client address may start in a minute."),
        Self(
            "rateLimit.challengesPerMinutePerAddress", \.rateLimit.challengesPerMinutePerAddress,
            .limit(upTo: 1_000_000), "Challenges that one client address may ask for in a minute."),
        Self(
            "rateLimit.failedRefreshesPerMinutePerAddress", \.rateLimit.failedRefreshesPerMinutePerAddress,
            .limit(upTo: 1_000_000),
            "Refresh tokens, clients' secrets, logout tokens, events, and ids and notifications of server-initiated "
                + "sign-ins that one client address may get wrong in a minute."),
        Self(
            "rateLimit.failedAdminTokensPerMinutePerAddress", \.rateLimit.failedAdminTokensPerMinutePerAddress,
            .limit(upTo: 1_000_000), "Admin tokens that one client address may get wrong in a minute."),
        Self(
            "rateLimit.authorizationsPerMinutePerAddress", \.rateLimit.authorizationsPerMinutePerAddress,
            .limit(upTo: 1_000_000), "Browser sign-ins that one client address may begin in a minute."),
        Self(
            "rateLimit.exchangesPerHourPerUser", \.rateLimit.exchangesPerHourPerUser, .limit(upTo: 1_000_000),
            "How often in an hour one user is signed in by access tokens of a provider's, by all instances together."),
        Self(
            "rateLimit.refreshRepeatsPerHourPerUser", \.rateLimit.refreshRepeatsPerHourPerUser, .limit(upTo: 1_000_000),
            "How often in an hour one user's replaced refresh tokens get their answers again, by all instances together."
        ),
        Self(
            "rateLimit.attributeMatchesPerDayPerUser", \.rateLimit.attributeMatchesPerDayPerUser,
            .limit(upTo: 1_000_000),
            "How often in a day a typed value is compared with one attribute of a user (`POST /users/me/match`), by "
                + "all instances together; each attribute counts by itself."),
        Self(
            "rateLimit.introspectionsAtOnce", \.rateLimit.introspectionsAtOnce, .number(1...100_000),
            "Tokens that one instance introspects for services at once; 16 times as many wait, each service and "
                + "address in turn."
        ),
    ]

    private static let storage: [Self] = [
        Self("storage.url", \.storage.url, .text(.storage), "The database that holds the users."),
        Self(
            "storage.masterKeyFile", \.storage.masterKeyFile, .optional(.path),
            "Key that seals what is stored; empty: made beside the database on the first start."),
        Self(
            "storage.create", \.storage.create, .flag,
            "With a masterKeyFile: whether a missing database is made, for the first start. Without one it is always "
                + "made."
        ),
        Self(
            "storage.copyBeforeUpdate", \.storage.copyBeforeUpdate, .flag,
            "Whether a file of an earlier version is copied beside itself before it is brought up to date; the copy is "
                + "the way back."),
        Self(
            "storage.password", \.storage.password, .secret,
            "Password for PostgreSQL; empty: that of storage.url, or of libpq's password file."),
        Self(
            "storage.ledger", \.storage.ledger, .optional(.storage),
            "Where instances note, away from PostgreSQL, how far it has come and what a return to an earlier time "
                + "must not undo; the same for all instances. Empty: each knows what it remembers itself."),
        Self(
            "storage.connections", \.storage.connections, .number(2...100),
            "Connections of each event loop to PostgreSQL; its max_connections must have room for all instances'."),
        Self(
            "storage.connectSeconds", \.storage.connectSeconds, .number(1...60),
            "Time for connecting to PostgreSQL, each try."),
        Self(
            "storage.statementSeconds", \.storage.statementSeconds, .number(1...60),
            "Time for a statement in PostgreSQL, waiting included; twice that for several that belong together."),
        Self(
            "storage.requestSeconds", \.storage.requestSeconds, .number(1...60),
            "Time for all that one request asks of the store; also how long requests wait for a PostgreSQL that is "
                + "away before they are refused at once."),
        Self(
            "storage.queueMilliseconds", \.storage.queueMilliseconds, .number(1...60000),
            "How long a sign-in or a refresh waits behind others for PostgreSQL before it begins; then it is refused "
                + "with Retry-After, and its code is not sent."),
        Self(
            "storage.operationsPerRow", \.storage.operationsPerRow, .number(1...32),
            "Sign-ins of one user, refreshes of one session and the like at a time in each instance; further ones "
                + "wait and hold up nobody else."),
        Self(
            "storage.lockWaitMilliseconds", \.storage.lockWaitMilliseconds, .number(1...10000),
            "How long a row that is locked in PostgreSQL holds up the requests behind it; then it is waited for on "
                + "another connection."),
        Self(
            "storage.lockConnections", \.storage.lockConnections, .number(1...100),
            "Connections to PostgreSQL, of all loops together, for waiting on locked rows; opened at the first such "
                + "wait."
        ),
        Self(
            "storage.clockSkewSeconds", \.storage.clockSkewSeconds, .number(2...3600),
            "How far an instance's clock may be from PostgreSQL's; beyond it the instance is not ready. From two "
                + "seconds on the log says so."
        ),
        Self(
            "storage.preparedStatements", \.storage.preparedStatements, .flag,
            "Whether PostgreSQL keeps our statements prepared; false behind a pooler that gives each transaction another "
                + "connection."),
        Self(
            "storage.dialect", \.storage.dialect, .text(.choice),
            "Whose SQL the database takes: PostgreSQL's, or that of distributed engines that speak its protocol."),
    ]

    private static let session: [Self] = [
        Self(
            "session.issuer", \.session.issuer, .optional(.issuer),
            "Public base URL, and the iss of access tokens; a change ends all of them. Empty: http://host:port, and "
                + "an error where http.host is 0.0.0.0 or ::. With apps: https, or a loopback host."),
        Self(
            "session.audience", \.session.audience, .optional(.token),
            "Audience of the tokens of sessions that posted codes open; empty: the issuer."),
        Self(
            "session.splitAudiences", \.session.splitAudiences, .flag,
            "Whether those tokens are for this service alone; then a refresh with resource gets one for "
                + "session.audience."
        ),
        Self(
            "session.scopes", \.session.scopes, .list(.permission),
            "What sessions may do that posted codes open; everything: all but tokens."),
        Self(
            "session.exchangeScopes", \.session.exchangeScopes, .list(.permission),
            "What sessions may do that a provider's access token opens; nothing that changes anything."),
        Self(
            "session.accessTokenSeconds", \.session.accessTokenSeconds, .number(1...day),
            "Lifetime of an access token."),
        Self(
            "session.refreshTokenDays", \.session.refreshTokenDays, .number(1...3650), "Lifetime of a refresh token."),
        Self(
            "session.refreshRepeat", \.session.refreshRepeat, .text(.refreshRepeat),
            "For how long a replaced refresh token gets the same answer again, for clients that lost it."),
        Self(
            "session.refreshGraceSeconds", \.session.refreshGraceSeconds, .numberIfGiven(0...3600),
            "The same in seconds, as versions before counted it; 0: never. Deprecated: session.refreshRepeat takes its place."
        ),
        Self(
            "session.absoluteDays", \.session.absoluteDays, .limit(upTo: 3650),
            "Lifetime of a session, however often it is refreshed."),
        Self(
            "session.providerCheckDays", \.session.providerCheckDays, .number(0...365),
            "How long after its last word a provider is asked, with the kept refresh token (keepTokens), whether it "
                + "still knows the user; if it does not, the user's sessions end. 0: never."),
        Self(
            "session.maximumPerUser", \.session.maximumPerUser, .limit(upTo: 10_000),
            "Sessions of one user; one more ends the oldest of the app that has most."),
        Self(
            "session.maximumPerApp", \.session.maximumPerApp, .limit(upTo: 10_000),
            "Sessions of one user by one app, or by codes that are posted; one more ends the oldest of them."),
        Self(
            "session.maximumExchangedPerUser", \.session.maximumExchangedPerUser, .limit(upTo: 10_000),
            "Sessions of one user that a provider's access token has opened (tokenExchange), beside the others; one more ends the oldest "
                + "of them, and no other."),
        Self(
            "session.sensitiveMaxAgeSeconds", \.session.sensitiveMaxAgeSeconds, .limit(upTo: day),
            "How long ago a user may have authenticated to link, unlink, erase, end other sessions, or change phone number, "
                + "e-mail, username."
        ),
        Self(
            "session.subject", \.session.subject, .optional(.choice),
            "What apps see as sub: reference, which is random, or number, which a restored store could give to "
                + "somebody else. Empty: as the store was made, which is reference since this key exists. Fixed as "
                + "soon as there are users."
        ),
        Self(
            "session.tokenType", \.session.tokenType, .text(.choice),
            "The typ of access tokens. JWT is for backends that refuse at+jwt; then session.audience must be no app's "
                + "clientID."
        ),
        Self(
            "session.signing", \.session.signing, .text(.choice),
            "What signs access tokens: RS256 for backends that take nothing else, at ten times the work."),
        Self(
            "session.rememberedTokens", \.session.rememberedTokens, .number(0...1_000_000),
            "Access tokens that each instance remembers to be well signed, some 400 bytes each; whether their sessions live is "
                + "asked all the same. 0: none."
        ),
    ]

    private static let browser: [Self] = [
        Self(
            "browser.name", \.browser.name, .optional(.label),
            "Who runs this service, for its pages; empty: they name the app alone."),
        Self(
            "browser.logoFile", \.browser.logoFile, .optional(.path),
            "Picture on the pages: PNG, JPEG, GIF, WebP or SVG of at most \(Logo.maximumBytes) bytes."),
        Self(
            "browser.pendingSignIns", \.browser.pendingSignIns, .number(1...10_000_000),
            "Browser sign-ins that may be under way at once; beyond it the oldest of the address with most give way."),
        Self(
            "browser.pendingBytes", \.browser.pendingBytes, .number(1 << 20...4 << 30),
            "What browser sign-ins under way may take in the store, in bytes; one address (IPv6: a /48) holds at most a twentieth."
        ),
        Self(
            "browser.confirmationDays", \.browser.confirmationDays, .number(0...400),
            "How long a browser remembers that its user has confirmed an app that others can imitate; 0: not at all."),
    ]
    private static let outbox: [Self] = [
        Self(
            "outbox.giveUpHours", \.outbox.giveUpHours, .number(1...30 * 24),
            "How long a failing provider is told again that tokens are revoked, or users signed out.")
    ]

    private static let traces: [Self] = [
        Self(
            "traces.slowMilliseconds", \.traces.slowMilliseconds, .number(1...3_600_000),
            "How long a request takes before its trace is sent whatever the sampler says; with "
                + "OTEL_EXPORTER_OTLP_ENDPOINT."
        )
    ]

    private static let associationFiles: [Self] = [
        Self(
            "associationFiles.apple", \.associationFiles.appleFile, .optional(.path),
            "File served at \(AssociationFile.apple.servedAt), byte for byte; empty: there is none."),
        Self(
            "associationFiles.android", \.associationFiles.androidFile, .optional(.path),
            "File served at \(AssociationFile.android.servedAt), byte for byte; empty: there is none."),
    ]
}
