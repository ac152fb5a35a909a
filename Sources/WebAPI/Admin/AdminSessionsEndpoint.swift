internal import Accounts
internal import Apps
internal import HTTPServer
internal import JSON
internal import SignIn

/// `/admin/sessions`: the end of sessions by an operator's word, one, or all of an app, of a provider, of everybody.
struct AdminSessionsEndpoint: Sendable {
    static let parameters = ["app", "provider", "all", "reauthenticate"]

    let store: AdminStore
    let apps: AppRegistry
    let providers: ProviderRegistry

    /// `DELETE …/{session_id}`: ends one session.
    func endOne(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        guard let id = context.request.parameters["session_id"].flatMap({ SessionID($0) }) else { throw .notFound }
        let wasThere = try await store.ask { repository, now throws(RepositoryError) in
            try await repository.revokeSession(id, now: now)
        }
        guard wasThere else { throw .notFound }
        let answer: JSONValue = ["session_id": .string(id.description), "sessions_ended": 1]
        return .secretJSON(answer.serialized)
    }

    /// `DELETE`: ends all of a scope. They are over when the line is drawn; the answer comes when their rows are gone.
    func endAll(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let query = try QueryParameters(context.request)
        let scope = try scope(query)
        let reauthenticate = try query.flag("reauthenticate")
        let ended = try await store.ask { repository, now throws(RepositoryError) in
            try await repository.endAll(scope, reauthenticate: reauthenticate, store.clock)
        }
        if ended == 0 { try checkIsKnown(scope) }
        let answer: JSONValue = ["sessions_ended": .integer(Int64(ended))]
        return .secretJSON(answer.serialized)
    }

    /// A name that nothing has, and that has ended nothing, is a slip.
    private func checkIsKnown(_ scope: SessionScope) throws(ServiceError) {
        switch scope {
        case .app(let client) where apps[client] == nil: throw .unknownClient
        case .provider(let name) where providers.provider(named: name) == nil: throw .unknownProvider
        case .everybody, .app, .provider: return
        }
    }

    private func scope(_ query: QueryParameters) throws(ServiceError) -> SessionScope {
        let everybody = try query.flag("all")
        switch (try query.text("app"), try query.text("provider"), everybody) {
        case (let app?, nil, false):
            // One that was taken out of the configuration may have left sessions behind.
            return .app(apps.all.first { $0.name == app }?.clientID ?? app)
        case (nil, let provider?, false): return .provider(provider)
        case (nil, nil, true): return .everybody
        default: throw .invalidRequest("Give one of app, provider and all=true.")
        }
    }
}
