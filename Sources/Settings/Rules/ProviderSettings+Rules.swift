internal import Crypto
internal import Providers
internal import Syntax

extension ProviderSettings {
    /// Fills in what follows from other keys.
    mutating func deriveDefaults() {
        if displayName == nil { displayName = profile.displayName }
        if redirectURIs.isEmpty, let network = profile.network, !clientID.isEmpty {
            redirectURIs = [clientID + network.redirectURI]
        }
        if chosenBasicEncoding == nil {
            chosenBasicEncoding = profile.basicEncoding
            hasUsualBasicEncoding = true
        }
        if chosenTrustEmails == nil {
            chosenTrustEmails = profile.trustEmails
            hasDefaultTrustEmails = true
        }
        if scopes.isEmpty { scopes = profile.scopes }
        if algorithms.isEmpty { algorithms = profile.algorithms }
    }

    /// What is wrong with this provider's keys together.
    func rules(_ files: SettingsFiles) -> [SettingsError] {
        discoveryRules() + clientRules() + timeRules() + freshnessRules() + eventRules() + exchangeRules()
            + userAPIRules()
            + nativeTokenFaults() + emailFaults() + codeFaults()
            + PEMRule.fault(key("caFile"), caFile, files)
    }

    /// What the profile makes of the other keys.
    ///
    /// - Parameter isProfileGiven: whether somebody wrote the profile, or it is the default.
    func profileRules(isProfileGiven: Bool) -> [SettingsError] {
        if profile.findsIssuerByNetwork, issuer != nil, !isProfileGiven {
            let expected = "the profile beside issuer, such as openid: without one it is zenkey, which takes no issuer"
            return [SettingsError(.missing, key("profile"), expected: expected)]
        }
        var foreign: Set<String> =
            profile.findsIssuerByNetwork
            ? [
                "issuer", "issuers", "tenants", "crossClientKey", "redirectURI", "nativeTokens",
                "idTokenVerificationURL",
            ] : ["portTokenMaxAgeDays", "serverInitiated"]
        if !profile.hasUserAPI { foreign.formUnion(UserAPISettings.keyNames) }
        return KeysWithoutEffect.faults(
            Self.keys, foreign,
            under: key(""), in: self, fresh: fresh,
            because: "profile \(profile.name) does not take it")
    }

    private func discoveryRules() -> [SettingsError] {
        var faults: [SettingsError] = []
        do throws(SettingsError) { _ = try issuerSource() } catch { faults.append(error) }
        let aliases = issuerAliases.flatMap { [$0.old, $0.new] }.map { ("issuerAliases", $0) }
        for (name, address) in [
            ("discoveryURL", discoveryURL), ("discoveryUI", discoveryUI), ("issuer", issuer?.address),
        ]
            + [
                ("userAPI.url", userAPI.url), ("userAPI.tokenURL", userAPI.tokenURL),
                ("idTokenVerificationURL", idTokenVerificationURL),
            ] + aliases
        {
            guard let address, !address.isSecure, !(allowLoopbackHTTP && address.isLoopback) else { continue }
            let expected =
                address.isLoopback
                ? "an https URL, or allowLoopbackHTTP: true for development"
                : "an https URL (plain http goes to a loopback address only, such as 127.0.0.1)"
            faults.append(SettingsError(.value, key(name), value: address.text, expected: expected))
        }
        return faults
    }

    private func clientRules() -> [SettingsError] {
        var faults: [SettingsError] = []
        if clientID.isEmpty {
            let expected = "the client identifier that the provider gave out"
            faults.append(SettingsError(.missing, key("clientID"), value: "", expected: expected))
        }
        do throws(SettingsError) { _ = try authentication() } catch { faults.append(error) }
        do throws(SettingsError) { _ = try requestSigner() } catch { faults.append(error) }
        faults += authenticationRules()
        if clientAuthentication == .publicClient { faults += publicClientRules() }
        if atHashOfEdDSA != .sha512, !algorithms.contains(.edDSA) {
            let expected = "EdDSA among the algorithms, or no such key: no other algorithm asks for it"
            faults.append(
                SettingsError(.conflict, key("atHashOfEdDSA"), value: atHashOfEdDSA.rawValue, expected: expected))
        }
        faults += scopeFaults(scopes, key("scopes"))
        for entry in scopesFor { faults += scopeFaults(entry.scopes, key("scopesFor")) }
        return faults
    }

    private func scopeFaults(_ scopes: [String], _ key: String) -> [SettingsError] {
        var faults: [SettingsError] = []
        if !scopes.contains(Self.scopeOfSignIn) {
            let expected = "scopes with \(Self.scopeOfSignIn): without it there is no ID token"
            faults.append(SettingsError(.value, key, value: scopes.joined(separator: ", "), expected: expected))
        }
        // With it a carrier takes a sign-in for the confirmation of a port.
        if scopes.contains(Self.scopeOfCarriers) {
            let expected = "scopes without \(Self.scopeOfCarriers), which is reserved for carriers"
            faults.append(SettingsError(.value, key, value: Self.scopeOfCarriers, expected: expected))
        }
        return faults
    }

    /// What is wrong with the apps that have scopes of their own here.
    func scopeRules(beside apps: Listed<AppSettings>) -> [SettingsError] {
        var faults: [SettingsError] = []
        for (index, entry) in scopesFor.enumerated() {
            guard let app = apps.sections.first(where: { $0.name == entry.app }) else {
                let names = apps.names.isEmpty ? "none" : apps.names.joined(separator: ", ")
                let expected = "names that apps lists: \(names)"
                faults.append(SettingsError(.value, key("scopesFor"), value: entry.app, expected: expected))
                continue
            }
            if !app.providers.isEmpty, !app.providers.contains(name) {
                let expected = "apps whose users sign in here: \(app.key("providers")) has no \(name)"
                faults.append(SettingsError(.conflict, key("scopesFor"), value: entry.app, expected: expected))
            }
            if scopesFor[..<index].contains(where: { $0.app == entry.app }) {
                let expected = "each app once"
                faults.append(SettingsError(.conflict, key("scopesFor"), value: entry.app, expected: expected))
            }
        }
        return faults
    }

    /// What keeps a client without a secret safe.
    private func publicClientRules() -> [SettingsError] {
        if requirePKCE, pkce == .ignored {
            let expected =
                "auto or enforced with clientAuthentication none: without a secret and PKCE, anybody who has a code could use it"
            return [SettingsError(.conflict, key("pkce"), value: pkce.rawValue, expected: expected)]
        }
        guard !requirePKCE else { return [] }
        let expected =
            "true with clientAuthentication none: without a secret and PKCE, anybody who has a code could use it"
        return [SettingsError(.conflict, key("requirePKCE"), value: "false", expected: expected)]
    }

    /// OpenID Connect Core §3.1.2.1
    private static let scopeOfSignIn = "openid"
    private static let scopeOfCarriers = "port_data"

    /// Where every token tells when its user authenticated, no challenge stands in for it.
    private func freshnessRules() -> [SettingsError] {
        guard authTime == .always, freshness == .challenge else { return [] }
        let expected = "auth_time, or no authTime of always: then a challenge shows nothing that auth_time does not"
        return [SettingsError(.conflict, key("freshness"), value: freshness.rawValue, expected: expected)]
    }

    private func timeRules() -> [SettingsError] {
        guard let timeoutSeconds, let signInTimeoutSeconds, timeoutSeconds > signInTimeoutSeconds else { return [] }
        let expected = "at most signInTimeoutSeconds, which is \(signInTimeoutSeconds): one call is part of a sign-in"
        return [SettingsError(.conflict, key("timeoutSeconds"), value: String(timeoutSeconds), expected: expected)]
    }

    /// A carrier's secret used to be form-encoded unless the file said otherwise. Most secrets read the same either
    /// way; an operator with another one learns of the change here and not from refused sign-ins.
    private var encodingNotice: SettingsNotice? {
        guard hasUsualBasicEncoding, basicEncoding == .raw, clientAuthentication == .basic,
            let clientSecret, !(clientID + clientSecret.revealedText).utf8.allSatisfy(\.isUnreserved)
        else { return nil }
        return SettingsNotice(
            key("basicEncoding"),
            "is raw for profile \(profile.name), and this client's ID or secret has characters for which that matters; "
                + "set it to raw or form, whichever the carriers take")
    }

    /// What is worth knowing, though it holds.
    func notices() -> [SettingsNotice] {
        var notices: [SettingsNotice] = []
        if userAPI.url != nil, userAPI.version == .v1, userAPI.returnLinks {
            let sentence =
                "is on: a new user gets a link without showing that an e-mail address is theirs, and learns by its "
                + "absence that the name is taken. Set it to false to have all of it go by mail"
            notices.append(SettingsNotice(key("userAPI.returnLinks"), sentence))
        }
        let own = [
            discoveryURL, issuer?.address, userAPI.url, userAPI.tokenURL, idTokenVerificationURL, eventConfigurationURL,
            revocationURL,
        ]
        if allowLoopbackHTTP, !own.contains(where: { $0?.isLoopback == true }) {
            let sentence =
                "is on, and the provider is not on this machine: its documents could have us call what listens here, in plain "
                + "http. It is for development and tests"
            notices.append(SettingsNotice(key("allowLoopbackHTTP"), sentence))
        }
        notices += [nameNotice, encodingNotice, secretNotice].compactMap(\.self) + nativeTokenNotices() + codeNotices()
        return notices
    }
}

extension Settings {
    /// An alias hands the users of one name to those who issue under another. So the new name must be the section's
    /// own, and nobody else's users may stand behind either: else one provider could claim the users of another.
    func aliasRules() -> [SettingsError] {
        let sections = listedProviders.sections
        // A section that is faulty by itself is told of by its own rules.
        let configured = sections.map { try? $0.configuration(sharedRedirectURIs: [], writtenBefore: false) }
        var faults: [SettingsError] = []
        for (section, configuration) in zip(sections, configured) {
            guard let configuration else { continue }
            for (index, alias) in section.issuerAliases.enumerated() {
                let (old, new) = (alias.old.text, alias.new.text)
                func fault(_ expected: String) {
                    faults.append(
                        SettingsError(
                            .conflict, section.key("issuerAliases"), value: "\(old)=\(new)", expected: expected))
                }
                let others = section.issuerAliases[..<index]
                if others.contains(where: { $0.old == alias.old }) {
                    fault("each former name once")
                } else if section.issuerAliases.contains(where: { $0.old == alias.new }) {
                    fault("the name that \(new) has now, on the right: each former name by itself leads to it")
                } else if !configuration.mayIssue(as: new) {
                    fault("an issuer of this section on the right, by which its users sign in now")
                }
                for (other, its) in zip(sections, configured) where other.name != section.name {
                    guard let its, its.mayIssue(as: old) || its.mayIssue(as: new),
                        !other.issuerAliases.contains(alias)
                    else { continue }
                    let name = its.mayIssue(as: old) ? old : new
                    fault("issuers of this section alone: users of provider.\(other.name) are those of \(name), too")
                }
            }
        }
        return faults
    }
}
