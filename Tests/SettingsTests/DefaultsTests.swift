import Accounts
import Apps
import Crypto
import HTTPServer
import JSON
import Logging
import Observability
import Providers
import Syntax
import Testing
import Wings
import YAML

@testable import Settings

@Suite struct `Defaults` {
    /// Every key with its default, as the reference documents it.
    static let listing = """
        http:
          host: 127.0.0.1
          port: 8080
          loops: 0
          connections: 20000
          headerBytes: 32768
          bodyBytes: 65536
          headerTimeoutSeconds: 10
          bodyTimeoutSeconds: 10
          idleTimeoutSeconds: 75
          drainSeconds: 25
          connectionsPerAddress: 0    # 0 = off
          lameDuckSeconds: 5          # after SIGTERM: not ready, still accepting
          trustedProxies: []          # CIDRs
          clientAddressHeader: X-Forwarded-For   # or Forwarded
          hstsSeconds: 31536000       # 0 = off
          tlsCertificateFile: ""      # with tlsKeyFile
          tlsKeyFile: ""
          tls:
            certificates: []
            redirectPort: 0
            acmeFolder: ""
          outboundProxy: ""
          outboundProxyExceptions: []
        admin:
          host: 127.0.0.1
          port: 8081
          token: ""
          metricsToken: ""
          openOnLoopback: ""
          reasons: optional
          tls:
            certificates: []
            clientCAFile: ""
        probes:
          host: ""
          port: 8082
        audit:
          retentionDays: 400
        apiKeys: []
        rateLimit:
          signInsPerMinutePerAddress: 600  # 0 = off
          challengesPerMinutePerAddress: 600
          failedRefreshesPerMinutePerAddress: 600
          failedAdminTokensPerMinutePerAddress: 60
          authorizationsPerMinutePerAddress: 600
          exchangesPerHourPerUser: 60
          refreshRepeatsPerHourPerUser: 3600
          attributeMatchesPerDayPerUser: 5
          introspectionsAtOnce: 64
          pushesPerMinutePerAddress: 60
          signUpsPerMinutePerAddress: 60
          profileRefreshesPerHourPerUser: 10
          profileRefreshesAtOnce: 8
          keysPerMinutePerAddress: 60
          keysPerDayPerAddress: 1000
          failedLongSecretsPerMinutePerAddress: 60
        instances: 1
        storage:
          url: file:data/gatehouse.db # or postgres://user@host/db?sslmode=verify-full
          masterKeyFile: ""
          create: false
          copyBeforeUpdate: true
          password: ""
          ledger: ""
          connections: 4
          connectSeconds: 5
          statementSeconds: 5
          requestSeconds: 5
          queueMilliseconds: 1000
          operationsPerRow: 2
          lockWaitMilliseconds: 100
          lockConnections: 4
          clockSkewSeconds: 60
          preparedStatements: true
          dialect: postgresql
        session:
          issuer: ""
          audience: ""
          splitAudiences: false
          scopes: [everything]
          exchangeScopes: [openid, profile, email, phone, account.read]
          accessTokenSeconds: 900
          refreshTokenDays: 30
          refreshRepeat: untilSuccessor
          absoluteDays: 365
          providerCheckDays: 0
          maximumPerUser: 50
          maximumPerApp: 25
          maximumExchangedPerUser: 10
          sensitiveMaxAgeSeconds: 300
          subject: ""
          tokenType: at+jwt
          signing: ES256
          rememberedTokens: 16384
        browser:
          name: ""
          logoFile: ""
          pendingSignIns: 200000
          pendingBytes: 268435456
          confirmationDays: 90
          accountPage: true
        outbox:
          giveUpHours: 72
        traces:
          slowMilliseconds: 1000
        associationFiles:
          apple: ""
          android: ""
        push:
          lifetimeSeconds: 600
          perUser: 3
          windowSeconds: 600
          maximumPending: 20000
        keyService:
          enabled: false
          basePath: /keyservice/v1
          scryptCost: 15
          hashesAtOnce: 0
          waiting: 256
          unusedDays: 400
        securityTxt:
          contacts: []
          policy: ""
          encryption: ""
          acknowledgments: ""
          languages: []
          days: 30
        registration: automatic       # or: ticket
        log:
          level: info
          format: text                # or: json
        providers: [zenkey]           # names; each has a section below
        apps: []
        resourceServers: []
        provider:
          zenkey:
            profile: zenkey           # zenkey | openid | beyond-identity | telenor-id | tim
            dialect: ""              # as the profile has it, else by the issuer's host
            discoveryURL: https://discoveryissuer.myzenkey.com/.well-known/openid_configuration   # profile zenkey
            discoveryUI: ""
            issuer: ""
            clientID: ccid-0123456789abcdef
            clientSecret: ""
            clientAuthentication: client_secret_basic   # client_secret_post | client_secret_jwt | private_key_jwt | apple | none
            basicEncoding: raw        # or form
            redirectURIs: ["ccid-0123456789abcdef://com.xci.provider.sdk"]
            displayName: ZenKey
            logoFile: ""
            order: 0
            issuers: []               # further spellings of issuer
            tenants: []               # of an issuer with {tenantid}
            clientKey: ""
            clientKeyID: ""
            assertionAlgorithm: ""    # RS256 | ES256
            assertionAudience: token  # endpoint | token | issuer
            appleTeamID: ""
            appleKeyID: ""
            redirectURI: required     # optional | omitted | empty
            nativeTokens: false
            nativeNonce: sha256-hex   # sha256-base64url | raw | none
            nativeTokenMaxAgeSeconds: 600
            audiences: []             # or {clientID: …, nativeNonce: none}
            idTokenVerificationURL: ""
            trustedIssuers: ["*.att.com", "*.verizon.com", "*.t-mobile.com", "*.myzenkey.com", "*.xcijv.com"]
            issuerAliases: []         # "old=new"
            trustedAudiences: []
            algorithms: [RS256]       # allowed for ID tokens
            atHashOfEdDSA: sha512     # or sha256
            scopes: [openid, name, email, phone, postal_code]   # browser sign-in
            scopesFor: {}             # APP: [scopes]
            responseMode: query       # or form_post
            trustEmails: all          # or owned, none
            emailDomains: []
            pkce: enforced            # auto | ignored
            codeNonce: required       # or optional
            requireIss: false
            requirePKCE: true
            requireNonce: false
            requireChallenge: false
            authTime: auto            # always | never
            freshness: auth_time      # or challenge
            minimumACR: ""
            clockSkewSeconds: 60
            portTokenMaxAgeDays: 200
            userinfo: required        # optional | never
            transactionIdentityMinimumAgeHours: 24
            claims: []
            crossClientKey: ""
            serverInitiated: false
            keepTokens: false
            revocationURL: ""
            tokenExchange: false
            tokenExchangeAudiences: []
            userAPI:
              url: ""                 # profile beyond-identity
              version: 2021           # or v1
              token: ""
              tokenURL: ""
              clientID: ""
              clientSecret: ""
              authenticatorConfigID: ""
              postBindingRedirectURI: ""
              authenticatorURL: https://app.byndid.com/downloads
              returnLinks: true
              mailsPerHour: 3
              pending: 10000
              unfinishedDays: 30
            timeoutSeconds: 10
            signInTimeoutSeconds: 20
            connectionsPerHost: 512
            inFlight: 2000
            outboundProxy: ""
            caFile: ""
            traceContext: false
            allowLoopbackHTTP: false
            events: ""
            eventAudiences: []
            eventConfigurationURL: ""
            eventMaxAgeDays: 7
            lockOnEvents: []
            logoutTyp: ""

        """

    @Test func `the documented listing lacks nothing but the secret`() {
        let loaded = load(Self.listing)
        #expect(loaded.faults.map(\.key) == ["provider.zenkey.clientSecret"])
        #expect(loaded.faults.map(\.kind) == [.missing])
        #expect(loaded.notices.isEmpty)
    }

    @Test func `the documented listing gives every key its default`() {
        let secret = ["GATEHOUSE_PROVIDER_ZENKEY_CLIENT_SECRET": "x"]
        let listed = load(Self.listing, environment: secret)
        let untouched = load(
            nil, environment: ["GATEHOUSE_PROVIDER_ZENKEY_CLIENT_ID": "ccid-0123456789abcdef"].merging(secret) { $1 })
        #expect(listed.faults == [])
        #expect(untouched.faults == [])
        #expect(listed.effective.map(\.key) == untouched.effective.map(\.key))
        for (left, right) in zip(listed.effective, untouched.effective) {
            #expect(left.value == right.value, "\(left.key)")
        }
    }

    @Test func `the documented listing holds every key of the table, in its order`() throws {
        let document = try YAMLDocument(parsing: Self.listing)
        var listed: [String] = []
        func collect(_ node: YAMLNode, _ prefix: String) {
            guard case .mapping(let entries) = node.content, !entries.isEmpty else { return listed.append(prefix) }
            for entry in entries { collect(entry.value, prefix.isEmpty ? entry.key : "\(prefix).\(entry.key)") }
        }
        collect(document.root, "")
        let table =
            SettingKey<Settings>.all(with: Wing.all.map(\.settings)).map(\.name)
            + SettingKey<ProviderSettings>.all.map { "provider.zenkey.\($0.name)" }
        // What is deprecated has no default, and is set by nobody anew.
        #expect(listed == table.filter { $0 != "session.refreshGraceSeconds" })
    }

    @Test func `defaults every value has its type`() throws {
        let settings = try #require(load(least).settings)
        #expect(settings.http.host == "127.0.0.1")
        #expect(settings.http.port == 8080)
        #expect(settings.http.loops == nil)
        #expect(settings.http.connections == 20000)
        #expect(settings.http.headerBytes == 32768)
        #expect(settings.http.bodyBytes == 65536)
        #expect(settings.http.headerTimeoutSeconds == 10)
        #expect(settings.http.bodyTimeoutSeconds == 10)
        #expect(settings.http.idleTimeoutSeconds == 75)
        #expect(settings.http.drainSeconds == 25)
        #expect(settings.http.connectionsPerAddress == nil)
        #expect(settings.http.lameDuckSeconds == 5)
        #expect(settings.http.trustedProxies.isEmpty)
        #expect(settings.http.clientAddressHeader == .xForwardedFor)
        #expect(settings.http.certificates.isEmpty && settings.http.redirectPort == nil)
        #expect(settings.http.acmeFolder == nil)
        #expect(settings.admin.certificates.isEmpty && settings.admin.clientCAFile == nil)
        #expect(settings.http.outboundProxy == nil && settings.http.outboundProxyExceptions.isEmpty)
        #expect(settings.admin.host == "127.0.0.1")
        #expect(settings.admin.port == 8081)
        #expect(settings.admin.token == nil)
        #expect(settings.apiKeys.isEmpty)
        #expect(settings.rateLimit.signInsPerMinutePerAddress == 600)
        #expect(settings.rateLimit.challengesPerMinutePerAddress == 600)
        #expect(settings.rateLimit.failedRefreshesPerMinutePerAddress == 600)
        #expect(settings.rateLimit.failedAdminTokensPerMinutePerAddress == 60)
        guard case .file("data/gatehouse.db") = settings.storage.url else {
            Issue.record("stored elsewhere")
            return
        }
        #expect(settings.storage.masterKeyFile == nil)
        #expect(!settings.storage.create)
        #expect(settings.session.issuer == nil)
        #expect(settings.session.audience == nil)
        #expect(settings.session.accessTokenSeconds == 900)
        #expect(settings.session.refreshTokenDays == 30)
        #expect(settings.session.refreshRepeats == .untilSuccessor)
        #expect(settings.session.absoluteDays == 365)
        #expect(settings.session.providerCheckSeconds == nil)
        #expect(settings.session.maximumPerUser == 50)
        #expect(settings.session.maximumPerApp == 25)
        #expect(settings.session.sensitiveMaxAgeSeconds == 300)
        #expect(settings.session.accessTokens == AccessTokenFormat(type: .atJWT, algorithm: .es256))
        #expect(settings.session.rememberedTokens == 16_384)
        #expect(settings.registration == .automatic)
        #expect(settings.log.level == .info)
        #expect(settings.log.format == .text)
        #expect(settings.listedProviders.sections.map(\.name) == ["zenkey"])
    }

    @Test func `defaults every value of a provider has its type`() throws {
        let provider = try #require(load(least).settings?.listedProviders.sections.first)
        #expect(provider.profile.name == "zenkey")
        #expect(provider.discoveryURL?.host == "discoveryissuer.myzenkey.com")
        #expect(provider.issuer == nil)
        #expect(provider.clientID == "ccid-0123456789abcdef")
        #expect(provider.clientSecret?.revealedText == "s3cret-of-zenkey")
        #expect(provider.clientAuthentication == .basic)
        #expect(provider.basicEncoding == .raw)
        #expect(provider.discoveryUI == nil)
        #expect(provider.atHashOfEdDSA == .sha512)
        #expect(provider.clientKey == nil && provider.clientKeyID == nil && provider.assertionAlgorithm == nil)
        #expect(provider.assertionAudience == .token && provider.appleTeamID == nil && provider.appleKeyID == nil)
        #expect(provider.redirectURIs == ["ccid-0123456789abcdef://com.xci.provider.sdk"])
        #expect(provider.trustedIssuers.contains("*.t-mobile.com"))
        #expect(provider.issuerAliases.isEmpty)
        #expect(provider.algorithms == [.rs256])
        #expect(provider.scopes == ["openid", "name", "email", "phone", "postal_code"])
        #expect(provider.scopesFor.isEmpty)
        #expect(!provider.requireIss)
        #expect(provider.requirePKCE)
        #expect(!provider.requireNonce)
        #expect(!provider.requireChallenge)
        #expect(provider.minimumACR == nil)
        #expect(provider.clockSkewSeconds == 60)
        #expect(provider.portTokenMaxAgeDays == 200)
        #expect(provider.userinfo == .required)
        #expect(
            provider.redirectURI == .required && provider.responseMode == .query && !provider.nativeTokens
                && provider.audiences.isEmpty)
        #expect(provider.nativeNonce == .hexadecimalSHA256 && provider.nativeTokenMaxAgeSeconds == 600)
        #expect(provider.issuers.isEmpty && provider.tenants.isEmpty && provider.idTokenVerificationURL == nil)
        #expect(provider.transactionIdentityMinimumAgeHours == 24)
        #expect(provider.claims.isEmpty)
        #expect(!provider.keepTokens)
        #expect(provider.tokenExchange == .off && provider.tokenExchangeAudiences.isEmpty)
        #expect(provider.timeoutSeconds == 10)
        #expect(provider.signInTimeoutSeconds == 20)
        #expect(provider.connectionsPerHost == 512)
        #expect(provider.inFlight == 2000)
        #expect(provider.caFile == nil)
        #expect(!provider.traceContext)
        #expect(provider.outboundProxy == nil && provider.trustedAudiences.isEmpty)
        #expect(!provider.allowLoopbackHTTP)
        #expect(provider.events == nil && provider.eventAudiences.isEmpty && provider.eventConfigurationURL == nil)
        #expect(provider.eventMaxAgeDays == 7)
    }

    @Test(arguments: [
        "connections", "headerBytes", "bodyBytes", "headerTimeoutSeconds", "bodyTimeoutSeconds", "idleTimeoutSeconds",
    ])
    func `a limit of the listener that is 0 is off`(key: String) throws {
        let loaded = load(least + "http: {\(key): 0}\n")
        let http = try #require(loaded.settings?.http)
        let limits = [
            "connections": http.connections, "headerBytes": http.headerBytes, "bodyBytes": http.bodyBytes,
            "headerTimeoutSeconds": http.headerTimeoutSeconds, "bodyTimeoutSeconds": http.bodyTimeoutSeconds,
            "idleTimeoutSeconds": http.idleTimeoutSeconds,
        ]
        #expect(limits[key] == .some(nil))
        #expect(limits.filter { $0.value == nil }.count == 1)
        #expect(loaded.effective.first { $0.key == "http.\(key)" }?.value == 0)
    }

    @Test func `a limit of a provider that is 0 is off`() throws {
        let keys = ["portTokenMaxAgeDays", "timeoutSeconds", "signInTimeoutSeconds", "connectionsPerHost", "inFlight"]
        let yaml = keys.reduce(least) { $0 + "    \($1): 0\n" }
        let provider = try #require(load(yaml).settings?.listedProviders.sections.first)
        #expect(provider.portTokenMaxAgeDays == nil)
        #expect(provider.timeoutSeconds == nil)
        #expect(provider.signInTimeoutSeconds == nil)
        #expect(provider.connectionsPerHost == nil)
        #expect(provider.inFlight == nil)
    }
}
