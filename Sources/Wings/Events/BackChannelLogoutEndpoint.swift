internal import HTTPServer
internal import Providers
internal import SignIn
internal import WebAPI

/// `POST /auth/{provider}/backchannel-logout`: a provider says that somebody has signed out there (OpenID Connect
/// Back-Channel Logout 1.0 §2.5).
struct BackChannelLogoutEndpoint: Sendable {
    static let suffix = "/backchannel-logout"

    let logout: BackChannelLogout

    func respond(_ context: RequestContext, _ provider: Provider) async throws(ServiceError) -> HTTPResponse {
        try await logout.end(token(in: context.request), at: provider, in: context.call)
        // Nothing in it tells whether anybody was signed in (§2.8).
        return HTTPResponse(status: .ok, headers: [(name: "Cache-Control", value: "no-store")])
    }

    private func token(in request: HTTPRequest) throws(ServiceError) -> String {
        guard case .form(let form) = try RequestBody(request) else { throw .unsupportedMediaType }
        let tokens = form.values("logout_token")
        guard let token = tokens.first, tokens.count == 1, !token.isEmpty else {
            throw .invalidRequest("A form with one logout_token is expected.")
        }
        return token
    }
}
