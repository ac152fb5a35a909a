package import Settings

/// What the configuration says of sign-ups at a provider that keeps a directory of users.
package struct DirectorySignUpSettings: WingSettings {
    /// Sign-ups and recoveries that one address may ask for in a minute; nil: no limit.
    var perMinutePerAddress: Int? = 60

    package init() {}

    package static let keys: [SettingKey<Self>] = [
        SettingKey(
            "rateLimit.signUpsPerMinutePerAddress", \.perMinutePerAddress, .limit(upTo: 1_000_000),
            "Sign-ups and recoveries at a provider's directory of users that one client address may ask for in a minute."
        )
    ]

    package var claimedPaths: ClaimedPaths? { nil }

    package func limitsAddresses(beside settings: Settings) -> Bool {
        settings.hasDirectories && perMinutePerAddress != nil
    }

    package func faults(beside settings: Settings) -> [SettingsError] { [] }

    package func notices(beside settings: Settings) -> [SettingsNotice] { [] }
}
