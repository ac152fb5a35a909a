import JSON
import Settings

/// Which keys of a configuration that was read again a running server can't take over.
enum ChangedKeys {
    /// What ``Reloading`` takes over.
    private static let taken: Set<String> = ["apiKeys", "admin.token", "log.level"]
    private static let takenSection = "admin.tokens."
    /// The same of a provider, unless it has become another client: how it authenticates.
    private static let takenOfProvider: Set<String> = [
        "clientSecret", "clientAuthentication", "basicEncoding", "clientKey", "clientKeyID", "assertionAlgorithm",
        "assertionAudience", "appleTeamID", "appleKeyID", "userAPI.token", "userAPI.clientSecret",
    ]

    /// - Parameters:
    ///   - started: what the server was started with.
    ///   - renewed: what the configuration says now.
    ///   - adminOnLoopback: whether the listener for operators can do without a token.
    /// - Returns: the names of the keys, in the order of the reference. Of a provider that came or went none but
    ///   `providers`.
    static func needingRestart(
        from started: [EffectiveSetting], to renewed: [EffectiveSetting], adminOnLoopback: Bool
    ) -> [String] {
        let before = Dictionary(started.map { ($0.key, $0.value) }) { first, _ in first }
        let changed = renewed.filter { setting in before[setting.key].map { $0 != setting.value } ?? false }
        let names = Set(changed.map(\.key))
        return changed.filter { !isTaken($0, among: names, adminOnLoopback) }.map(\.key)
    }

    private static func isTaken(_ setting: EffectiveSetting, among changed: Set<String>, _ onLoopback: Bool) -> Bool {
        // A listener that others reach never gives its token up.
        if setting.key == "admin.token", setting.value == "", !onLoopback { return false }
        if taken.contains(setting.key) || setting.key.hasPrefix(takenSection) { return true }
        let components = setting.key.split(separator: ".", maxSplits: 2)
        return components.count == 3 && takenOfProvider.contains(String(components[2]))
            && !changed.contains("provider.\(components[1]).clientID")
    }
}
