import Apps
import Testing

@Suite struct `The way back to an app` {
    @Test(arguments: [
        ("https://app.example/cb", "https://app.example/"),
        ("https://app.example:8443/cb?x=1", "https://app.example:8443/"),
        ("https://app.example?x", "https://app.example/"), ("https://app.example", "https://app.example/"),
        ("org.app:/cb", "org.app:/cb"), ("app:/", "app:/"),
        // The page that opens the app, and one of ours; there is nothing at the origin.
        ("https://auth.example/open/app", "https://auth.example/open/app"),
        ("https://auth.example/account", "https://auth.example/account"),
        ("http://127.0.0.1/cb", nil), ("http://[::1]:8080/cb", nil),
    ])
    func `is an address that begins something new`(registered: String, address: String?) throws {
        let host = try #require(OwnHost(issuer: "https://auth.example"))
        #expect(host.wayBack(to: RedirectURI(registered)) == address)
    }
}
