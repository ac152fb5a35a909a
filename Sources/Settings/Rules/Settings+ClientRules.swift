internal import Apps
internal import Syntax

extension Settings {
    /// What is wrong with our own apps and resource servers: each alone, and beside the others. Both are told apart by
    /// the names they give, so a name is one client's.
    func clientRules() -> [SettingsError] {
        var faults: [SettingsError] = []
        var owners: [String: String] = [:]
        let host = ownHost
        for app in listedApps.sections {
            faults += app.rules(accessTokenSeconds: session.accessTokenSeconds)
            faults += app.rules(beside: listedProviders) + app.rules(on: host)
            for wing in ofWings { faults += app.rules(on: host, beside: wing.claimedPaths) }
            faults += Self.claim(app.clientID, for: app.path, app.key("clientID"), among: &owners)
        }
        for provider in listedProviders.sections {
            let hasApp = listedApps.sections.contains {
                $0.providers.isEmpty || $0.providers.contains(provider.name)
            }
            faults += provider.redirectRules(on: host, hasApp: hasApp) + provider.scopeRules(beside: listedApps)
        }
        for server in listedResourceServers.sections {
            faults += server.rules()
            faults += Self.claim(server.id, for: server.path, server.key("id"), among: &owners)
        }
        return faults
    }

    /// Where two apps are called by one address, whichever is on a device gets what is meant for the other, so that
    /// each can do what either may (RFC 8252 §8.4, §8.6). One maker's apps of two platforms may have it so.
    func noticesOfSharedAddresses() -> [SettingsNotice] {
        var owners: [String: String] = [:]
        var notices: [SettingsNotice] = []
        for app in listedApps.sections {
            for place in app.places {
                guard let owner = owners[place] else {
                    owners[place] = app.path
                    continue
                }
                let sentence =
                    "shares \(place) with \(owner): whichever of the two a device has can pass for the other, and do what that one "
                    + "may. Give each a scheme and an address of its own, unless they are one app on two platforms"
                notices.append(SettingsNotice(app.key("redirectURIs"), sentence))
            }
        }
        return notices
    }

    /// As everybody reaches it; nil where that is not known yet.
    private var ownHost: OwnHost? {
        OwnHost(issuer: session.issuer?.text ?? "\(http.scheme)://" + Authority.text(host: http.host, port: http.port))
    }

    /// Gives a name to its first owner.
    ///
    /// - Returns: the fault of a later owner.
    private static func claim(
        _ name: String, for section: String, _ key: String, among owners: inout [String: String]
    ) -> [SettingsError] {
        // That it is missing is a fault of its own.
        guard !name.isEmpty else { return [] }
        guard let owner = owners[name] else {
            owners[name] = section
            return []
        }
        let expected = "another name than that of \(owner)"
        return [SettingsError(.conflict, key, value: name, expected: expected)]
    }
}

extension AppSettings {
    /// What is wrong with this app's keys together.
    fileprivate func rules(accessTokenSeconds: Int) -> [SettingsError] {
        var faults: [SettingsError] = []
        if clientID.isEmpty {
            let expected = "the client identifier that the app names itself by"
            faults.append(SettingsError(.missing, key("clientID"), value: "", expected: expected))
        }
        if redirectURIs.isEmpty {
            faults.append(
                SettingsError(.missing, key("redirectURIs"), value: "[]", expected: "a redirect URI at least"))
        }
        if !providerTokens.isEmpty, secret == nil {
            let expected =
                "none, or a secret as well: who holds a user's session token must not get a provider's by it alone"
            faults.append(
                SettingsError(
                    .conflict, key("providerTokens"), value: providerTokens.joined(separator: ", "),
                    expected: expected))
        }
        if otherBrowser == .confirm, !registered().isReachedByClaimedAddressesOnly {
            let expected =
                "refuse, or https redirect URIs only: another app could come by the others, and so by the user's code"
            faults.append(
                SettingsError(.conflict, key("otherBrowser"), value: otherBrowser.rawValue, expected: expected))
        }
        return faults + rightsRules() + refreshRules(accessTokenSeconds: accessTokenSeconds)
    }

    /// What is wrong with what it may do: each of these keys is without effect beside the others.
    private func rightsRules() -> [SettingsError] {
        var faults: [SettingsError] = []
        if permissions.contains(.tokens) != !providerTokens.isEmpty {
            let expected =
                providerTokens.isEmpty
                ? "no tokens: providerTokens names nobody whose tokens the app may have"
                : "tokens as well, which the app has to ask for to get those of providerTokens"
            faults.append(
                SettingsError(
                    .conflict, key("scopes"), value: scopes.map(\.rawValue).joined(separator: ", "),
                    expected: expected))
        }
        if refreshTokens == .reusable, offlineAccess == .asked {
            let expected = "always: refreshTokens is reusable, for clients that never ask"
            faults.append(SettingsError(.conflict, key("offlineAccess"), value: "asked", expected: expected))
        }
        for scope in impliedScopes where !scopes.contains(scope) {
            let expected = "names that scopes has: " + scopes.map(\.rawValue).joined(separator: ", ")
            faults.append(SettingsError(.value, key("impliedScopes"), value: scope.rawValue, expected: expected))
        }
        if scopes.isEmpty {
            faults.append(
                SettingsError(.missing, key("scopes"), value: "[]", expected: "a permission at least, such as openid"))
        }
        return faults
    }

    /// What is wrong with how long its sessions last.
    ///
    /// A refresh token that is used again and again tells nothing of a thief, so that the session which it opens has to
    /// end by itself. And the clients that need such tokens take an access token for expired a minute before it is.
    private func refreshRules(accessTokenSeconds: Int) -> [SettingsError] {
        var faults: [SettingsError] = []
        if refreshTokens == .reusable {
            for (name, days) in [("inactivityDays", inactivityDays), ("absoluteDays", absoluteDays)] where days == nil {
                let expected = "a number of days: refreshTokens is reusable, and such a session has to end by itself"
                faults.append(SettingsError(.missing, key(name), value: "0", expected: expected))
            }
            if accessTokenSeconds <= Self.marginSeconds {
                let expected = "rotating, or session.accessTokenSeconds of more than \(Self.marginSeconds)"
                faults.append(
                    SettingsError(.conflict, key("refreshTokens"), value: refreshTokens.rawValue, expected: expected))
            }
        }
        if let inactivityDays, let absoluteDays, inactivityDays > absoluteDays {
            let expected = "at most absoluteDays, \(absoluteDays)"
            faults.append(
                SettingsError(.conflict, key("inactivityDays"), value: String(inactivityDays), expected: expected))
        }
        return faults
    }

    private static var marginSeconds: Int { 60 }

    fileprivate func rules(beside providers: Listed<ProviderSettings>) -> [SettingsError] {
        // `/auth/token` tells an app from our own client at a provider by this name.
        var faults = providers.sections.filter { !clientID.isEmpty && $0.clientID == clientID }.map { provider in
            let expected = "another name than our own at \(provider.path)"
            return SettingsError(.conflict, key("clientID"), value: clientID, expected: expected)
        }
        // Without providers there is a fault of `providers` already, and no name that would do.
        for name in self.providers where !providers.names.isEmpty && !providers.names.contains(name) {
            let expected = "names that providers lists: " + providers.names.joined(separator: ", ")
            faults.append(SettingsError(.value, key("providers"), value: name, expected: expected))
        }
        let keepers = providers.sections.filter(\.keepTokens).map(\.name)
        for name in providerTokens where !keepers.contains(name) {
            let expected =
                "names of providers with keepTokens: " + (keepers.isEmpty ? "none" : keepers.joined(separator: ", "))
            faults.append(SettingsError(.value, key("providerTokens"), value: name, expected: expected))
        }
        return faults
    }

    /// A sign-in that ended at a path of this service would never come to the app.
    fileprivate func rules(on host: OwnHost?) -> [SettingsError] {
        guard let host else { return [] }
        return redirectURIs.filter(host.isReserved).map { address in
            let own = OwnHost.reserved.map { "/" + $0 }.joined(separator: ", ")
            let expected = "a path without . and .. that is none of this service's own, which begin with \(own)"
            return SettingsError(.conflict, key("redirectURIs"), value: address.text, expected: expected)
        }
    }

    /// Likewise at a path that a wing takes.
    fileprivate func rules(on host: OwnHost?, beside claimed: ClaimedPaths?) -> [SettingsError] {
        guard let host, let claimed else { return [] }
        let taken = redirectURIs.filter { address in
            !host.isReserved(address) && claimed.paths.contains { host.isBelow($0, address) }
        }
        return taken.map {
            SettingsError(.conflict, key("redirectURIs"), value: $0.text, expected: claimed.expected)
        }
    }

    /// What an app is called by, each once: schemes that are not the web's as wholes, since a device knows an app by
    /// nothing else; other addresses to the letter.
    fileprivate var places: [String] {
        var places: [String] = []
        for address in redirectURIs.map(\.text) {
            let scheme = AbsoluteURI.scheme(of: address) ?? ""
            let place = ["http", "https"].contains(scheme) ? address : scheme + ":"
            if !places.contains(place) { places.append(place) }
        }
        return places
    }

    /// What is worth knowing, though it holds.
    func notices() -> [SettingsNotice] {
        let addresses = [("redirectURIs", redirectURIs), ("postLogoutRedirectURIs", postLogoutRedirectURIs)]
        return addresses.flatMap { name, addresses in
            addresses.compactMap { address in
                guard let scheme = AbsoluteURI.scheme(of: address.text), !["http", "https"].contains(scheme),
                    !scheme.contains(".")
                else { return nil }
                let sentence = """
                    has \(address.text), whose scheme has no dot: another app may come by the same. One made of a domain that is \
                    yours, such as com.example.app, is nobody else's (RFC 8252 §8.4)
                    """
                return SettingsNotice(key(name), sentence)
            }
        }
    }
}

extension ResourceServerSettings {
    /// What is wrong with this resource server's keys together.
    fileprivate func rules() -> [SettingsError] {
        var faults: [SettingsError] = []
        if id.isEmpty {
            let expected = "the name that the resource server sends"
            faults.append(SettingsError(.missing, key("id"), value: "", expected: expected))
        }
        do throws(SettingsError) { _ = try resourceServer() } catch { faults.append(error) }
        return faults
    }
}
