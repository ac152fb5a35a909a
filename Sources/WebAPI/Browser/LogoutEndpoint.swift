internal import Apps
internal import HTTPServer
internal import Pages
internal import SignIn

/// `/auth/logout`: an app signs its user out (OpenID Connect RP-Initiated Logout §2).
struct LogoutEndpoint: Sendable {
    static let path = "/auth/logout"
    /// Where providers send browsers back to, below `/auth/{provider}`.
    static let returnSuffix = "/logged-out"
    private static let kept: [BrowserParameter] = [.clientID, .postLogoutRedirectURI, .state, .locales]

    let endSession: EndAppSession
    let pages: BrowserPages

    func respond(_ context: RequestContext) async -> BrowserAnswer {
        do throws(ServiceError) {
            let parameters = try AuthorizationParameters(context.request)
            let outcome = try await endSession.end(
                idTokenHint: parameters[.idTokenHint], clientID: parameters[.clientID],
                returnTo: parameters[.postLogoutRedirectURI], state: parameters[.state],
                isConfirmed: context.request.method == .post && parameters[.confirmed] != nil,
                in: context.call)
            return answer(outcome, parameters, context.request)
        } catch {
            return pages.failure(error, context.request)
        }
    }

    /// `GET /auth/{provider}/logged-out`: comes back from a provider where the user has signed out too.
    func comeBack(_ context: RequestContext) async -> BrowserAnswer {
        do throws(ServiceError) {
            let parameters = try AuthorizationParameters(context.request)
            let outcome = try await endSession.returned(
                with: parameters[.state], from: context.request.parameters["provider"] ?? "")
            return answer(outcome, parameters, context.request)
        } catch .invalidParameter(let problem) {
            return pages.failure(
                .badRequest, .wrongParameter(name: problem.name, sentence: "\(problem.problem)."), context.request)
        } catch {
            return pages.failure(error, context.request)
        }
    }

    private func answer(
        _ outcome: EndAppSession.Outcome, _ parameters: AuthorizationParameters, _ request: HTTPRequest
    ) -> BrowserAnswer {
        let pages = pages.pages(for: request, locales: parameters[.locales])
        switch outcome {
        case .signedOut(let address?): return .redirect(to: address)
        case .signedOut(nil): return .page(.ok, pages.signedOut())
        case .ask(let app):
            let fields = Self.kept.compactMap { name in parameters[name].map { (name: name.rawValue, value: $0) } }
            let address = parameters[.postLogoutRedirectURI]
            let returnsTo = address.flatMap { app?.allows(postLogoutRedirectURI: $0) == true ? $0 : nil }
            return .page(
                .ok,
                pages.signOutQuestion(
                    app: app?.displayName, action: Self.path,
                    fields: fields + [(name: BrowserParameter.confirmed.rawValue, value: "1")],
                    returnsTo: returnsTo))
        }
    }
}
