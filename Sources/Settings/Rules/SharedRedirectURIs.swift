extension Settings {
    /// The redirect URIs of a provider to which the answers of other issuers come back as well: there nothing but `iss`
    /// tells whose answer one is (RFC 9700 §4.4.2). Two clients of one issuer share nothing that matters.
    public func sharedRedirectURIs(of provider: ProviderSettings) -> [String] {
        provider.redirectURIs.filter { !sharers(of: $0, with: provider).isEmpty }
    }

    /// Where an issuer could be handed another's code because an app can't tell whose answer came back.
    func noticesOfSharedRedirectURIs() -> [SettingsNotice] {
        providers.filter { !$0.requireIss }.flatMap { provider in
            sharedRedirectURIs(of: provider).map { address in
                let others = sharers(of: address, with: provider).map(\.name).joined(separator: ", ")
                return SettingsNotice(
                    "provider.\(provider.name).redirectURIs",
                    """
                    shares \(address) with \(others): whose answer comes back there can't be told, and one issuer could be \
                    handed another's code. Give each a redirect URI of its own, or set requireIss where it sends iss
                    """)
            }
        }
    }

    private func sharers(of address: String, with provider: ProviderSettings) -> [ProviderSettings] {
        providers.filter { $0.origin != provider.origin && $0.redirectURIs.contains(address) }
    }
}

extension ProviderSettings {
    /// Where its issuers are found: one for all carriers of a discovery.
    fileprivate var origin: String? { profile == .zenkey ? discoveryURL?.text : issuer?.text }
}
