internal import Providers
internal import Syntax

typealias UserinfoUse = ProviderConfiguration.UserinfoUse
typealias RedirectURIUse = ProviderConfiguration.RedirectURIUse
typealias AuthenticationTimes = ProviderConfiguration.AuthenticationTimes
typealias FreshnessProof = ProviderConfiguration.FreshnessProof

extension SettingKey where Root == ProviderSettings {
    static let issuers: [Self] = [
        Self(
            "issuers", \.issuers, .list(.issuerSpelling),
            "Further spellings of the issuer in tokens and metadata; users are stored under issuer."),
        Self(
            "tenants", \.tenants, .list(.tenant),
            "Tenants that are let in where the issuer has {tenantid} in it: their tid values, or * for any tenant."),
    ]

    static let nativeTokens: [Self] = [
        Self(
            "redirectURI", \.redirectURI, .text(.choice),
            "Which redirect URI goes with a posted code: the one that the app used, one if it names one, none, or an "
                + "empty one. Codes of SDKs have none."),
        Self(
            "nativeTokens", \.nativeTokens, .flag,
            "Whether apps may sign users in with ID tokens that they have got from the provider's SDK."),
        Self(
            "nativeNonce", \.nativeNonce, .text(.choice),
            "How the SDK puts the nonce into the token that the app posts beside it; none: in no way that could be "
                + "compared."
        ),
        Self(
            "nativeTokenMaxAgeSeconds", \.nativeTokenMaxAgeSeconds, .number(1...86_400),
            "How long ago such a token may have been issued."),
        Self(
            "audiences", \.audiences, .list(.audience),
            "Client identifiers of ours beside clientID that such a token may be for, or issued to (azp); a mapping names the form "
                + "of one client's nonce."),
        Self(
            "idTokenVerificationURL", \.idTokenVerificationURL, .optional(.webAddress),
            "Where the provider verifies ID tokens that it signs with a secret, as LINE does; empty: such tokens are refused."
        ),
    ]
}

extension ProviderSettings {
    /// What ID tokens keep to that apps post; nil where none are taken.
    var nativeTokenRules: NativeTokenRules? {
        guard nativeTokens else { return nil }
        let forms = audiences.compactMap { audience in audience.nonceForm.map { (audience.clientID, $0) } }
        return NativeTokenRules(
            audiences: audiences.map(\.clientID), nonceForm: nativeNonce,
            nonceForms: Dictionary(forms) { first, _ in first }, maximumAgeSeconds: Int64(nativeTokenMaxAgeSeconds))
    }

    /// Who is let in by a template; nil for an issuer that is none.
    var letIn: IssuerNames.Tenants? {
        guard issuer?.hasTenants == true else { return nil }
        return tenants.contains("*") ? .any : .only(Set(tenants))
    }

    /// What is wrong with the keys about ID tokens of apps together.
    func nativeTokenFaults() -> [SettingsError] {
        var faults: [SettingsError] = []
        if !nativeTokens {
            faults += KeysWithoutEffect.faults(
                Self.keys,
                clientAuthentication == .apple
                    ? ["nativeTokenMaxAgeSeconds"] : ["nativeTokenMaxAgeSeconds", "audiences"],
                under: key(""), in: self, fresh: fresh, because: "nativeTokens is false")
        }
        if Set(audiences.map(\.clientID)).union([clientID]).count != audiences.count + 1 {
            let expected = "each client identifier once, and not clientID, which counts anyway"
            faults.append(SettingsError(.conflict, key("audiences"), value: "twice the same", expected: expected))
        }
        if let rules = nativeTokenRules, !rules.alwaysComparesNonce, requireNonce || requireChallenge {
            let demanding = requireChallenge ? "requireChallenge" : "requireNonce"
            let expected = "false, or no nativeNonce of none: then there is nothing that a nonce could be compared with"
            faults.append(SettingsError(.conflict, key(demanding), value: "true", expected: expected))
        }
        return faults + issuerRules()
    }

    /// What is wrong with the issuer's names together.
    private func issuerRules() -> [SettingsError] {
        guard let issuer else { return [] }
        var faults: [SettingsError] = []
        if issuer.hasTenants {
            if tenants.isEmpty {
                let expected = "the tenants that are let in, or * for any: the issuer is a template"
                faults.append(SettingsError(.missing, key("tenants"), value: "[]", expected: expected))
            }
            if tenants.count > 1, tenants.contains("*") {
                let expected = "* alone, or tenants without it"
                faults.append(
                    SettingsError(.conflict, key("tenants"), value: tenants.joined(separator: ", "), expected: expected)
                )
            }
            if discoveryURL == nil {
                let expected = "where the metadata of all tenants lies: the issuer is a template"
                faults.append(SettingsError(.missing, key("discoveryURL"), value: "", expected: expected))
            }
            if !issuers.isEmpty {
                let expected = "nothing: an issuer with {tenantid} is written one way"
                faults.append(
                    SettingsError(.conflict, key("issuers"), value: issuers.joined(separator: ", "), expected: expected)
                )
            }
            if tokenExchange != .off {
                let expected = "false: access tokens do not tell which tenant's they are"
                faults.append(
                    SettingsError(.conflict, key("tokenExchange"), value: tokenExchange.rawValue, expected: expected))
            }
        } else if !tenants.isEmpty {
            let expected = "nothing: there is no {tenantid} in the issuer"
            faults.append(
                SettingsError(.conflict, key("tenants"), value: tenants.joined(separator: ", "), expected: expected))
        }
        if issuers.contains(issuer.text) {
            let expected = "other spellings than issuer itself"
            faults.append(SettingsError(.conflict, key("issuers"), value: issuer.text, expected: expected))
        }
        return faults
    }

    /// What is worth knowing about such tokens, though it holds.
    func nativeTokenNotices() -> [SettingsNotice] {
        guard nativeTokens else { return [] }
        var notices: [SettingsNotice] = []
        let forms =
            [("nativeNonce", nativeNonce)]
            + audiences.compactMap { audience in
                audience.nonceForm.map { ("audiences", $0) }
            }
        if let (name, _) = forms.first(where: { $0.1 == .raw }) {
            let sentence =
                "has raw: a thief of a token can sign in with it before its user does, since its nonce stands in it"
            notices.append(SettingsNotice(key(name), sentence))
        }
        if let (name, _) = forms.first(where: { $0.1 == .none }) {
            let sentence = "has none: a thief of a token can sign in with it before its user does"
            notices.append(SettingsNotice(key(name), sentence))
        }
        if tenants == ["*"] {
            notices.append(
                SettingsNotice(key("tenants"), "is *: anybody with any tenant, or with a personal account, may sign in")
            )
        }
        return notices
    }
}
