internal import Accounts
internal import Apps
internal import HTTPServer
internal import JSON
internal import Providers
internal import SignIn

/// `POST /auth/token` with a provider's access token: a sign-in without a code (RFC 8693).
struct TokenExchangeEndpoint: Sendable {
    /// What only an exchange looks at (RFC 8693 §2.1). To all else they are unknown, and may be there in any form.
    private static let ownParameters = [
        "subject_token", "subject_token_type", "requested_token_type", "actor_token", "actor_token_type", "resource",
        "audience", "scope",
    ]

    let exchange: ExchangeAccessToken
    let code: CodeParameters

    func respond(
        _ context: RequestContext, _ parameters: RequestParameters, _ app: RegisteredApp?
    ) async throws(ServiceError) -> HTTPResponse {
        context.signIn = .begun
        // A made-up token costs the provider a call.
        try code.admit(context)
        let provider = try exchange.provider(
            named: parameters["provider"], clientID: app == nil ? parameters["client_id"] : nil, for: app)
        context.provider = provider.configuration.name
        context.trouble = ProviderTrouble()
        let own = try RequestBody(context.request).texts(of: Self.ownParameters)
        let token = try SubjectToken({ own[$0] ?? parameters[$0] }, audience: exchange.audience)
        context.correlationID = token.correlationID
        guard let app else {
            let outcome = try await exchange.signIn(
                token, with: provider, userAgent: context.request.userAgent, trouble: context.trouble)
            context.signIn = outcome.signedIn.isNewUser ? .newUser : .signedIn
            return SignInEndpoint.answer(
                outcome, of: provider.configuration.name, issuedTokenType: SubjectToken.accessTokenType)
        }
        let (answer, signedIn) = try await exchange.signIn(
            token, with: provider, for: app, scope: own["scope"], userAgent: context.request.userAgent,
            trouble: context.trouble)
        context.signIn = signedIn.isNewUser ? .newUser : .signedIn
        return TokenEndpoint.answer(answer, issuedTokenType: SubjectToken.accessTokenType)
    }
}

extension RequestBody {
    /// The parameters of these names, each once; null and an empty text count as absent.
    ///
    /// - Throws: `ServiceError.invalidRequest` naming the parameter that is there twice, or is no text.
    fileprivate func texts(of names: [String]) throws(ServiceError) -> [String: String] {
        var texts: [String: String] = [:]
        for name in names {
            switch self {
            case .json(let object):
                guard let value = object[name], !value.isNull else { continue }
                guard let text = value.string else { throw .invalidRequest("The parameter \(name) must be a string.") }
                texts[name] = text
            case .form(let form):
                let values = form.fields.filter { $0.name == name }
                guard values.count <= 1 else { throw .invalidRequest("The parameter \(name) is there twice.") }
                texts[name] = values.first?.value
            }
        }
        return texts.filter { !$0.value.isEmpty }
    }
}
