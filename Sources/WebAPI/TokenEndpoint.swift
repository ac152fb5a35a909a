internal import Accounts
internal import Apps
internal import HTTPServer
internal import JSON
internal import Providers
internal import SignIn

/// `/auth/token` and `/auth/revoke`: the first tokens of an app of ours, or for a provider's; the next ones of a
/// session; or its end.
struct TokenEndpoint: Sendable {
    let sessions: Sessions
    let appTokens: AppTokens
    let exchange: TokenExchangeEndpoint
    let limits: AddressLimits

    /// `POST`: a code, a refresh token or a provider's access token for tokens (RFC 6749 §4.1.3, §6; RFC 8693 §2).
    func grant(
        _ context: RequestContext, _ parameters: ClientParameters, _ app: RegisteredApp?
    ) async throws(ServiceError) -> HTTPResponse {
        do throws(ServiceError) {
            let grantType = try Self.required(.grantType, parameters)
            context.isRefresh = grantType == "refresh_token"
            switch (grantType, app) {
            case ("refresh_token", nil): return try await refresh(parameters)
            case ("refresh_token", let app?): return try await refresh(parameters, app)
            case ("authorization_code", let app?): return try await redeem(parameters, app, context)
            case ("authorization_code", nil):
                let problem = parameters[.clientID] == nil ? "is missing" : "names a provider's client, and no app"
                throw ServiceError.invalidParameter(ParameterError("client_id", problem))
            case (SubjectToken.grantType, let app): return try await exchange.respond(context, app)
            default: throw ServiceError.unsupportedGrantType
            }
        } catch {
            if case .invalidGrant = error { try limits.count(context.network, as: .failedRefreshes) }
            throw error
        }
    }

    private func refresh(_ parameters: ClientParameters) async throws(ServiceError) -> HTTPResponse {
        let asked = try Self.requestedAccess(parameters)
        let tokens = try await sessions.refresh(try Self.required(.refreshToken, parameters), for: asked)
        var writer = JSONWriter()
        writer.object { $0.tokens(tokens) }
        return .secretJSON(writer.bytes)
    }

    private func refresh(
        _ parameters: ClientParameters, _ app: RegisteredApp
    ) async throws(ServiceError) -> HTTPResponse {
        let asked = try Self.requestedAccess(parameters)
        return Self.answer(
            try await appTokens.refresh(try Self.required(.refreshToken, parameters), for: app, asking: asked))
    }

    private func redeem(
        _ parameters: ClientParameters, _ app: RegisteredApp, _ context: RequestContext
    ) async throws(ServiceError) -> HTTPResponse {
        let code = try Self.required(.code, parameters)
        context.call.correlationID = AppTokens.correlationID(of: code)
        let redirectURI = parameters[.redirectURI].flatMap { $0.isEmpty ? nil : $0 }
        let codeVerifier = try Self.required(.codeVerifier, parameters)
        let asked = try Self.requestedAccess(parameters)
        var response = Self.answer(
            try await appTokens.redeem(
                code, redirectURI: redirectURI, codeVerifier: codeVerifier, for: app, asking: asked,
                as: parameters.digest(of: .redeem(app.clientID), context), replacing: parameters[.replacesToken]))
        response.watcher = RedemptionWatcher(appTokens: appTokens, code: code)
        return response
    }

    /// An app's code is denied the second time (RFC 6749 §4.1.2), once its answer has gone out.
    private struct RedemptionWatcher: DeliveryWatcher {
        let appTokens: AppTokens
        let code: String

        func wasTaken() async { await appTokens.note(.taken, of: code) }
        func wasLost() async { await appTokens.note(.lost, of: code) }
    }

    private static func requestedAccess(_ parameters: ClientParameters) throws(ServiceError) -> RequestedAccess {
        try RequestedAccess(scope: parameters[.scope], resource: parameters[.resource])
    }

    private static func required(
        _ name: ClientParameter, _ parameters: ClientParameters
    ) throws(ServiceError) -> String {
        guard let value = parameters[name], !value.isEmpty else {
            throw .invalidRequest("The parameter \(name.rawValue) is missing.")
        }
        return value
    }

    /// Nothing in it is null or empty: libraries of apps stumble over that.
    ///
    /// - Parameter issuedTokenType: of the access token, where another token was given for it (RFC 8693 §2.2.1).
    static func answer(
        _ answer: AppTokens.Answer, issuedTokenType: String? = nil, status: HTTPStatus = .ok
    ) -> HTTPResponse {
        var writer = JSONWriter(reservingCapacity: 2048)
        writer.object { body in
            body.tokens(answer.tokens)
            if !answer.permissions.isEmpty { body.member("scope", answer.permissions.scope) }
            if answer.isMergeOffered { body.member("merge_offered", true) }
            if let declined = answer.declined { body.declinedScopes(declined) }
            if let idToken = answer.idToken { body.member("id_token", idToken) }
            if let receipt = answer.receipt { body.member("receipt", receipt) }
            if let issuedTokenType { body.member("issued_token_type", issuedTokenType) }
        }
        return .secretJSON(writer.bytes, status)
    }

    /// `DELETE`: signs out. Stock Android apps send no bearer token here, and nothing else than 200 is success to stock
    /// iOS apps: without a token it is a 200 that does nothing.
    func signOut(_ context: RequestContext, _ token: String?) async throws(ServiceError) -> HTTPResponse {
        if let token { try await sessions.signOut(token) }
        return .emptyObject
    }

    /// `POST /auth/revoke`: ends the session of a token of either kind (RFC 7009). Which kind it is shows, so that a
    /// hint is of no use; a token that opens nothing has got what was asked for.
    func revoke(
        _ context: RequestContext, _ parameters: ClientParameters, _ app: RegisteredApp?
    ) async throws(ServiceError) -> HTTPResponse {
        try await sessions.revoke(try Self.required(.token, parameters), for: app)
        return .emptyObject
    }
}
