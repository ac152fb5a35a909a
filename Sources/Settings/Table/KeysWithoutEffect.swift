internal import JSON

/// The keys that are recognised, but whose feature is not there yet: set to other than their default they are a fault,
/// so that nobody believes in what is not done. A key that lands is taken out here.
package enum KeysWithoutEffect {
    static let ofSettings: Set<String> = []

    /// What says nothing of a store that is a file, which one server has.
    static let ofFiles: Set<String> = [
        "instances", "storage.password", "storage.ledger", "storage.connections", "storage.connectSeconds",
        "storage.statementSeconds",
        "storage.queueMilliseconds", "storage.lockWaitMilliseconds", "storage.lockConnections",
        "storage.clockSkewSeconds",
        "storage.preparedStatements", "storage.dialect",
    ]

    /// Keys of sections with names that were there before this version, by the word of their kind.
    private static let retired: [String: Set<String>] = [ProviderSettings.word: ["returnTo"]]

    /// Whether a key, by its full name, is without effect.
    static func contains(_ name: String) -> Bool { ofSettings.contains(name) }

    /// Whether a full name is that of a key that is no more.
    static func isRetired(_ name: String) -> Bool { isIn(retired, name) }

    private static func isIn(_ keys: [String: Set<String>], _ name: String) -> Bool {
        let components = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return components.count == 3 && keys[components[0]]?.contains(components[2]) == true
    }

    /// The faults of those keys that are not at their default.
    ///
    /// - Parameters:
    ///   - names: the names within the section.
    ///   - section: what stands before them in a full name.
    ///   - reason: why they have no effect.
    package static func faults<Root>(
        _ keys: [SettingKey<Root>], _ names: Set<String>, under section: String, in root: Root, fresh: Root,
        because reason: String = "the key has no effect in this version"
    ) -> [SettingsError] {
        keys.filter { names.contains($0.name) && $0.show(root) != $0.show(fresh) }.map { key in
            let standard = key.show(fresh) == "" ? "nothing" : SettingsReport.plain(key.show(fresh))
            return SettingsError(
                .notAvailable, section + key.name, value: SettingsReport.plain(key.show(root)),
                expected: "\(standard): \(reason)")
        }
    }
}
