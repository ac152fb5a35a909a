extension Mistake {
    static let all = ofService + ofProviders + ofOthers
}

extension Mistake {
    /// Mistakes beside the sections with names.
    static let ofService = [
        Mistake(
            .top, "http: {prot: 8080}",
            "http: {port: 8080}",
            says: "fault: http.prot (file, line 2) is no key; the nearest is http.port"),
        Mistake(
            .top, "http: {port: eighty}",
            "http: {port: 80}",
            says: """
                fault: http.port (file, line 2) is eighty; expected a port from 1 to 65535, or 0 for one that \
                the kernel chooses
                """),
        Mistake(
            .top, "http: {port: 70000}",
            "http: {port: 7000}",
            says: """
                fault: http.port (file, line 2) is 70000; expected a port from 1 to 65535, or 0 for one that \
                the kernel chooses
                """),
        Mistake(
            .top, "http: {host: ''}",
            "http: {host: 127.0.0.1}",
            says: "fault: http.host (file, line 2) is empty; expected a host name or IP address"),
        Mistake(
            .top, "http.port: 8080",
            "http: {port: 8080}",
            says: """
                fault: http.port (file, line 2) is written with dots, which a file does not take; expected \
                http: {port: …}
                """),
        Mistake(
            .top, "http: 8080",
            "http: {port: 8080}",
            says: """
                fault: http (file, line 2): expected a section with the keys host, port, loops, connections, \
                headerBytes, bodyBytes, headerTimeoutSeconds, bodyTimeoutSeconds, idleTimeoutSeconds, \
                drainSeconds, connectionsPerAddress, lameDuckSeconds, trustedProxies, clientAddressHeader, \
                hstsSeconds, tlsCertificateFile, tlsKeyFile, tls.certificates, tls.redirectPort, tls.acmeFolder, outboundProxy, outboundProxyFile, outboundProxyExceptions
                """),
        Mistake(
            .top, "htpp: {port: 8080}",
            "http: {port: 8080}",
            says: "fault: htpp (file, line 2) is no key; the nearest is http"),
        Mistake(
            .top, "http: {headerTimeoutSeconds: 10s}",
            "http: {headerTimeoutSeconds: 10}",
            says: """
                fault: http.headerTimeoutSeconds (file, line 2) is 10s; expected a whole number from 1 to \
                86400, or 0 for no limit
                """),
        Mistake(
            .top, "http: {trustedProxies: 10.0.0.0/8}",
            "http: {trustedProxies: [10.0.0.0/8]}",
            says: """
                fault: http.trustedProxies (file, line 2) is 10.0.0.0/8; expected a list; each element: an \
                address range such as 10.0.0.0/8 or 2001:db8::/32
                """),
        Mistake(
            .top, "http: {trustedProxies: [0.0.0.0/0]}",
            "http: {trustedProxies: [10.0.0.0/8]}",
            says: """
                fault: http.trustedProxies (file, line 2) is 0.0.0.0/0; expected the range of your proxies, /8 \
                of IPv4 or /16 of IPv6 at the most: any host in it may say what address anybody has
                """),
        Mistake(
            .top, "http: {trustedProxies: [proxy.internal]}",
            "http: {trustedProxies: [10.0.0.1/32]}",
            says: """
                fault: http.trustedProxies (file, line 2) is proxy.internal; expected an address range such as \
                10.0.0.0/8 or 2001:db8::/32
                """),
        Mistake(
            .top, "http: {clientAddressHeader: X-Real-IP}",
            "http: {clientAddressHeader: X-Forwarded-For}",
            says: """
                fault: http.clientAddressHeader (file, line 2) is X-Real-IP; expected one of X-Forwarded-For, \
                Forwarded
                """),
        Mistake(
            .top, "http: {outboundProxy: 'proxy:3128'}",
            "http: {outboundProxy: 'http://proxy:3128'}",
            says: """
                fault: http.outboundProxy (file, line 2) is <redacted>; expected http://HOST:PORT or \
                http://USER:PASSWORD@HOST:PORT, both percent-encoded, or direct
                """),
        Mistake(
            .top, "http: {port: 8081}",
            "http: {port: 8080}",
            says: """
                fault: admin.port is 8081; expected another port than http.port: what operators may do is not \
                for everybody
                """),
        Mistake(
            .top, "http: {tlsCertificateFile: cert.pem, tlsKeyFile: key.pem}",
            "http: {}",
            says: """
                fault: http.tlsCertificateFile (file, line 2) is cert.pem; expected a file that exists
                """),
        Mistake(
            .top, "admin: {host: 0.0.0.0}",
            "admin: {host: 0.0.0.0, token: an-operators-token}",
            says: """
                fault: admin.token is empty; expected a token that operators send, here or in admin.tokens, \
                since admin.host is not a loopback address
                """),
        Mistake(
            .top, "admin: {token: short}",
            "admin: {token: an-operators-token}",
            says: """
                fault: admin.token (file, line 2) is <redacted>; expected at least 16 characters, such as \
                openssl rand -hex 32 makes
                """),
        Mistake(
            .top, "admin: {token: an-operators-token, metricsToken: an-operators-token}",
            "admin: {token: an-operators-token, metricsToken: another-token-to-scrape}",
            says: """
                fault: admin.metricsToken (file, line 2) is <redacted>; expected another token than \
                admin.token: who scrapes is to have this one
                """),
        Mistake(
            .top, "admin: {tokens: {anna: {token: the-token-of-anna, roles: [boss]}}}",
            "admin: {tokens: {anna: {token: the-token-of-anna, roles: [operator]}}}",
            says: """
                fault: admin.tokens.anna.roles (file, line 2) is boss; expected one of auditor, support, \
                operator, metrics
                """),
        Mistake(
            .top, "admin: {tokens: {anna: {roles: [operator]}}}",
            "admin: {tokens: {anna: {roles: [operator], token: the-token-of-anna}}}",
            says: """
                fault: admin.tokens.anna.token is empty; expected the token that the operator sends, here or in \
                a file that tokenFile names
                """),
        Mistake(
            .top, "admin: {tokens: {anna: {token: the-token-of-anna, roles: [operator], expires: tomorrow}}}",
            "admin: {tokens: {anna: {token: the-token-of-anna, roles: [operator], expires: 2027-01-31}}}",
            says: "fault: admin.tokens.anna.expires (file, line 2) is tomorrow; expected a day, such as 2027-01-31"),
        Mistake(
            .top, "admin: {openOnLoopback: maybe}",
            "admin: {openOnLoopback: true}",
            says: "fault: admin.openOnLoopback (file, line 2) is maybe; expected one of true, false"),
        Mistake(
            .top, "admin: {reasons: always}",
            "admin: {reasons: required}",
            says: "fault: admin.reasons (file, line 2) is always; expected one of optional, required"),
        Mistake(
            .top, "apiKeys: a-key-of-the-app",
            "apiKeys: [a-key-of-the-app]",
            says: """
                fault: apiKeys (file, line 2) is <redacted>; expected a list; each element: a secret without \
                control characters, or {key: …, responses: …} with one of flat, zenkey-ios, zenkey-android
                """),
        Mistake(
            .top, "apiKeys: ['']",
            "apiKeys: [a-key-of-the-app]",
            says: """
                fault: apiKeys (file, line 2) is <redacted>, element 1; expected a secret without control \
                characters
                """),
        Mistake(
            .top, "apiKeys: [k3y]",
            "apiKeys: [a-key-of-the-app]",
            says: """
                notice: apiKeys has keys of fewer than 16 characters, which can be guessed; openssl rand -hex \
                32 makes one
                """),
        Mistake(
            .top, "apiKeys: [{key: a-key-of-the-app, responses: zenkey}]",
            "apiKeys: [{key: a-key-of-the-app, responses: zenkey-ios}]",
            says: """
                fault: apiKeys (file, line 2) is <redacted>, element 1; expected a secret without control \
                characters, or {key: …, responses: …} with one of flat, zenkey-ios, zenkey-android
                """),
        Mistake(
            .top, "rateLimit: {signInsPerMinutePerAddress: unlimited}",
            "rateLimit: {signInsPerMinutePerAddress: 0}",
            says: """
                fault: rateLimit.signInsPerMinutePerAddress (file, line 2) is unlimited; expected a whole \
                number from 1 to 1000000, or 0 for no limit
                """),
        Mistake(
            .top, "rateLimit: {signInsPerMinute: 10}",
            "rateLimit: {signInsPerMinutePerAddress: 10}",
            says: """
                fault: rateLimit.signInsPerMinute (file, line 2) is no key; the nearest is \
                rateLimit.signInsPerMinutePerAddress
                """),
        Mistake(
            .top, "instances: 0",
            "instances: 1",
            says: "fault: instances (file, line 2) is 0; expected a whole number from 1 to 1000"),
        Mistake(
            .top, "storage: {url: data/gatehouse.db}",
            "storage: {url: 'file:data/gatehouse.db'}",
            says: """
                fault: storage.url (file, line 2) is data/gatehouse.db; expected file:PATH or \
                postgres://USER@HOST/DATABASE
                """),
        Mistake(
            .top, "storage: {url: 'sqlite:data/gatehouse.db'}",
            "storage: {url: 'file:data/gatehouse.db'}",
            says: """
                fault: storage.url (file, line 2) is sqlite:data/gatehouse.db; expected file:PATH or \
                postgres://USER@HOST/DATABASE
                """),
        Mistake(
            .top, "storage: {url: 'mysql://db/gatehouse'}",
            "storage: {url: 'file:data/gatehouse.db'}",
            says: """
                fault: storage.url (file, line 2) is mysql://db/gatehouse; expected file:PATH or \
                postgres://USER@HOST/DATABASE
                """),
        Mistake(
            .top, "storage: {url: 'postgres://gatehouse@db.internal/gatehouse', masterKeyFile: master.key}",
            "storage: {url: 'postgres://gatehouse@db.internal/gatehouse?sslmode=verify-full', masterKeyFile: master.key}",
            says: """
                fault: storage.url (file, line 2) is <redacted>; expected postgres://…?sslmode=verify-full for \
                a database on another host; another sslmode where its network is yours
                """),
        Mistake(
            .top, "storage: {url: 'postgres://gatehouse@127.0.0.1/gatehouse'}",
            "storage: {url: 'postgres://gatehouse@127.0.0.1/gatehouse', masterKeyFile: master.key}",
            says: """
                fault: storage.masterKeyFile is empty; expected the file of a master key, which is the same for \
                all instances
                """),
        Mistake(
            .top, "storage: {masterKeyFile: nowhere.key}",
            "storage: {masterKeyFile: master.key}",
            says: "fault: storage.masterKeyFile (file, line 2) is nowhere.key; expected a file that exists"),
        Mistake(
            .top, "storage: {masterKeyFile: garbage.key}",
            "storage: {masterKeyFile: master.key}",
            says: """
                fault: storage.masterKeyFile (file, line 2) is garbage.key; expected a file that holds 32 \
                random bytes in base64url
                """),
        Mistake(
            .top, "storage: {connections: 8}",
            "storage: {}",
            says: """
                fault: storage.connections (file, line 2) is 8; expected 4: the key is for a shared database, \
                and storage.url names a file, which one server has
                """),
        Mistake(
            .top, "storage: {ledger: 'https://ledger'}",
            "storage: {}",
            says: """
                fault: storage.ledger (file, line 2) is https://ledger; expected file:PATH or \
                postgres://USER@HOST/DATABASE
                """),
        Mistake(
            .top, "session: {issuer: signin.shop.test}",
            "session: {issuer: 'https://signin.shop.test'}",
            says: """
                fault: session.issuer (file, line 2) is signin.shop.test; expected an absolute http(s) URL \
                without user information, query and fragment
                """),
        Mistake(
            .top, "session: {issuer: 'http://0.0.0.0:8080'}",
            "session: {issuer: 'https://signin.shop.test'}",
            says: """
                fault: session.issuer (file, line 2) is http://0.0.0.0:8080; expected an address that others \
                can reach: 0.0.0.0 is none
                """),
        Mistake(
            .top, "session: {issuer: 'http://signin.shop.test'}",
            "session: {issuer: 'https://signin.shop.test'}",
            says: """
                notice: session.issuer is http://signin.shop.test, plain http: who is on the way there reads \
                every code and token. A proxy that speaks TLS makes it an https URL
                """),
        Mistake(
            .top, "session: {issuer: 'https://signin.shop.test/?a=b'}",
            "session: {issuer: 'https://signin.shop.test'}",
            says: """
                fault: session.issuer (file, line 2) is https://signin.shop.test/?a=b; expected an absolute \
                http(s) URL without user information, query and fragment
                """),
        Mistake(
            .top, "session: {accessTokenSeconds: 15m}",
            "session: {accessTokenSeconds: 900}",
            says: """
                fault: session.accessTokenSeconds (file, line 2) is 15m; expected a whole number from 1 to \
                86400
                """),
        Mistake(
            .top, "session: {accessTokenSeconds: 0}",
            "session: {accessTokenSeconds: 900}",
            says: "fault: session.accessTokenSeconds (file, line 2) is 0; expected a whole number from 1 to 86400"),
        Mistake(
            .top, "session: {refreshRepeat: always}",
            "session: {refreshRepeat: untilSuccessor}",
            says: """
                fault: session.refreshRepeat (file, line 2) is always; expected untilSuccessor, never, or a \
                whole number of seconds from 1 to 315360000
                """),
        Mistake(
            .top, "session: {refreshGraceSeconds: 10}",
            "session: {}",
            says: """
                notice: session.refreshGraceSeconds is deprecated: leave it out, and a phone that has lost an \
                answer gets it again until it has presented it; or give session.refreshRepeat the seconds
                """),
        Mistake(
            .top, "session: {tokenType: jwt}",
            "session: {tokenType: JWT}",
            says: "fault: session.tokenType (file, line 2) is jwt; expected one of at+jwt, JWT"),
        Mistake(
            .top, "session: {signing: HS256}",
            "session: {signing: RS256}",
            says: "fault: session.signing (file, line 2) is HS256; expected one of RS256, ES256"),
        Mistake(
            .top, "session: {subject: email}",
            "session: {subject: reference}",
            says: "fault: session.subject (file, line 2) is email; expected one of reference, number"),
        Mistake(
            .top, "session: {scopes: [account]}",
            "session: {scopes: [everything]}",
            says: """
                fault: session.scopes (file, line 2) is account; expected everything, or one of openid, \
                profile, email, phone, address, postal_code, last_4_social, claims, offline_access, \
                account.read, account.write, account.sessions, account.identities, account.erase, transactions
                """),
        Mistake(
            .top, "registration: manual",
            "registration: ticket",
            says: "fault: registration (file, line 2) is manual; expected one of automatic, ticket"),
        Mistake(
            .top, "log: {level: loud}",
            "log: {level: debug}",
            says: """
                fault: log.level (file, line 2) is loud; expected one of trace, debug, info, notice, warning, \
                error, critical
                """),
        Mistake(
            .top, "log: {format: xml}",
            "log: {format: json}",
            says: "fault: log.format (file, line 2) is xml; expected one of text, json"),
        Mistake(
            .top, "log: {levle: debug}",
            "log: {level: debug}",
            says: "fault: log.levle (file, line 2) is no key; the nearest is log.level"),
        Mistake(
            .top, "probes: {port: 9090}",
            "probes: {host: 0.0.0.0, port: 9090}",
            says: "fault: probes.port (file, line 2) is 9090; expected 8082: probes.host is empty"),
        Mistake(
            .top, "keyService: {scryptCost: 15}\nkeyServices: {enabled: true}",
            "keyService: {enabled: true}",
            says: "fault: keyServices (file, line 3) is no key; the nearest is keyService"),
        Mistake(
            .top, "associationFiles: {apple: nowhere.json}",
            "associationFiles: {}",
            says: "fault: associationFiles.apple (file, line 2) is nowhere.json; expected a file that exists"),
        Mistake(
            .top, "browser: {logoFile: nowhere.png}",
            "browser: {}",
            says: "fault: browser.logoFile (file, line 2) is nowhere.png; expected a file that exists"),
        Mistake(
            .top, "audit: {retentionDays: forever}",
            "audit: {retentionDays: 0}",
            says: """
                fault: audit.retentionDays (file, line 2) is forever; expected a whole number from 1 to 36500, \
                or 0 for no limit
                """),
        Mistake(
            .top, "log: {level: debug}\nlog: {format: json}",
            "log: {level: debug, format: json}",
            says: "fault: log (file, line 3) is given again; expected each key once"),
        Mistake(
            .top, "log:\n\tlevel: debug",
            "log:\n  level: debug",
            says: """
                fault: gatehouse.yaml (file, line 3): expected YAML (while scanning for the next token: found \
                character that cannot start any token); a value that holds ": " or " #", or starts with \
                punctuation, needs quotes, at line 3, column 1
                """),
        Mistake(
            .top, "log: {level: debug",
            "log: {level: debug}",
            says: """
                fault: gatehouse.yaml (file, line 3): expected the indentation of the lines before (a value \
                must end on its own line), at line 3, column 1
                """),
    ]
}
