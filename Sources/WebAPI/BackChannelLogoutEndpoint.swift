internal import HTTPServer
internal import Providers
internal import SignIn
import Syntax

/// `POST /auth/{provider}/backchannel-logout`: a provider says that somebody has signed out there (OpenID Connect Back-Channel
/// Logout 1.0 §2.5).
///
/// What it sends proves itself, so there is no API key; and since anybody can send something, an address that sends what is
/// refused is soon asked to wait.
struct BackChannelLogoutEndpoint: Sendable {
    static let suffix = "/backchannel-logout"

    let logout: BackChannelLogout
    let providers: ProviderDirectory
    let limits: AddressLimits

    func respond(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        try limits.refuseAfterFailures(context.network, of: .failedRefreshes)
        do throws(ServiceError) {
            try await end(context)
        } catch {
            if Self.isSenders(error) { limits.countFailure(context.network, as: .failedRefreshes) }
            throw error
        }
        // Nothing in it tells whether anybody was signed in (§2.8).
        return HTTPResponse(status: .ok, headers: [(name: "Cache-Control", value: "no-store")])
    }

    private func end(_ context: RequestContext) async throws(ServiceError) {
        guard let name = context.request.parameters["provider"],
            let provider = providers.all.first(where: { $0.configuration.name.isExactly(name) })
        else { throw .unknownProvider }
        context.provider = provider.configuration.name
        context.trouble = ProviderTrouble()
        try await logout.end(token(in: context.request), at: provider, trouble: context.trouble)
    }

    private func token(in request: HTTPRequest) throws(ServiceError) -> String {
        guard case .form(let form) = try RequestBody(request) else { throw .unsupportedMediaType }
        let tokens = form.values("logout_token")
        guard let token = tokens.first, tokens.count == 1, !token.isEmpty else {
            throw .invalidRequest("A form with one logout_token is expected.")
        }
        return token
    }

    /// Whether it is whoever has sent it that is to blame.
    private static func isSenders(_ error: ServiceError) -> Bool {
        switch error {
        case .storageUnavailable, .providerUnavailable, .providerResting, .providerTimeout, .providerError: false
        default: true
        }
    }
}
