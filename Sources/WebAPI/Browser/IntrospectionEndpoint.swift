internal import Accounts
internal import Apps
internal import HTTPServer
internal import JSON
internal import SignIn

/// `POST /auth/introspect`: what a token is good for (RFC 7662), told to those who are configured to ask.
struct IntrospectionEndpoint: Sendable {
    let introspection: Introspection

    func respond(
        _ context: RequestContext, _ parameters: ClientParameters, _ caller: Introspection.Caller
    ) async throws(ServiceError) -> HTTPResponse {
        guard let token = parameters[.token] else { throw .invalidRequest("The parameter token is missing.") }
        guard let active = try await introspection.introspect(token, by: caller, from: context.network.lane)
        else {
            return .secretJSON(Array(#"{"active":false}"#.utf8))
        }
        return answer(active)
    }

    private func answer(_ active: Introspection.Active) -> HTTPResponse {
        let session = active.session
        var writer = JSONWriter()
        writer.object { body in
            body.member("active", true)
            body.member("sub", introspection.subject(of: session))
            body.member("client_id", session.client)
            body.member("scope", active.permissions.scope)
            body.member("exp", active.expiresAt)
            body.member("iat", session.rotatedAt ?? session.createdAt)
            body.member("iss", introspection.issuer)
            body.member("aud", active.audience)
            body.member("sid", session.id.description)
            if let acr = session.authentication.acr { body.member("acr", acr) }
            if let time = session.authentication.time { body.member("auth_time", time) }
            if let type = active.tokenType { body.member("token_type", type) }
        }
        return .secretJSON(writer.bytes)
    }
}
