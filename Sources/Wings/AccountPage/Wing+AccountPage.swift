internal import Apps
internal import OpenAPI
internal import Settings
internal import SignIn
internal import Syntax
internal import WebAPI

extension Wing {
    /// A page on which people see where they are signed in and what apps may do, and end it (OWASP ASVS 5.0 10.4.9).
    package static let accountPage = Wing(AccountPageSettings.self, tables: [AccountVisits.table]) {
        configured, settings, _ in
        // Without an issuer it is the listener's own address, whose port need not be known (``RedirectURI``).
        let own = settings.http.host == "127.0.0.1" ? BaseURL("http://127.0.0.1") : nil
        let issuer = settings.session.issuer.map { BaseURL($0.text) } ?? own
        let isOn = configured.isOn && !settings.apps.isEmpty
        return OpenWing(
            api: .accountPage(isOn: isOn && issuer != nil),
            apps: issuer.map { isOn ? [.accountPage(of: $0)] : [] } ?? [])
    }
}

extension APIExtension {
    static func accountPage(isOn: Bool) -> APIExtension {
        var page = APIExtension(isOn: { _ in isOn }, operations: AccountPageEndpoint.operations)
        page.groups = [.accountPage]
        page.requestSchemas = [("AccountAct", AccountPageDescriptions.act)]
        page.takesConsentBack = true
        return page
    }
}

extension OperationGroup {
    static let accountPage = OperationGroup(
        "The account page",
        "For people's browsers, where `browser.accountPage` is on: where they are signed in, and what apps may do.")
}

extension RegisteredApp {
    /// What the page is towards the browser's sign-in: an app of our own, which nobody can be sent to but us.
    ///
    /// - Parameter issuer: the public base URL of this service.
    static func accountPage(of issuer: BaseURL) -> RegisteredApp {
        RegisteredApp(
            name: accountPageName, clientID: accountPageName, secret: nil,
            redirectURIs: [RedirectURI(issuer.address(AccountPageEndpoint.path))], providers: [], origins: [],
            postLogoutRedirectURIs: [], otherBrowser: .refuse, consent: .implicit, idTokenAlgorithm: .es256,
            rights: Rights(permissions: Permissions([.accountRead, .accountSessions]), grants: [.authorizationCode]))
    }

    /// Its `client_id`, which has a character that no section's name has.
    static let accountPageName = "gatehouse:account"
}
