internal import Accounts
internal import Apps
internal import HTTPServer
internal import Pages
internal import Providers
internal import SignIn
internal import Syntax

/// `/auth/{provider}/callback`: the one address to which everything of a provider comes back, be it a code, an error,
/// or the carrier that the user has chosen.
struct CallbackEndpoint: Sendable {
    static let scriptPath = "/auth/continue.js"

    /// Where the pages that ask post a "yes" to.
    static func confirmationPath(of provider: String) -> String { "/auth/\(provider)/confirm" }

    let browser: BrowserSignIn
    let providers: ProviderRegistry
    let limits: AddressLimits
    let cookie: BrowserCookie
    let pages: BrowserPages

    func respond(_ context: RequestContext) async -> BrowserAnswer {
        let request = context.request
        context.kind = .browser
        let shown = cookie.keys(in: request)
        var parameters = AuthorizationParameters([])
        do throws(BrowserSignIn.Failure) {
            let provider: Provider
            (parameters, provider) = try read(context)
            if request.method == .post, shown.isEmpty, parameters[.resubmitted] == nil {
                return resubmission(parameters, request)
            }
            let answer = try ProviderAnswer(parameters)
            let step = try await browser.returned(
                answer, from: provider, browser: try usable(shown), userAgent: request.userAgent, in: context.call)
            return self.answer(step, shown, context)
        } catch {
            return failure(error, parameters, shown, context)
        }
    }

    /// `POST …/confirm`: the user says on a page of ours that the sign-in is theirs.
    func confirm(_ context: RequestContext) async -> BrowserAnswer {
        context.kind = .browser
        let shown = cookie.keys(in: context.request)
        var parameters = AuthorizationParameters([])
        do throws(BrowserSignIn.Failure) {
            let provider: Provider
            (parameters, provider) = try read(context)
            let step = try await browser.confirmed(
                parameters, with: provider, browser: try usable(shown), userAgent: context.request.userAgent,
                in: context.call)
            return answer(step, shown, context)
        } catch {
            return failure(error, parameters, shown, context)
        }
    }

    private func read(
        _ context: RequestContext
    ) throws(BrowserSignIn.Failure) -> (AuthorizationParameters, Provider) {
        do throws(ServiceError) {
            try limits.count(context.network, as: .signIns)
            let provider = try providers.provider(ofPath: context)
            return (try AuthorizationParameters(context.request), provider)
        } catch {
            throw .page(.service(error))
        }
    }

    private func usable(_ shown: BrowserKeys) throws(BrowserSignIn.Failure) -> BrowserKeys? {
        if shown.isUnusable { throw .page(.otherBrowser) }
        return shown.isEmpty ? nil : shown
    }

    private func answer(
        _ step: BrowserSignIn.Step, _ shown: BrowserKeys, _ context: RequestContext
    ) -> BrowserAnswer {
        switch step {
        case .goOn(let address): return .redirect(to: address)
        case .finished(let address, let signedIn, let key):
            context.signIn = .init(signedIn)
            return finished(address, key, shown)
        case .ask(let app, let permissions, let providers, let token):
            let choices = self.providers.offer(providers.compactMap(self.providers.provider(named:))) {
                Self.confirmationPath(of: $0.configuration.name)
            }
            return pages.question(of: AppDescription(app, permissions, in: browser), choices, token, context.request)
        case .askForConsent(let app, let permissions, let signedIn, let provider, let token):
            context.signIn = .init(signedIn)
            return pages.consent(
                to: AppDescription(app, permissions, in: browser), at: app, provider, token, context.request)
        case .agreed(let address, let key), .unlinked(let address, let key), .linked(let address, let key):
            return finished(address, key, shown)
        case .confirmed(let app, let address):
            var answer = BrowserAnswer.redirect(to: address)
            var apps = cookie.confirmedApps(in: context.request)
            apps.confirm(app)
            if let field = cookie.field(apps) { answer.response.headers.append(field) }
            return answer
        case .confirm(let app, let provider, let token, let keys, let redirectURI):
            let page = pages.pages(for: context.request).confirmation(
                app: app.displayName, provider: providers.displayName(of: provider),
                action: Self.confirmationPath(of: provider), token: token,
                returnsTo: redirectURI)
            var answer = BrowserAnswer.page(.ok, page)
            answer.response.headers += cookie.fields(keys)
            return answer
        }
    }

    /// Back to the app; the key of this sign-in is used up.
    private func finished(_ address: String, _ key: BrowserKey, _ shown: BrowserKeys) -> BrowserAnswer {
        var answer = BrowserAnswer.redirect(to: address)
        var keys = shown
        browser.finish(key, in: &keys)
        answer.response.headers += cookie.fields(keys)
        return answer
    }

    private func failure(
        _ failure: BrowserSignIn.Failure, _ parameters: AuthorizationParameters, _ shown: BrowserKeys,
        _ context: RequestContext
    ) -> BrowserAnswer {
        switch failure {
        case .page(.over):
            return pages.over(browser.wayOn(parameters, browser: shown), context.request)
        case .page(let problem): return pages.failure(problem, context.request)
        case .app(let address, let error):
            context.signIn = .begun
            if error == .locked { return pages.locked(address, context.request) }
            return .redirect(to: address.answer(error), error)
        }
    }

    /// A POST from elsewhere comes without the cookie, even in the browser that began (RFC 6265bis §5.6.7.1). Posted
    /// again by a page of ours it comes with it, if there is one.
    private func resubmission(_ parameters: AuthorizationParameters, _ request: HTTPRequest) -> BrowserAnswer {
        let fields = parameters.all + [(name: BrowserParameter.resubmitted.rawValue, value: "1")]
        return .page(
            .ok,
            pages.pages(for: request).resubmission(action: request.path, fields: fields, script: Self.scriptPath))
    }
}
