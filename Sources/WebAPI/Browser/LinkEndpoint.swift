internal import HTTPServer
internal import JSON
internal import Providers
internal import SignIn

/// `POST /users/me/identities/authorize` and `/auth/link`: one more identity through the browser.
struct LinkEndpoint: Sendable {
    /// What of an authorization request has a meaning here.
    enum Parameter: String, ParameterNames {
        case provider
        case redirectURI = "redirect_uri"
        case state, prompt
        case maximumAge = "max_age"
        case acrValues = "acr_values"
        case loginHint = "login_hint"
        case locales = "ui_locales"
        case mccmnc
        case correlationID = "correlation_id"
    }

    private static let parameters = ParameterTable<Parameter>()

    let browser: BrowserSignIn
    let providers: ProviderRegistry
    let limits: AddressLimits
    let cookie: BrowserCookie
    let pages: BrowserPages

    /// An app asks for it, in its user's name.
    func begin(_ context: RequestContext, _ principal: Principal) async throws(ServiceError) -> HTTPResponse {
        try limits.count(context.network, as: .authorizations)
        let parameters = try RequestParameters(context.request, Self.parameters)
        guard let name = parameters[.provider] else {
            throw .invalidParameter(ParameterError("provider", "is missing"))
        }
        guard let provider = providers.provider(named: name) else { throw .unknownProvider }
        try principal.demand(provider: name)
        let fields = Parameter.allCases.compactMap { parameter in
            parameters[parameter].map { (name: parameter.rawValue, value: $0) }
        }
        let begun = try await browser.beginLink(
            AuthorizationParameters(fields), with: provider, by: principal, of: context.network.base)
        var writer = JSONWriter()
        writer.object { body in
            body.member("url", begun.url)
            body.member("expires_in", begun.expiresIn)
        }
        return .secretJSON(writer.bytes)
    }

    /// A browser opens what the app was given.
    func open(_ context: RequestContext) async -> BrowserAnswer {
        var keys = cookie.keys(in: context.request)
        do throws(ServiceError) {
            try limits.count(context.network, as: .authorizations)
            let parameters = try AuthorizationParameters(context.request)
            do throws(BrowserSignIn.Failure) {
                let question = try await browser.openLink(parameters, in: &keys)
                let offered = providers.offer(providers.provider(named: question.provider).map { [$0] } ?? []) {
                    CallbackEndpoint.confirmationPath(of: $0.configuration.name)
                }
                // A provider may be taken out of the configuration meanwhile.
                guard let provider = offered.first else { throw .page(.over) }
                var answer = pages.link(question, provider, context.request)
                answer.response.headers += cookie.fields(keys)
                return answer
            } catch {
                switch error {
                case .page(let problem): return pages.failure(problem, context.request)
                case .app(let address, let error): return .redirect(to: address.answer(error), error)
                }
            }
        } catch {
            return pages.failure(error, context.request)
        }
    }
}
