internal import HTTPServer
internal import Providers
internal import Settings
internal import SignIn
internal import WebAPI

extension Wing {
    /// What providers tell of their users of their own accord, and that somebody has signed out there.
    package static let events = Wing(NoSettings.self) { _, settings, _ in
        let ages = settings.providers.compactMap(\.events?.maximumAgeSeconds)
        return OpenWing(
            api: .events(logouts: SeenTokens(), events: SeenTokens(maximumAgeSeconds: ages.max() ?? 0)))
    }
}

extension APIExtension {
    /// - Parameters:
    ///   - logouts: the logout tokens that have come.
    ///   - events: the events that have come.
    static func events(logouts: SeenTokens, events: SeenTokens) -> APIExtension {
        var wing = APIExtension(isOn: { _ in true }, operations: operations(logouts, events))
        wing.requestSchemas = EventSchemas.requests
        wing.answerSchemas = EventSchemas.answers
        return wing
    }

    private static func operations(_ logouts: SeenTokens, _ events: SeenTokens) -> [Operation<APIServices>] {
        [
            .provider(
                .post, "/auth/{provider}\(BackChannelLogoutEndpoint.suffix)", EventDescriptions.backChannelLogout
            ) {
                BackChannelLogoutEndpoint(logout: BackChannelLogout($0.parts, seen: logouts)).respond
            },
            .provider(.post, "/auth/{provider}\(ProviderEventsEndpoint.suffix)", EventDescriptions.events) {
                ProviderEventsEndpoint($0, events).respond
            },
            .provider(
                .post, "/auth/{provider}\(ProviderEventsEndpoint.deletionSuffix)", EventDescriptions.deletion
            ) {
                ProviderEventsEndpoint($0, events).delete
            },
            .browser(
                .get, "/auth/{provider}\(ProviderEventsEndpoint.deletionSuffix)", EventDescriptions.deletionPage
            ) {
                DeletionEndpoint(
                    receiver: EventReceiver($0.parts, seen: events), providers: $0.parts.providers, limits: $0.limits,
                    pages: $0.pages
                ).respond
            },
        ]
    }
}

extension ProviderEventsEndpoint {
    fileprivate init(_ services: APIServices, _ events: SeenTokens) {
        self.init(
            receiver: EventReceiver(services.parts, seen: events), issuer: services.useCases.browser.issuer)
    }
}
