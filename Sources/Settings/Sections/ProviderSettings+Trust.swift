internal import Apps
internal import Providers

typealias PKCEUse = CodeProtection.PKCE
typealias CodeNonce = CodeProtection.Nonce

extension SettingKey where Root == ProviderSettings {
    static let trustInWords: [Self] = [
        Self(
            "trustEmails", \.chosenTrustEmails, .optional(.choice),
            "Addresses for which the provider's email_verified counts: those of emailDomains (and, for google, of the "
                + "domain that hd names), all, or none. Empty: all for zenkey and apple, none for microsoft and "
                + "facebook, else owned."),
        Self(
            "emailDomains", \.emailDomains, .list(.domain),
            "Domains whose addresses the provider itself gives out; with trustEmails owned; empty: gmail.com and googlemail.com "
                + "for google."),
        Self(
            "pkce", \.pkce, .text(.choice),
            "Whether the provider compares the verifier: as its metadata says, always, or never. Unless it is known "
                + "to, a posted code needs a nonce."),
        Self(
            "codeNonce", \.codeNonce, .text(.choice),
            "Whether an app that posts a code must name the nonce of the ID token. optional: for SDKs whose nonce "
                + "nobody can read; then no nonce is demanded of a code."),
    ]
}

extension ProviderSettings {
    /// Whether nobody has said for which addresses the provider's word counts.
    private var saysNothingOfEmails: Bool { hasDefaultTrustEmails && emailDomains == profile.emailDomains }

    /// For which addresses the provider's word counts.
    ///
    /// - Parameter writtenBefore: whether the section may be older than the keys: then for all, where nobody has said.
    func emailTrust(writtenBefore: Bool) -> EmailTrust {
        EmailTrust(
            writtenBefore && saysNothingOfEmails ? .all : trustEmails, domains: emailDomains,
            takesHostedDomain: profile.takesHostedDomain)
    }

    /// What is worth knowing where the section is taken as written before.
    func noticesOfOlderStore() -> [SettingsNotice] {
        var notices: [SettingsNotice] = []
        if logoutTyp == nil {
            let sentence =
                "is not set, and any as before: a logout token need not say what it is. required takes those with typ "
                + "logout+jwt only"
            notices.append(SettingsNotice(key("logoutTyp"), sentence))
        }
        if saysNothingOfEmails, trustEmails != .all {
            let sentence =
                "is not set, and all as before: its word counts for every address. \(trustEmails.rawValue) is what a new "
                + "installation has, by which it counts for "
                + (trustEmails == .none ? "none" : "those of its own domains (emailDomains)")
            notices.append(SettingsNotice(key("trustEmails"), sentence))
        }
        return notices
    }

    /// What is wrong with the keys about e-mail addresses together.
    func emailFaults() -> [SettingsError] {
        guard trustEmails != .owned else { return [] }
        return KeysWithoutEffect.faults(
            Self.keys, ["emailDomains"], under: key(""), in: self, fresh: fresh,
            because: "trustEmails is \(trustEmails.rawValue)")
    }

    /// What is wrong with the keys about posted codes together.
    func codeFaults() -> [SettingsError] {
        guard codeNonce == .optional, requireNonce || requireChallenge else { return [] }
        let expected =
            "required, since \(requireChallenge ? "requireChallenge" : "requireNonce") demands a nonce anyway"
        return [SettingsError(.conflict, key("codeNonce"), value: codeNonce.rawValue, expected: expected)]
    }

    /// What is wrong with where the codes come back that apps post.
    ///
    /// - Parameters:
    ///   - host: of this service; nil where it is not known.
    ///   - hasApp: whether some app of ours signs its users in here by the browser, which takes no such address.
    func redirectRules(on host: OwnHost?, hasApp: Bool) -> [SettingsError] {
        // Without a client ID a default can't be made; that fault is enough.
        let isMade = profile.findsIssuerByNetwork && clientID.isEmpty
        if redirectURIs.isEmpty, redirectURI == .required, !nativeTokens, !hasApp, !isMade {
            let expected = "a redirect URI at least, or an app that signs its users in by the browser"
            return [SettingsError(.missing, key("redirectURIs"), value: "[]", expected: expected)]
        }
        // Anybody who comes by a browser's code could post it.
        return redirectURIs.filter { host?.isOwn($0) == true }.map { address in
            let expected =
                "addresses of apps: what comes back to this service is a browser's and never posted, and it is registered at the "
                + "provider only; leave the list out where all sign-ins go by the browser"
            return SettingsError(.conflict, key("redirectURIs"), value: address, expected: expected)
        }
    }

    /// What is worth knowing about posted codes, though it holds.
    func codeNotices() -> [SettingsNotice] {
        guard codeNonce == .optional else { return [] }
        let sentence =
            "is optional: a code needs no nonce here, so that where the provider compares no verifier, anybody who comes by a code can "
            + "sign in with it"
        return [SettingsNotice(key("codeNonce"), sentence)]
    }
}
