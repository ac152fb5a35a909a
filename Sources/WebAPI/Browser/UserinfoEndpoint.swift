internal import Accounts
internal import HTTPServer
internal import JSON
internal import SignIn

/// `/auth/userinfo`: what an app may know of the user (OpenID Connect Core §5.3).
struct UserinfoEndpoint: Sendable {
    let sessions: Sessions
    let providers: ProviderRegistry

    func respond(
        _ context: RequestContext, _ principal: Principal, _ user: User
    ) async throws(ServiceError) -> HTTPResponse {
        var writer = JSONWriter()
        writer.object { body in
            body.member("sub", sessions.subject(of: principal.session))
            body.userClaims(user, of: principal.session, UserClaims(principal.permissions), by: providers)
        }
        return .secretJSON(writer.bytes)
    }
}
