package import Settings

/// What the configuration says of asking a provider for its user's attributes again.
package struct VaultSettings: WingSettings {
    /// How often for one user in an hour; nil: as often as one likes.
    var refreshesPerHourPerUser: Int? = 10
    /// How many providers are asked at once.
    var refreshesAtOnce = 8

    package init() {}

    package static let keys: [SettingKey<Self>] = [
        SettingKey(
            "rateLimit.profileRefreshesPerHourPerUser", \.refreshesPerHourPerUser,
            .limit(upTo: 1_000_000),
            "How often in an hour one user's provider is asked for their attributes again, by all instances together."),
        SettingKey(
            "rateLimit.profileRefreshesAtOnce", \.refreshesAtOnce, .number(1...100_000),
            "Users whose attributes one instance asks providers for again at once; 16 times as many wait, each in turn."
        ),
    ]

    package var claimedPaths: ClaimedPaths? { nil }

    package func limitsAddresses(beside settings: Settings) -> Bool { false }

    package func faults(beside settings: Settings) -> [SettingsError] { [] }

    package func notices(beside settings: Settings) -> [SettingsNotice] { [] }
}
