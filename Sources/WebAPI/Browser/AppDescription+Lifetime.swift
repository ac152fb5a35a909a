internal import Apps
internal import Pages
internal import SignIn

extension AppDescription {
    /// An app, for who is to agree to what it asks for.
    init(_ address: AppAddress, _ permissions: Permissions, in browser: BrowserSignIn) {
        self.init(
            name: address.app.displayName, home: address.home, permissions: permissions,
            duration: Duration(browser.lifetime(of: address.app, with: permissions)))
    }
}

extension AppDescription.Duration {
    private static let secondsADay: Int64 = 86_400

    /// In words for people: rounded up, and in minutes only where it is less than a day.
    fileprivate init(_ lifetime: GrantLifetime) {
        switch lifetime {
        case .seconds(let seconds) where seconds < Self.secondsADay: self = .minutes((seconds + 59) / 60)
        case .seconds(let seconds): self = .days((seconds + Self.secondsADay - 1) / Self.secondsADay)
        case .untilSignOut(let seconds):
            self = .untilSignOut(unusedDays: (seconds + Self.secondsADay - 1) / Self.secondsADay)
        }
    }
}
