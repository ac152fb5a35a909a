internal import Apps
package import HTTPServer
internal import Pages
internal import Providers
package import SignIn
internal import Syntax

/// `/auth/authorize`: an app's authorization request (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2).
///
/// As long as it is not sure that the app's address is the app's, an error is a page: the answer would go to the author
/// of a made-up link.
struct AuthorizeEndpoint: Sendable {
    static let path = "/auth/authorize"

    let browser: BrowserSignIn
    let apps: AppRegistry
    let providers: ProviderRegistry
    let limits: AddressLimits
    let cookie: BrowserCookie
    let pages: BrowserPages

    func respond(_ context: RequestContext) async -> BrowserAnswer {
        let parameters: AuthorizationParameters
        do throws(ServiceError) {
            try limits.count(context.network, as: .authorizations)
            parameters = try AuthorizationParameters(context.request)
            context.call.correlationID = parameters.correlationID
        } catch {
            return pages.failure(error, context.request)
        }
        let address: AppAddress
        do throws(AppAddress.Problem) {
            address = try AppAddress(parameters, apps: apps, issuer: browser.issuer.text)
        } catch {
            return failure(error, context.request)
        }
        do throws(AppRequest.Problem) {
            let request = try browser.request(parameters, to: address)
            let allowed = providers.all.filter { address.app.allows(provider: $0.configuration.name) }
            let chosen = try provider(parameters, of: allowed)
            try check(request, chosen.map { [$0] } ?? allowed)
            if address.canBeImitated {
                return try await confirm(request, chosen.map { [$0] } ?? allowed, parameters, context)
            }
            guard let provider = chosen else { return chooser(parameters, allowed, address.app, context.request) }
            return await begin(request, with: provider, hasConfirmed: false, context)
        } catch {
            return .redirect(to: address.answer(error: error.error, description: error.description))
        }
    }

    /// Names an app that can be imitated on a page of ours, before its user is sent to a provider that may answer
    /// without a word. Where they have said yes before in this browser, they go there at once and have to authenticate.
    private func confirm(
        _ request: AppRequest, _ choices: [Provider], _ parameters: AuthorizationParameters, _ context: RequestContext
    ) async throws(AppRequest.Problem) -> BrowserAnswer {
        if request.isSilent {
            throw AppRequest.Problem(
                "interaction_required",
                "The user is asked whether the app is theirs, unless the redirect_uri is an https address of the app.")
        }
        if choices.count == 1, let provider = choices.first, provider.configuration.authenticationTimes != .never,
            cookie.confirmedApps(in: context.request).contains(request.address)
        {
            return await begin(request, with: provider, hasConfirmed: true, context)
        }
        guard let first = choices.first else {
            throw AppRequest.Problem("server_error", "This app has no provider that its users could sign in with.")
        }
        var keys = cookie.keys(in: context.request)
        let key = browser.beginKey(in: &keys, for: request.address)
        do throws(ServiceError) {
            let token = try await browser.ask(
                request, with: first, browser: key, of: context.network.base, in: context.call)
            var answer = pages.question(
                of: AppDescription(request.address, request.permissions, in: browser),
                providers.offer(choices) { CallbackEndpoint.confirmationPath(of: $0.configuration.name) }, token,
                context.request,
                locales: parameters[.locales], kept: parameters.lineToken)
            answer.response.headers += cookie.fields(keys)
            return answer
        } catch {
            return .redirect(to: request.address.answer(error), error)
        }
    }

    private func begin(
        _ request: AppRequest, with provider: Provider, hasConfirmed: Bool, _ context: RequestContext
    ) async -> BrowserAnswer {
        (context.provider, context.kind) = (provider.configuration.name, .browser)
        var keys = cookie.keys(in: context.request)
        let key = browser.beginKey(in: &keys, for: request.address)
        do throws(ServiceError) {
            let address = try await browser.begin(
                request, with: provider, browser: key, of: context.network.base, hasConfirmed: hasConfirmed,
                in: context.call)
            var answer = BrowserAnswer.redirect(to: address)
            answer.response.headers += cookie.fields(keys)
            return answer
        } catch {
            return .redirect(to: request.address.answer(error), error)
        }
    }

    /// The provider that is asked for, or the only one that can be meant.
    ///
    /// - Returns: nil where the user has to choose.
    private func provider(
        _ parameters: AuthorizationParameters, of allowed: [Provider]
    ) throws(AppRequest.Problem) -> Provider? {
        if let name = parameters[.provider] {
            guard let provider = providers.provider(named: name), allowed.contains(where: { $0 === provider }) else {
                throw .invalid("provider", "names none of this app's providers")
            }
            return provider
        }
        if allowed.count == 1 { return allowed.first }
        let byNetwork = allowed.filter(\.takesPortTokens)
        if parameters[.mccmnc] != nil, byNetwork.count == 1 { return byNetwork.first }
        // Nobody may be asked anything (OpenID Connect Core §3.1.2.1).
        if parameters[.prompt] == "none" {
            throw AppRequest.Problem("interaction_required", "The user has to choose a provider; name one.")
        }
        return nil
    }

    /// What the handset has shown must not be lost on the way: a provider that can't be told is not asked.
    private func check(_ request: AppRequest, _ providers: [Provider]) throws(AppRequest.Problem) {
        guard request.hasLineToken, !providers.contains(where: \.configuration.takesLineTokens) else { return }
        throw .invalid("aloha_token", "is for providers of profile telenor-id only")
    }

    private func chooser(
        _ parameters: AuthorizationParameters, _ allowed: [Provider], _ app: RegisteredApp, _ request: HTTPRequest
    ) -> BrowserAnswer {
        let pages = pages.pages(for: request, locales: parameters[.locales])
        let choices = providers.offer(allowed) { provider in
            let parameters = provider.configuration.takesLineTokens ? parameters : parameters.withoutLineToken
            return "\(Self.path)?\(parameters.query)&provider=\(provider.configuration.name)"
        }
        return .page(.ok, pages.chooser(app: app.displayName, providers: choices))
    }

    private func failure(_ problem: AppAddress.Problem, _ request: HTTPRequest) -> BrowserAnswer {
        switch problem {
        case .unknownApp: pages.failure(.badRequest, .unknownApp, request)
        case .redirectURINotAllowed: pages.failure(.badRequest, .redirectNotAllowed, request)
        case .parameter(let name):
            pages.failure(
                .badRequest, .wrongParameter(name: name, sentence: "missing, repeated, too long, or with a NUL."),
                request)
        }
    }
}

extension AuthorizationParameters {
    private static let maximumFields = 64

    /// What a browser brings: in the query of a GET, or in the form that it posts.
    ///
    /// - Throws: `ServiceError.invalidRequest`.
    package init(_ request: HTTPRequest) throws(ServiceError) {
        guard request.method == .post else {
            do throws(FormError) {
                let bytes = Array((request.query ?? "").utf8)
                self.init(try FormFields(parsing: bytes.span, limit: Self.maximumFields).fields)
            } catch {
                throw .invalidRequest("The query is not a form of at most \(Self.maximumFields) fields.")
            }
            return
        }
        // There is a page for what a browser can't send, and none for its media type.
        guard case .form(let form)? = try? RequestBody(request) else {
            throw .invalidRequest("The body is not a form of at most \(Self.maximumFields) fields.")
        }
        self.init(form.fields, from: .form)
    }

    /// The parameters as a query.
    var query: String {
        var bytes: [UInt8] = []
        for field in all {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
            FormEncoding.append(field.name.utf8.span, to: &bytes)
            bytes.append(UInt8(ascii: "="))
            FormEncoding.append(field.value.utf8.span, to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
