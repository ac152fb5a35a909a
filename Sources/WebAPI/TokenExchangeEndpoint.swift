internal import Accounts
internal import Apps
internal import HTTPServer
internal import JSON
internal import Providers
internal import SignIn

/// `POST /auth/token` with a provider's access token: a sign-in without a code (RFC 8693).
struct TokenExchangeEndpoint: Sendable {
    // Read by itself: to all other grants these are unknown, and may be there in any form.
    private static let parameters = ParameterTable<SubjectToken.Parameter>()

    let exchange: ExchangeAccessToken
    let sessions: Sessions
    let code: CodeParameters

    func respond(
        _ context: RequestContext, _ app: RegisteredApp?
    ) async throws(ServiceError) -> HTTPResponse {
        (context.signIn, context.kind) = (.begun, .native)
        // A made-up token costs the provider a call.
        try code.admit(context)
        let parameters = try RequestParameters(context.request, Self.parameters)
        let provider = try exchange.provider(
            named: parameters[.provider], clientID: app == nil ? parameters[.clientID] : nil, for: app)
        context.provider = provider.configuration.name
        let token = try SubjectToken({ parameters[$0] })
            .repeatable(as: parameters.digest(of: .exchange(app?.clientID), context))
        context.call.correlationID = token.correlationID
        let replaced = try await sessions.replaced(by: parameters[.replacesToken], for: app)
        guard let app else {
            let outcome = try await exchange.signIn(
                token, with: provider, userAgent: context.request.userAgent, replacing: replaced, in: context.call)
            context.signIn = outcome.signedIn.isNewUser ? .newUser : .signedIn
            return SignInEndpoint.answer(
                outcome, of: provider.configuration.name, by: code.providers, as: context.responses,
                issuedTokenType: SubjectToken.accessTokenType)
        }
        let (answer, signedIn) = try await exchange.signIn(
            token, with: provider, for: app, userAgent: context.request.userAgent, replacing: replaced,
            in: context.call)
        context.signIn = signedIn.isNewUser ? .newUser : .signedIn
        return TokenEndpoint.answer(answer, issuedTokenType: SubjectToken.accessTokenType)
    }
}
