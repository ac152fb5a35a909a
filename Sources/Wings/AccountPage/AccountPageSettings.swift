package import Settings

/// What the configuration says of the account page.
package struct AccountPageSettings: WingSettings {
    var isOn = true

    package init() {}

    package static let keys: [SettingKey<Self>] = [
        SettingKey(
            "browser.accountPage", \.isOn, .flag,
            "Whether there is a page at /account where people see, and end, their sign-ins and what apps may do; it "
                + "takes apps, and session.issuer where http.host is not 127.0.0.1.")
    ]

    // `/account` is reserved in any case.
    package var claimedPaths: ClaimedPaths? { nil }

    // What it begins counts as any sign-in through the browser.
    package func limitsAddresses(beside settings: Settings) -> Bool { false }

    package func notices(beside settings: Settings) -> [SettingsNotice] { [] }

    package func faults(beside settings: Settings) -> [SettingsError] { [] }
}
