internal import Accounts
internal import Apps
internal import Crypto
internal import JSON
internal import Providers
import Syntax

extension SettingsLoader {
    /// Checks what no key can check alone. A key that has a fault already, itself or through its `…File` twin, is
    /// left out: its value is not the one given.
    mutating func check(_ settings: Settings) {
        var broken = Set(faults.map(\.key))
        for key in broken where key.hasSuffix(SettingKey<Settings>.fileSuffix) {
            broken.insert(String(key.dropLast(SettingKey<Settings>.fileSuffix.count)))
        }
        var found = settings.rules(files) + settings.clientRules()
        for provider in settings.listedProviders.sections {
            let profile = provider.key("profile")
            found += provider.rules(files)
            if !broken.contains(profile) { found += provider.profileRules(isProfileGiven: sources[profile] != nil) }
        }
        for fault in found where !broken.contains(fault.key) {
            faults.append(
                SettingsError(
                    fault.kind, fault.key, value: fault.value, expected: fault.expected, source: sources[fault.key]))
        }
    }
}

extension Settings {
    /// One token is one operator's.
    private func operatorRules() -> [SettingsError] {
        var faults = listedOperators.sections.flatMap { $0.rules() }
        var tokens = admin.token.map { [$0] } ?? []
        if let token = admin.metricsToken {
            if tokens.contains(token) {
                let expected = "another token than admin.token: who scrapes is to have this one"
                faults.append(
                    SettingsError(.conflict, "admin.metricsToken", value: Secret.redacted, expected: expected))
            }
            tokens.append(token)
        }
        for section in listedOperators.sections {
            guard let token = section.token else { continue }
            if tokens.contains(token) {
                let expected = "a token of the operator's own: another one has the same"
                faults.append(
                    SettingsError(.conflict, section.key("token"), value: Secret.redacted, expected: expected))
            }
            tokens.append(token)
        }
        return faults
    }

    /// What is wrong with these settings as a whole, the rules of sections with names apart.
    func rules(_ files: SettingsFiles) -> [SettingsError] {
        var faults: [SettingsError] = []
        if listedProviders.names.isEmpty {
            let expected = """
                the name of a provider at least. Write providers: [plain] into the file that --config names, and below \
                provider: plain: its profile: openid, issuer, clientID, clientSecretFile and redirectURIs. \
                Documentation/Recipes.md has a section for every provider that is known, and gatehouse check-config says \
                what is still missing
                """
            faults.append(SettingsError(.missing, "providers", value: "[]", expected: expected))
        }
        if admin.token == nil, listedOperators.sections.isEmpty, !admin.isOnLoopback {
            let expected =
                "a token that operators send, here or in admin.tokens, since admin.host is not a loopback address"
            faults.append(SettingsError(.missing, "admin.token", value: "", expected: expected))
        }
        if let audience = session.audience, let issuer = session.issuer?.text,
            audience == BaseURL(issuer).address("/receipts")
        {
            let expected = "another audience: that one is the audience of receipts"
            faults.append(SettingsError(.conflict, "session.audience", value: audience, expected: expected))
        }
        faults += operatorRules() + aliasRules()
        if session.refreshGraceSeconds != nil, session.refreshRepeat != .untilSuccessor {
            let expected = "one of session.refreshRepeat and session.refreshGraceSeconds, whose place it takes"
            faults.append(
                SettingsError(
                    .conflict, "session.refreshGraceSeconds", value: session.refreshGraceSeconds.map(String.init),
                    expected: expected))
        }
        faults += tokenTypeRules() + exchangeScopeRules()
        faults +=
            addressRules() + databaseRules() + exchangeRules() + checkRules()
            + ofWings.flatMap { $0.faults(beside: self) }
            + MasterKeyRule.faults(storage, files) + tlsRules(files)
        faults += KeysWithoutEffect.faults(
            keys, KeysWithoutEffect.ofSettings, under: "", in: self, fresh: fresh)
        if !isReachedByHTTPS {
            faults += KeysWithoutEffect.faults(
                keys, ["http.hstsSeconds"], under: "", in: self, fresh: fresh,
                because: "session.issuer is no https URL of a host that others reach")
        }
        if case .file = storage.url {
            faults += KeysWithoutEffect.faults(
                keys, KeysWithoutEffect.ofFiles, under: "", in: self, fresh: fresh,
                because: "the key is for a shared database, and storage.url names a file, which one server has")
        }
        return faults
    }

    /// A listener speaks TLS with certificates and keys that belong together, and what is for TLS needs it.
    private func tlsRules(_ files: SettingsFiles) -> [SettingsError] {
        var faults: [SettingsError] = []
        func missing(_ key: String, _ expected: String) {
            faults.append(SettingsError(.missing, key, value: "", expected: expected))
        }
        if http.tlsCertificateFile != nil, http.tlsKeyFile == nil {
            missing("http.tlsKeyFile", "the private key of http.tlsCertificateFile")
        }
        if http.tlsKeyFile != nil, http.tlsCertificateFile == nil {
            missing("http.tlsCertificateFile", "the certificate of http.tlsKeyFile")
        }
        if http.redirectPort != nil, http.certificates.isEmpty {
            missing("http.tls.certificates", "a certificate, since http.tls.redirectPort sends clients to https")
        }
        if http.acmeFolder != nil, http.redirectPort == nil {
            missing("http.tls.redirectPort", "port 80, where ACME servers look for what is in http.tls.acmeFolder")
        }
        if admin.clientCAFile != nil, admin.certificates.isEmpty {
            missing("admin.tls.certificates", "a certificate, since admin.tls.clientCAFile is for https")
        }
        if admin.clientCAFile == nil {
            for person in listedOperators.sections where person.certificate != nil {
                missing("admin.tls.clientCAFile", "who has issued the certificate of \(person.name), in PEM")
            }
        }
        let short = http.tlsCertificateFile != nil && http.tlsKeyFile != nil ? http.certificates.prefix(1) : []
        return faults + CertificateRule.faults("http.tlsCertificateFile", Array(short), files)
            + CertificateRule.faults("http.tls.certificates", http.tlsCertificates, files)
            + CertificateRule.faults("admin.tls.certificates", admin.certificates, files)
            + PEMRule.fault("admin.tls.clientCAFile", admin.clientCAFile, files)
    }

    /// What goes to a database on another machine can be read and changed on the way there, unless TLS shows that it is
    /// the right one. libpq tries TLS and goes on without, unless it is told: so it has to be told, and what is weaker
    /// than a verified server is somebody's decision.
    private func databaseRules() -> [SettingsError] {
        guard let database = storage.elsewhere, database.sslMode == nil else { return [] }
        let expected =
            "postgres://…?sslmode=verify-full for a database on another host; another sslmode where its network is yours"
        return [SettingsError(.value, "storage.url", value: Secret.redacted, expected: expected)]
    }

    /// Whether some provider keeps a directory of users.
    package var hasDirectories: Bool { listedProviders.sections.contains { $0.userAPI.url != nil } }
    /// Whether some provider takes server-initiated sign-ins.
    package var hasPushes: Bool { listedProviders.sections.contains(where: \.serverInitiated) }

    /// Who has come by a provider's access token has proven nothing of this moment.
    private func exchangeScopeRules() -> [SettingsError] {
        let harmless = Permissions.ofExchanges.union(
            Permissions([.address, .postalCode, .lastFourSocial, .claims, .offlineAccess]))
        return session.exchangeScopes.filter { !harmless.isSuperset(of: $0) }.map { refused in
            SettingsError(
                .value, "session.exchangeScopes", value: refused == .everything ? "everything" : refused.scope,
                expected: "names of what changes nothing: " + harmless.names.joined(separator: ", "))
        }
    }

    private func exchangeRules() -> [SettingsError] {
        guard listedProviders.sections.allSatisfy({ $0.exchange == nil }) else { return [] }
        return KeysWithoutEffect.faults(
            keys, ["session.maximumExchangedPerUser"], under: "", in: self, fresh: fresh,
            because: "no provider's section has tokenExchange")
    }

    private func checkRules() -> [SettingsError] {
        guard listedProviders.sections.allSatisfy({ !$0.keepTokens }) else { return [] }
        return KeysWithoutEffect.faults(
            keys, ["session.providerCheckDays"], under: "", in: self, fresh: fresh,
            because: "no provider's section has keepTokens: true, so no refresh token is kept")
    }

    private func addressRules() -> [SettingsError] {
        var faults = issuerRules()
        if http.port == admin.port, http.port != 0, mayMeet(http.host, admin.host) {
            let expected = "another port than http.port: what operators may do is not for everybody"
            faults.append(SettingsError(.conflict, "admin.port", value: String(admin.port), expected: expected))
        }
        guard let host = probes.host else {
            return faults
                + KeysWithoutEffect.faults(
                    keys, ["probes.port"], under: "", in: self, fresh: fresh, because: "probes.host is empty")
        }
        let others = [("http.port", http.host, http.port), ("admin.port", admin.host, admin.port)]
        for (key, other, port) in others where port == probes.port && port != 0 && mayMeet(host, other) {
            faults.append(
                SettingsError(
                    .conflict, "probes.port", value: String(port), expected: "another port than \(key)"))
        }
        return faults
    }

    /// An access token of the type of ID tokens must not pass for one: its audience is no app (RFC 8725 §3.12).
    private func tokenTypeRules() -> [SettingsError] {
        guard session.tokenType == .jwt else { return [] }
        let apps = listedApps.sections
        var audiences: [(key: String, value: String?)] = [
            ("session.audience", session.audience ?? session.issuer?.text)
        ]
        for app in apps { audiences += app.audiences.map { ("app.\(app.name).audiences", $0) } }
        return audiences.compactMap { key, audience in
            guard let audience, apps.contains(where: { $0.clientID.isExactly(audience) }) else { return nil }
            let expected = "no app's clientID, since ID tokens are for those and have the same tokenType"
            return SettingsError(.conflict, key, value: audience, expected: expected)
        }
    }

    /// Where apps sign in through the browser, a cookie binds the browser, and that goes over https or stays on this
    /// machine. So do the tokens that carriers send us.
    private func issuerRules() -> [SettingsError] {
        let hasApps = !listedApps.names.isEmpty || hasPushes
        guard let issuer = session.issuer else {
            let isUnspecified = IPAddress(http.host)?.isUnspecified == true
            guard isUnspecified || hasApps && !http.isOnLoopback else { return [] }
            let expected =
                "your public base URL: without it, every token would name \(http.scheme)://\(http.host) as its issuer"
            return [SettingsError(.missing, "session.issuer", value: "", expected: expected)]
        }
        guard hasApps, !issuer.isSecure, !HostName.isLoopback(issuer.host) else { return [] }
        let expected = "an https URL, which browser sign-in and server-initiated sign-in need"
        return [SettingsError(.value, "session.issuer", value: issuer.text, expected: expected)]
    }

    /// Whether listeners on two hosts can have an address in common; a name may mean any address.
    private func mayMeet(_ left: String, _ right: String) -> Bool {
        guard let left = IPAddress(left), let right = IPAddress(right) else { return true }
        return left == right || left.isUnspecified || right.isUnspecified
    }

    /// What is worth knowing, though it holds.
    func notices() -> [SettingsNotice] {
        var notices: [SettingsNotice] = []
        let isLimited =
            rateLimit.isOn || ofWings.contains { $0.limitsAddresses(beside: self) }
        if !http.isOnLoopback, http.trustedProxies.isEmpty, isLimited {
            let sentence =
                "is empty while http.host is \(http.host): behind a proxy, everybody shares its address and limits"
            notices.append(SettingsNotice("http.trustedProxies", sentence))
        }
        if !session.splitAudiences, session.audience != nil || !listedResourceServers.names.isEmpty {
            let sentence =
                "is false: a backend that is shown the token of an app that posts codes can use it here as that app can. Set it "
                + "to true once the app asks for a token for the backend by resource"
            notices.append(SettingsNotice("session.splitAudiences", sentence))
        }
        if session.refreshGraceSeconds != nil {
            let sentence =
                "is deprecated: leave it out, and a phone that has lost an answer gets it again until it has presented it; or give "
                + "session.refreshRepeat the seconds"
            notices.append(SettingsNotice("session.refreshGraceSeconds", sentence))
        }
        for wing in ofWings { notices += wing.notices(beside: self) }
        for provider in listedProviders.sections { notices += provider.notices() }
        for app in listedApps.sections { notices += app.notices() }
        return notices + noticesOfSameNames() + noticesOfWeakness() + noticesOfSharedAddresses()
    }

    /// What an operator may want, and nobody in a hurry does.
    private func noticesOfWeakness() -> [SettingsNotice] {
        var notices: [SettingsNotice] = []
        if let mode = storage.elsewhere?.sslMode, mode != DatabaseLocation.verified {
            let sentence =
                "has sslmode=\(mode) and another host: who is on the way there can pass for the database. verify-full, with "
                + "sslrootcert, shows that it is the right one"
            notices.append(SettingsNotice("storage.url", sentence))
        }
        if case .postgres = storage.url, storage.ledger == nil {
            let sentence =
                "is empty: a database that is put back in time, or promoted without all of the log, is known for what it is "
                + "by instances that run meanwhile, and by none that starts afterwards. A ledger elsewhere outlives it"
            notices.append(SettingsNotice("storage.ledger", sentence))
        }
        if let issuer = session.issuer, !issuer.isSecure, !HostName.isLoopback(issuer.host) {
            let sentence =
                "is \(issuer.text), plain http: who is on the way there reads every code and token. A proxy that speaks TLS makes "
                + "it an https URL"
            notices.append(SettingsNotice("session.issuer", sentence))
        }
        if apiKeys.contains(where: { $0.key.count < Secret.shortestOwn }) {
            let sentence =
                "has keys of fewer than \(Secret.shortestOwn) characters, which can be guessed; openssl rand -hex 32 makes one"
            notices.append(SettingsNotice("apiKeys", sentence))
        }
        return notices
    }

    /// The redirect URIs of a provider to which the answers of other issuers come back as well: there nothing but `iss`
    /// tells whose answer one is (RFC 9700 §4.4.2). Two clients of one issuer share nothing that matters.
    func sharedRedirectURIs(of provider: ProviderSettings) -> [String] {
        provider.redirectURIs.filter { !sharers(of: $0, with: provider).isEmpty }
    }

    /// Where an issuer could be handed another's code because an app can't tell whose answer came back.
    func noticesOfSharedRedirectURIs() -> [SettingsNotice] {
        listedProviders.sections.filter { !$0.requireIss }.flatMap { provider in
            sharedRedirectURIs(of: provider).map { address in
                let others = sharers(of: address, with: provider).map(\.name).joined(separator: ", ")
                return SettingsNotice(
                    provider.key("redirectURIs"),
                    """
                    shares \(address) with \(others): whose answer comes back there can't be told, and one issuer could be \
                    handed another's code. Give each a redirect URI of its own, or set requireIss where it sends iss
                    """)
            }
        }
    }

    private func sharers(of address: String, with provider: ProviderSettings) -> [ProviderSettings] {
        listedProviders.sections.filter { $0.origin != provider.origin && $0.redirectURIs.contains(address) }
    }
}

extension ProviderSettings {
    /// Where its issuers are found: one for all carriers of a discovery.
    fileprivate var origin: String? { profile.findsIssuerByNetwork ? discoveryURL?.text : issuer?.text }
}
