internal import HTTPServer
internal import JSON
internal import SignIn

/// `/auth/token` and `/auth/revoke`: refresh a session, or end it.
struct TokenEndpoint: Sendable {
    let sessions: Sessions
    let limits: AddressLimits

    /// `POST`: a refresh token for a new pair (RFC 6749 §6).
    func refresh(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let parameters = try RequestParameters(context.request)
        guard let grantType = parameters["grant_type"] else {
            throw .invalidRequest("The parameter grant_type is missing.")
        }
        guard grantType == "refresh_token" else { throw .unsupportedGrantType }
        guard let refreshToken = parameters["refresh_token"], !refreshToken.isEmpty else {
            throw .invalidRequest("The parameter refresh_token is missing.")
        }
        try limits.refuseAfterFailures(context.network, of: .failedRefreshes)
        let tokens: TokenIssuer.Tokens
        do throws(ServiceError) {
            tokens = try await sessions.refresh(refreshToken)
        } catch {
            if case .invalidGrant = error { limits.countFailure(context.network, as: .failedRefreshes) }
            throw error
        }
        var writer = JSONWriter()
        writer.object { $0.tokens(tokens) }
        return .secretJSON(writer.bytes)
    }

    /// `DELETE`: signs out. Stock Android apps send no bearer token here, and nothing else than 200 is success to stock
    /// iOS apps: without a token it is a 200 that does nothing.
    func signOut(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        if let token = context.request.bearerToken {
            try await sessions.signOut(token)
        }
        return .emptyObject
    }

    /// `POST /auth/revoke`: ends the session of a token of either kind (RFC 7009). Which kind it is shows, so that a hint
    /// is of no use; a token that opens nothing has got what was asked for.
    func revoke(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        guard let token = try RequestParameters(context.request)["token"] else {
            throw .invalidRequest("The parameter token is missing.")
        }
        try await sessions.revoke(token)
        return .emptyObject
    }
}
