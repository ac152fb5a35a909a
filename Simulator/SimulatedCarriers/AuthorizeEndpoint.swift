internal import Crypto
internal import HTTPServer

/// The authorization endpoint (OpenID Connect Core §3.1.2): a page to sign in with, or an answer at once.
struct AuthorizeEndpoint {
    private static let longCodeBytes = 12_000

    let world: World
    let provider: Provider
    /// Where it is found.
    let path: String
    /// Whose subscribers sign in here, at a dialect that has tenants.
    var tenant: String?

    /// A request as a client makes it: shows the page, or with `prompt=none` and a login hint approves.
    ///
    /// - Parameter session: of the browser, where the issuer keeps those.
    func start(
        _ fields: Fields, _ misbehaviours: [Misbehaviour], _ session: BrowserSessions.Session?
    ) -> HTTPResponse {
        answer(fields, misbehaviours) { request throws(OAuthError) in
            if provider.profile.keepsSessions { return try start(request, fields, misbehaviours, session) }
            guard request.prompts.contains("none") else {
                return SignInPage.response(request, fields, provider, path) {
                    world.subscribers.serves($0.name, provider.issuer)
                }
            }
            guard let subscriber = request.subscriber else {
                throw OAuthError("login_required", "Without a login_hint nobody is signed in.")
            }
            return try approve(request, subscriber, request.scopes, misbehaviours)
        }
    }

    /// At an issuer where browsers stay signed in: somebody who is signed in, or was shown to be on a subscriber's
    /// line, is asked nothing.
    private func start(
        _ request: AuthorizationRequest, _ fields: Fields, _ misbehaviours: [Misbehaviour],
        _ session: BrowserSessions.Session?
    ) throws(OAuthError) -> HTTPResponse {
        if let subscriber = request.lineToken.flatMap({ world.lines.take($0, now: World.now) }) {
            return try begin(request, subscriber, request.scopes, misbehaviours)
        }
        if let session, !request.prompts.contains("login"),
            request.subscriber.map({ $0 == session.subscriber }) ?? true
        {
            return try approve(request, session.subscriber, request.scopes, misbehaviours, session)
        }
        guard !request.prompts.contains("none") else {
            throw OAuthError("login_required", "Nobody is signed in with this browser.")
        }
        return SignInPage.response(request, fields, provider, path) {
            world.subscribers.serves($0.name, provider.issuer)
        }
    }

    /// Approves, and lets the browser stay signed in.
    private func begin(
        _ request: AuthorizationRequest, _ subscriber: Subscriber, _ scopes: Set<String>,
        _ misbehaviours: [Misbehaviour]
    ) throws(OAuthError) -> HTTPResponse {
        let (session, field) = provider.sessions.begin(subscriber, now: World.now)
        var response = try approve(request, subscriber, scopes, misbehaviours, session)
        response.headers.append(field)
        return response
    }

    /// What the page sends: the request again, the subscriber, the scopes consented to, and the decision.
    func decide(_ fields: Fields, _ misbehaviours: [Misbehaviour]) -> HTTPResponse {
        answer(fields, misbehaviours) { request throws(OAuthError) in
            guard fields[SignInPage.decisionField] == SignInPage.approval else {
                throw OAuthError("access_denied", "The subscriber said no.")
            }
            guard let subscriber = provider.subscriber(named: fields[SignInPage.subscriberField] ?? "") else {
                throw OAuthError("user_not_found", "No subscriber has this name.")
            }
            let consented = request.scopes.filter { $0 == "openid" || fields[SignInPage.scopeField($0)] != nil }
            if provider.profile.keepsSessions { return try begin(request, subscriber, consented, misbehaviours) }
            return try approve(request, subscriber, consented, misbehaviours)
        }
    }

    private func answer(
        _ fields: Fields, _ misbehaviours: [Misbehaviour],
        _ body: (AuthorizationRequest) throws(OAuthError) -> HTTPResponse
    ) -> HTTPResponse {
        do throws(AuthorizationRequest.RequestError) {
            let request = try AuthorizationRequest(fields, to: provider, world)
            do throws(OAuthError) {
                return try body(request)
            } catch {
                throw .redirect(request.destination, error: error.code, description: error.description)
            }
        } catch {
            switch error {
            case .page(let sentence): return Page.error(sentence)
            case .redirect(let destination, let code, let description):
                return redirect(
                    destination, [("error", code), ("error_description", description)],
                    misbehaviours + (MisbehaviourPlan(fields["misbehave"] ?? "") ?? .none).misbehaviours(at: .authorize)
                )
            }
        }
    }

    private func approve(
        _ request: AuthorizationRequest, _ subscriber: Subscriber, _ scopes: Set<String>,
        _ misbehaviours: [Misbehaviour], _ session: BrowserSessions.Session? = nil
    ) throws(OAuthError) -> HTTPResponse {
        let misbehaviours = misbehaviours + request.plan.misbehaviours(at: .authorize)
        if let error = misbehaviours.authorization?.error {
            throw OAuthError(error, "The simulation was asked for this error.")
        }
        guard world.subscribers.serves(subscriber.name, provider.issuer) else {
            throw OAuthError("user_not_found", "The subscriber has changed carriers.")
        }
        guard provider.hasCredential(subscriber) else {
            throw OAuthError("access_denied", "No device has a credential of this account.")
        }
        let now = World.now
        let authenticated = session?.begun ?? now
        let grant = Grant(
            id: Random.token(byteCount: 16), session: session?.id, clientID: request.client.id,
            redirectURI: request.destination.redirectURI, subscriber: subscriber, scopes: scopes, nonce: request.nonce,
            level: request.level, context: request.context, correlationID: request.correlationID,
            codeChallenge: request.codeChallenge, authenticationTime: authenticated,
            refreshesUntil: provider.profile.refreshLifetime.map { authenticated + $0 }, algorithm: request.algorithm,
            plan: request.plan, tenant: tenant)
        let bytes = misbehaviours.authorization == .longCode ? Self.longCodeBytes : 0
        var parameters = [(name: "code", value: provider.grants.makeCode(for: grant, bytes: bytes, now: now))]
        if request.destination.isPosted, let user = AppleUser(of: grant, at: provider, now: now) {
            parameters.append(("user", user.text))
        }
        if let mccmnc = provider.profile.mccmnc { parameters.append(("mccmnc", mccmnc)) }
        if let correlationID = request.correlationID { parameters.append(("correlation_id", correlationID)) }
        return redirect(request.destination, parameters, misbehaviours)
    }

    /// Sends the browser back with state and, where the issuer does so, its name (RFC 9207 §2).
    private func redirect(
        _ destination: AuthorizationRequest.Destination, _ parameters: [(name: String, value: String)],
        _ misbehaviours: [Misbehaviour]
    ) -> HTTPResponse {
        var parameters = parameters
        let misbehaviour = misbehaviours.authorization
        if misbehaviour == .wrongState {
            parameters.append(("state", "state-of-another-request"))
        } else if let state = destination.state, misbehaviour != .missingState {
            parameters.append(("state", state))
        }
        if misbehaviour == .wrongIssuer {
            parameters.append(("iss", world.url(provider.issuer) + "/other"))
        } else if provider.profile.answersWithIssuer, misbehaviour != .missingIssuer {
            parameters.append(("iss", world.url(provider.issuer)))
        }
        guard !destination.isPosted else { return SignInPage.answer(parameters, to: destination.redirectURI) }
        var response = HTTPResponse.redirect(to: URLText.adding(parameters, to: destination.redirectURI))
        response.headers += [("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer")]
        return response
    }
}
