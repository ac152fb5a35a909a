internal import Apps
package import HTTPServer
package import Pages
internal import Providers
package import SignIn

/// What a browser gets, and what went wrong, for the log.
package struct BrowserAnswer: Sendable {
    package var response: HTTPResponse
    var error: ServiceError?

    init(_ response: HTTPResponse, _ error: ServiceError? = nil) {
        (self.response, self.error) = (response, error)
    }

    /// On to another address. Always 303: a browser must not post again what it has posted here (RFC 9700 §4.12).
    package static func redirect(to address: String, _ error: ServiceError? = nil) -> BrowserAnswer {
        var answer = BrowserAnswer(.redirect(to: address), error)
        answer.response.headers.append(contentsOf: ownFields)
        return answer
    }

    package static func page(_ status: HTTPStatus, _ page: Page, _ error: ServiceError? = nil) -> BrowserAnswer {
        var answer = BrowserAnswer(HTTPResponse(status: status, headers: ownFields, body: page.html), error)
        answer.response.headers += [
            (name: "Content-Type", value: "text/html; charset=utf-8"),
            (name: "Content-Language", value: page.language.rawValue),
            (name: "Content-Security-Policy", value: page.contentSecurityPolicy),
            (name: "X-Content-Type-Options", value: "nosniff"), (name: "Referrer-Policy", value: "no-referrer"),
            // For browsers that do not know `frame-ancestors` (RFC 9700 §4.16).
            (name: "X-Frame-Options", value: "DENY"),
        ]
        // A page has a policy of its own, which lets it have a style.
        answer.response.hasCommonFields = false
        // It may hold a token beside what others have chosen.
        answer.response.isCompressible = false
        return answer
    }

    /// Nothing on the way may keep what has a code or a state in it.
    private static let ownFields = [(name: "Cache-Control", value: "no-store")]
}

extension HTTPResponse {
    static var resubmissionScript: HTTPResponse {
        HTTPResponse(
            status: .ok,
            headers: [
                (name: "Content-Type", value: "text/javascript"),
                (name: "Cache-Control", value: "public, max-age=86400"),
            ], body: Pages.resubmissionScript)
    }
}

/// The pages in their reader's language.
package struct BrowserPages: Sendable {
    let branding: Branding
    /// Whether there is a page on which people take back what they have agreed to.
    let canBeTakenBack: Bool

    package func pages(for request: HTTPRequest, locales: String? = nil) -> Pages {
        Pages(
            branding: branding,
            language: PageLanguage(locales: locales, acceptLanguage: request.header("accept-language")))
    }

    /// The question whether the app is the one that its user has just used.
    ///
    /// - Parameter kept: what goes on to the provider and that the page keeps in the meantime.
    func question(
        of app: AppDescription, _ providers: [ProviderChoice], _ token: String, _ request: HTTPRequest,
        locales: String? = nil, kept: [(name: String, value: String)] = []
    ) -> BrowserAnswer {
        let page = pages(for: request, locales: locales).appConfirmation(
            app: app, providers: providers,
            fields: [(name: BrowserParameter.token.rawValue, value: token)] + kept)
        return .page(.ok, page)
    }

    /// The question whether the user wants one more way to sign in.
    func link(
        _ question: BrowserSignIn.LinkQuestion, _ provider: ProviderChoice, _ request: HTTPRequest
    ) -> BrowserAnswer {
        .page(
            .ok,
            pages(for: request).link(
                app: question.address.app.displayName, account: question.name, provider: provider,
                fields: [(name: BrowserParameter.token.rawValue, value: question.token)]))
    }

    /// The question whether an app may have what it asks for.
    ///
    /// - Parameter provider: that the user has come back from.
    func consent(
        to app: AppDescription, at address: AppAddress, _ provider: String, _ token: String, _ request: HTTPRequest
    ) -> BrowserAnswer {
        .page(
            .ok,
            pages(for: request).consent(
                app: app, action: CallbackEndpoint.confirmationPath(of: provider),
                fields: [(name: BrowserParameter.token.rawValue, value: token)],
                refusal: (name: BrowserParameter.declined.rawValue, value: "1"), canBeTakenBack: canBeTakenBack,
                returnsTo: address.redirectURI))
    }

    /// A page that says what went wrong.
    package func failure(
        _ status: HTTPStatus, _ problem: Problem, _ request: HTTPRequest, _ error: ServiceError? = nil
    ) -> BrowserAnswer {
        .page(status, pages(for: request).failure(problem, reference: request.id), error)
    }

    /// The same for what ended a sign-in that has no app to go back to.
    func failure(_ problem: BrowserSignIn.PageProblem, _ request: HTTPRequest) -> BrowserAnswer {
        switch problem {
        case .malformed(let parameter):
            failure(
                .badRequest, .wrongParameter(name: parameter, sentence: "missing, repeated, too long, or with a NUL."),
                request)
        case .over: failure(.badRequest, .expired, request)
        case .otherBrowser: failure(.forbidden, .anotherBrowser, request)
        case .service(let error): failure(error, request)
        }
    }

    /// What somebody reads who comes back to a sign-in that is over, with the way on where their browser knows it.
    func over(_ wayOn: WayOn?, _ request: HTTPRequest) -> BrowserAnswer {
        guard let wayOn else { return failure(.over, request) }
        let page = pages(for: request).failure(
            .over(app: wayOn.app), goOn: wayOn.address.map { (app: wayOn.app, address: $0) }, reference: request.id)
        return .page(.badRequest, page)
    }

    /// What somebody who is locked reads, with the way back to the app, which learns that it is denied.
    func locked(_ app: AppAddress, _ request: HTTPRequest) -> BrowserAnswer {
        let error = ServiceError.locked
        let page = pages(for: request).failure(
            .locked(app: app.app.displayName), goOn: (app: app.app.displayName, address: app.answer(error)),
            reference: request.id)
        return .page(HTTPStatus(ErrorAnswer(error).status.code), page, error)
    }

    package func failure(_ error: ServiceError, _ request: HTTPRequest) -> BrowserAnswer {
        let answer = ErrorAnswer(error)
        let problem: Problem =
            switch error {
            case .rateLimited, .overloaded: .busy
            case .invalidRequest(let sentence): .wrongParameter(name: "request", sentence: sentence)
            default: .unexpected
            }
        var page = failure(answer.status, problem, request, error)
        page.response.headers += answer.headers.filter { $0.name == "Retry-After" }
        return page
    }
}

extension AppAddress {
    /// The address with an error of ours (RFC 6749 §4.1.2.1), in the words that the API has for it.
    func answer(_ error: ServiceError) -> String {
        let answer = ErrorAnswer(error)
        // A redirect has no member for the reason.
        let sentence = answer.reason.map { "The provider's ID token breaks a rule (\($0))." } ?? answer.sentence
        return self.answer(error: Self.code(of: error), description: sentence)
    }

    /// What an OAuth client understands of an error.
    private static func code(of error: ServiceError) -> String {
        switch error {
        case .accessDenied, .unlinked, .locked, .identityInUse, .identityTooNew: "access_denied"
        // It began before an end of the user's sessions: another one is as good as the first.
        case .insufficientAuthentication: "login_required"
        case .authenticationTimedOut: AuthorizationRefusal.authenticationTimedOut.rawValue
        case .authorizationRefused(.requestFault): "server_error"
        case .authorizationRefused(.requestDenied): "access_denied"
        case .authorizationRefused(let refusal): refusal.rawValue
        case .invalidIDToken(.acr), .invalidIDToken(.authenticationTime):
            AuthorizationRefusal.unmetAuthenticationRequirements.rawValue
        case .invalidRequest, .invalidParameter, .unknownProvider: "invalid_request"
        case .rateLimited, .providerUnavailable, .providerCircuitOpen, .providerBusy, .providerTimeout, .overloaded,
            .storageUnavailable:
            "temporarily_unavailable"
        default: "server_error"
        }
    }
}
