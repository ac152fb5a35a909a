internal import Accounts
internal import Apps
internal import Pages
internal import SignIn
internal import Syntax
internal import System

extension AccountOverview {
    /// What a user's page shows, app by app, those that post codes last.
    ///
    /// - Parameters:
    ///   - sessions: the live ones.
    ///   - own: the page's.
    init(
        _ live: [Session], _ consents: [Consent], of own: Session, apps: AppRegistry, providers: ProviderRegistry,
        sessions: Sessions
    ) {
        let others = live.filter { $0.app != RegisteredApp.accountPageName }
        let clients = Set(others.compactMap(\.app) + consents.map(\.client)).sorted()
        let ofApps = clients.map { client in
            let consent = consents.first { $0.client == client }
            return App(
                name: apps[client]?.displayName ?? client, client: client,
                consent: consent.map {
                    Agreement(permissions: Permissions(scope: $0.scope), day: CalendarTime.day($0.agreedAt))
                },
                places: others.filter { $0.app == client }.map { Place($0, providers, sessions) })
        }
        let posted = others.filter { $0.app == nil }
        let ofPosters = Set(posted.map(\.provider)).sorted().map { provider in
            App(
                name: providers.displayName(of: provider), client: nil, consent: nil,
                places: posted.filter { $0.provider == provider }.map { Place($0, providers, sessions) })
        }
        self.init(apps: ofApps + ofPosters, here: own.id.description)
    }
}

extension AccountOverview.Place {
    fileprivate init(_ session: Session, _ providers: ProviderRegistry, _ sessions: Sessions) {
        // An app says what it is, and may say anything.
        let device = session.userAgent.flatMap { VisibleText.fault(of: $0) == nil ? $0 : nil }
        self.init(
            session: session.id.description, provider: providers.displayName(of: session.provider), device: device,
            since: CalendarTime.minute(session.createdAt),
            lastUsed: CalendarTime.minute(session.rotatedAt ?? session.createdAt),
            permissions: sessions.permissions(of: session))
    }
}

extension CalendarTime {
    fileprivate static func day(_ seconds: Int64) -> String { String(rfc3339(seconds).prefix(10)) }

    fileprivate static func minute(_ seconds: Int64) -> String {
        let text = rfc3339(seconds)
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }
}
