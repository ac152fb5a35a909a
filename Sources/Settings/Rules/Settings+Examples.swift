internal import Crypto
internal import Providers
internal import Syntax

extension Settings {
    /// What looks as if it had been left from an example, or copied and not changed. Such a configuration holds, and
    /// signs nobody in.
    public func noticesOfExamples() -> [SettingsNotice] {
        var notices = session.issuer.flatMap { ExampleValue.notice("session.issuer", host: $0.host) }.map { [$0] } ?? []
        var owners: [ProviderIdentity: String] = [:]
        for provider in listedProviders.sections {
            notices += provider.noticesOfExamples()
            let identity = ProviderIdentity(provider)
            guard let owner = owners[identity] else {
                owners[identity] = provider.path
                continue
            }
            let sentence = """
                names the client that \(owner) names at the same provider, with the same redirect URIs: one of the two is a \
                copy, and people would see the provider twice
                """
            notices.append(SettingsNotice(provider.key("clientID"), sentence))
        }
        return notices
    }
}

/// By what two sections are one and the same.
private struct ProviderIdentity: Hashable {
    let place: String
    let clientID: String
    let redirectURIs: [String]

    init(_ provider: ProviderSettings) {
        place = provider.profile.findsIssuerByNetwork ? provider.discoveryURL?.text ?? "" : provider.issuer?.text ?? ""
        clientID = provider.clientID
        redirectURIs = provider.redirectURIs.sorted()
    }
}

extension ProviderSettings {
    /// Of a provider that is on no machine of ours: what tests use has names of examples by right.
    fileprivate func noticesOfExamples() -> [SettingsNotice] {
        let places = [("issuer", issuer?.address), ("discoveryURL", discoveryURL)]
        guard !places.contains(where: { $0.1?.isLoopback == true }) else { return [] }
        var notices = places.compactMap { name, url in
            url.flatMap { ExampleValue.notice(key(name), host: $0.host) }
        }
        if ExampleValue.isOne(clientID) {
            let sentence =
                "is \(clientID), which is a placeholder: the provider gives you yours when you register there"
            notices.append(SettingsNotice(key("clientID"), sentence))
        }
        if let secret = clientSecret?.revealedText, ExampleValue.isOne(secret) {
            notices.append(SettingsNotice(key("clientSecret"), "is a placeholder: the provider gives you yours"))
        }
        return notices
    }
}

/// Values that documents have in the place of yours.
private enum ExampleValue {
    /// Names that nobody can have (RFC 2606, RFC 6761).
    private static let domains = ["example", "example.com", "example.net", "example.org", "invalid"]
    /// Of ZenKey's guide, and of ours.
    private static let texts = [
        "ccid-0123456789abcdef", "changeme", "change-me", "secret", "password", "client-secret", "xxx",
    ]
    private static let words = ["your-", "your_", "<", "…", "replace-me", "todo"]

    static func notice(_ key: String, host: String) -> SettingsNotice? {
        let name = host.lowercased()
        guard domains.contains(where: { name == $0 || name.hasSuffix("." + $0) }) else { return nil }
        return SettingsNotice(key, "names \(host), which is a host of examples: nobody answers there; put yours")
    }

    static func isOne(_ value: String) -> Bool {
        let text = value.lowercased()
        return texts.contains(text) || words.contains { text.contains($0) }
    }
}
