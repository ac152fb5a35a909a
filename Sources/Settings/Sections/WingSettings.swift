/// The settings of one wing, which its keys write into. A fresh one has the defaults.
///
/// Loading, the search for a misspelled key, the reference and the effective configuration are made from the list of
/// these, as they are from the keys that stand here.
package protocol WingSettings: Sendable {
    init()

    /// By their full names, such as `keyService.enabled`, in the order of the reference.
    static var keys: [SettingKey<Self>] { get }

    /// What is wrong with them as a whole, beside all the others.
    func faults(beside settings: Settings) -> [SettingsError]

    /// What of our own host the wing takes; nil for nothing.
    var claimedPaths: ClaimedPaths? { get }

    /// Whether one address may do something of the wing's only so often.
    func limitsAddresses(beside settings: Settings) -> Bool

    /// What is worth knowing, though it holds.
    func notices(beside settings: Settings) -> [SettingsNotice]
}

/// Those of a wing that nothing is said of.
package struct NoSettings: WingSettings {
    package static let keys: [SettingKey<Self>] = []

    package init() {}

    package func faults(beside settings: Settings) -> [SettingsError] { [] }

    package var claimedPaths: ClaimedPaths? { nil }

    package func limitsAddresses(beside settings: Settings) -> Bool { false }

    package func notices(beside settings: Settings) -> [SettingsNotice] { [] }
}

/// Paths that no app of ours may have as its own, with all below them.
package struct ClaimedPaths: Sendable {
    let paths: [String]
    /// What an app's address has to be, as it completes "expected …".
    let expected: String

    package init(_ paths: [String], expected: String) {
        (self.paths, self.expected) = (paths, expected)
    }
}

extension Settings {
    /// The settings of a wing; the defaults where the configuration was read without it.
    package func wing<Wing: WingSettings>(_ type: Wing.Type) -> Wing {
        wings[ObjectIdentifier(type)] as? Wing ?? Wing()
    }

    fileprivate mutating func set<Wing: WingSettings>(_ wing: Wing) { wings[ObjectIdentifier(Wing.self)] = wing }
}

extension SettingKey where Root == Settings {
    /// A wing's key among all others.
    init<Wing: WingSettings>(_ key: SettingKey<Wing>) {
        self.init(key) { content, settings throws(ValueError) in
            var wing = settings.wing(Wing.self)
            try key.write(content, &wing)
            settings.set(wing)
        } show: { settings in
            key.show(settings.wing(Wing.self))
        }
    }

    /// Those of all these wings.
    static func keys(of wings: [any WingSettings.Type]) -> [Self] {
        func keys<Wing: WingSettings>(_ wing: Wing.Type) -> [Self] { wing.keys.map { Self($0) } }
        return wings.flatMap { keys($0) }
    }
}
