internal import Accounts
internal import HTTPServer
internal import JSON
internal import SignIn

/// `/users/me/sessions`: where the user is signed in.
struct SessionsEndpoint: Sendable {
    let accounts: UserAccounts

    func list(_ context: RequestContext, _ principal: Principal) async throws(ServiceError) -> HTTPResponse {
        let live = try await accounts.sessions(under: principal.session)
        var writer = JSONWriter()
        writer.array { list in
            for one in live { list.session(one, isCurrent: one.id == principal.session.id) }
        }
        return .secretJSON(writer.bytes)
    }

    func revoke(_ context: RequestContext, _ principal: Principal) async throws(ServiceError) -> HTTPResponse {
        guard let id = context.request.parameters["session_id"].flatMap({ SessionID($0) }) else { throw .notFound }
        try await accounts.revoke(id, under: principal.session)
        return .emptyObject
    }

    func revokeAll(_ context: RequestContext, _ principal: Principal) async throws(ServiceError) -> HTTPResponse {
        let count = try await accounts.revokeAll(under: principal.session)
        var writer = JSONWriter()
        writer.object { $0.member("revoked", Int64(count)) }
        return .secretJSON(writer.bytes)
    }
}

extension JSONWriter {
    mutating func session(_ session: Session, isCurrent: Bool) {
        object { body in
            body.member("session_id", session.id.description)
            body.member("created_at", session.createdAt)
            body.member("expires_at", session.expiresAt)
            body.member("provider", session.provider)
            body.member("client_id", session.client)
            if let userAgent = session.userAgent { body.member("user_agent", userAgent) }
            if let acr = session.authentication.acr { body.member("acr", acr) }
            if let time = session.authentication.time { body.member("auth_time", time) }
            body.member("current", isCurrent)
        }
    }
}
