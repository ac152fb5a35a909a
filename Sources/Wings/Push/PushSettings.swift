package import Settings

/// What the configuration says of sign-ins that begin on the user's phone.
package struct PushSettings: WingSettings {
    private static let day = 86_400
    /// For how long at most a request on another device should be good (ASVS 5.0, 6.5.5), in seconds.
    private static let longestAdvised = 600

    /// Requests that one address may make in a minute; nil: no limit.
    var perMinutePerAddress: Int? = 60
    /// How long a user may take to answer, in seconds.
    var lifetimeSeconds = 600
    /// How often one user is asked in a window, by all apps together.
    var perUser = 3
    var windowSeconds = 600
    /// Requests that are kept; one more makes the oldest give way.
    var maximumPending = 20_000

    package init() {}

    package static let keys: [SettingKey<Self>] = [
        SettingKey(
            "rateLimit.pushesPerMinutePerAddress", \.perMinutePerAddress, .limit(upTo: 1_000_000),
            "Server-initiated sign-ins that one client address may begin in a minute."),
        SettingKey(
            "push.lifetimeSeconds", \.lifetimeSeconds, .number(60...2 * day),
            "How long a user may take to answer a server-initiated sign-in; ten minutes at most by ASVS 5.0, 6.5.5."),
        SettingKey(
            "push.perUser", \.perUser, .number(1...100),
            "How often one user is asked on the phone within push.windowSeconds, by all apps together."),
        SettingKey("push.windowSeconds", \.windowSeconds, .number(1...day), "The time in which push.perUser counts."),
        SettingKey(
            "push.maximumPending", \.maximumPending, .number(1...1_000_000),
            "Server-initiated sign-ins that are kept at once; one more makes the oldest give way."),
    ]

    package var claimedPaths: ClaimedPaths? { nil }

    package func limitsAddresses(beside settings: Settings) -> Bool {
        settings.hasPushes && perMinutePerAddress != nil
    }

    package func faults(beside settings: Settings) -> [SettingsError] {
        guard !settings.hasPushes else { return [] }
        let names = Self.keys.map(\.name).filter { $0.hasPrefix("push.") }
        return KeysWithoutEffect.faults(
            Self.keys, Set(names), under: "", in: self, fresh: Self(),
            because: "no provider's section has serverInitiated: true")
    }

    package func notices(beside settings: Settings) -> [SettingsNotice] {
        var notices: [SettingsNotice] = []
        if settings.hasPushes, settings.apiKeys.isEmpty {
            let sentence =
                "is empty while a provider's section has serverInitiated: anybody who reaches this service can have users asked"
                + " on their phones"
            notices.append(SettingsNotice("apiKeys", sentence))
        }
        if lifetimeSeconds > Self.longestAdvised {
            let sentence =
                "is \(lifetimeSeconds), longer than the \(Self.longestAdvised) of ASVS 5.0, 6.5.5: for so long a request "
                + "on the phone that nobody has answered can be approved by mistake"
            notices.append(SettingsNotice("push.lifetimeSeconds", sentence))
        }
        return notices
    }
}
