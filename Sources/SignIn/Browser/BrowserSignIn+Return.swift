internal import Accounts
internal import Apps
public import Providers
internal import Syntax
internal import System

/// What a provider, or the page where users choose a carrier, sends back with the browser.
public struct ProviderAnswer: Sendable {
    let handle: PendingHandle
    let code: String?
    /// Why there is no code, in the provider's words.
    let error: String?
    /// RFC 9207.
    let issuer: String?
    let network: MobileNetwork?
    let loginHintToken: String?
    /// What the user is called, by what the browser says and nobody else; Apple puts it into the form it answers by,
    /// once.
    let name: SelfAssertedName?

    /// - Throws: `BrowserSignIn.PageProblem.malformed` for what is no answer.
    public init(_ parameters: AuthorizationParameters) throws(BrowserSignIn.Failure) {
        if let name = parameters.unusable.sorted().first { throw .page(.malformed(parameter: name)) }
        guard let state = parameters[.state] else { throw .page(.malformed(parameter: "state")) }
        // What was never a state is as unknown as one that is over.
        guard let handle = PendingHandle(state) else { throw .page(.over) }
        self.handle = handle
        code = parameters[.code]
        error = parameters[.error]
        issuer = parameters[.issuer]
        network = parameters[.mccmnc].flatMap { MobileNetwork($0) }
        loginHintToken = parameters[.loginHintToken]
        name = parameters[.user].flatMap(SelfAssertedName.init(apple:))
        if code == nil, error == nil, network == nil { throw .page(.malformed(parameter: "code")) }
    }

    /// Why there is no code; nil where there is no reason.
    func refusal(in dialect: Dialect) -> AuthorizationRefusal? { error.map { dialect.authorizationRefusal($0) } }
}

extension BrowserSignIn {
    /// Goes on with a sign-in whose browser has come back.
    ///
    /// - Parameters:
    ///   - provider: at whose address it came back: what was begun with another is not finished there (RFC 9700
    ///     §4.4.2).
    ///   - browser: what it shows; nil when it shows nothing, as another browser does that was never here.
    public func returned(
        _ answer: ProviderAnswer, from provider: Provider, browser: BrowserKeys?, userAgent: String?,
        in call: CallContext
    ) async throws(Failure) -> Step {
        let (row, request) = try await pending(answer.handle)
        call.correlationID = request.correlationID
        guard request.provider.isExactly(provider.configuration.name) else { throw .page(.over) }
        guard let address = request.address(apps, issuer: issuer.text) else { throw .page(.over) }
        guard let browser else { return try await askHere(answer, request, address, row.network) }
        guard let key = browser.key(row.browser) else { throw .page(.otherBrowser) }
        do throws(ServiceError) {
            if let next = goingOn(request, answer, provider) {
                return .goOn(to: try await send(next, to: provider, key, row.network, instead: answer.handle, call))
            }
            guard try await end(answer.handle) else { throw ServiceError.notFound }
            if let refusal = answer.refusal(in: provider.dialect) {
                call.note(told: PrintableName(answer.error ?? ""))
                throw .authorizationRefused(refusal)
            }
            return try await finish(request, answer, address, provider, key, row.network, userAgent, call)
        } catch .notFound {
            throw .page(.over)
        } catch .invalidIDToken(.authenticationTime) where request.confirmation == .earlier {
            return try await askAgain(request, address, key, row.network)
        } catch {
            throw .app(address, error)
        }
    }

    func pending(_ handle: PendingHandle) async throws(Failure) -> (PendingSignIn, PendingRequest) {
        let now = clock.seconds
        let row: PendingSignIn?
        do throws(ServiceError) {
            row = try await stored { () throws(RepositoryError) in
                try await repository.pendingSignIn(handle.hash, now: now)
            }
        } catch {
            throw .page(.service(error))
        }
        guard let row, var request = handle.open(row.content) else { throw .page(.over) }
        // The row of an earlier version is as old as the request.
        if request.sentAt == nil { request.sentAt = row.expiresAt - Self.lifetimeSeconds }
        if request.begunAt == nil { request.begunAt = (row.expiresAt - Self.lifetimeSeconds) * 1000 }
        return (row, request)
    }

    func end(_ handle: PendingHandle) async throws(ServiceError) -> Bool {
        let now = clock.seconds
        return try await stored { () throws(RepositoryError) in
            try await repository.endPendingSignIn(handle.hash, now: now)
        }
    }

    /// The request that the browser is sent on with: to the chosen carrier, or to choose another one, since the first
    /// does not know the user any more.
    private func goingOn(
        _ request: PendingRequest, _ answer: ProviderAnswer, _ provider: Provider
    ) -> PendingRequest? {
        var next = request
        switch request.stage {
        case .choosingCarrier:
            guard answer.error == nil, let network = answer.network else { return nil }
            next.carried.network = network
            if let token = answer.loginHintToken { next.carried["login_hint_token"] = token }
            return next
        case .signingIn:
            guard answer.refusal(in: provider.dialect) == .userNotFound, provider.takesPortTokens,
                !request.hasChosenAgain
            else { return nil }
            next.carried.network = nil
            next.carried["login_hint_token"] = nil
            next.hasChosenAgain = true
            next.stage = .choosingCarrier
            return next
        case .unopened, .asking, .confirming, .consenting: return nil
        }
    }

    /// - Parameter answer: nil where it was remembered.
    func finish(
        _ request: PendingRequest, _ answer: ProviderAnswer?, _ address: AppAddress, _ provider: Provider,
        _ browser: BrowserKey, _ network: NetworkHash, _ userAgent: String?, _ call: CallContext
    ) async throws(ServiceError) -> Step {
        guard
            let response = AuthorizedResponse(
                request, answer, mode: provider.configuration.responseMode, callback: callback(request.provider))
        else { throw .notFound }
        if let session = request.linking {
            let identity = try await link(response, with: provider, to: session, since: request.begunAt, call)
            return .linked(to: address.answer(linked: identity), by: browser)
        }
        let grant = AppGrant(request, for: address.app)
        let (signedIn, session): (SignedIn, NewSession)
        do throws(ServiceError) {
            (signedIn, session) = try await signIn.signIn(
                response, with: provider, for: grant, userAgent: userAgent, in: call)
        } catch .unlinked(let ticket) {
            // To register takes the user.
            if request.carried.isSilent { throw .unlinked(ticket) }
            // Until they have agreed, the app may not know who they are. There is nobody yet whose agreement could be
            // kept, so they are asked as for an app that can be imitated, and go to the provider once more.
            if grant.asksForConsent {
                return .ask(
                    address, request.permissions, providers: [request.provider],
                    token: try await ask(request, browser, network))
            }
            try await leave(ticket, for: grant, browser, network)
            return .unlinked(to: address.answer(code: grant.code), by: browser)
        }
        if signedIn.lacksConsent {
            let token = try await askForConsent(request, to: session.id, grant.code, browser, network)
            return .askForConsent(
                address, Permissions(scope: session.scope ?? ""), signedIn, provider: request.provider, token: token)
        }
        return .finished(to: address.answer(code: grant.code), signedIn, by: browser)
    }
}

extension AuthorizedResponse {
    /// The answer to a request of our own making: everything but the code and the user's name is what was remembered of
    /// it.
    ///
    /// - Parameters:
    ///   - answer: nil where it was remembered too.
    ///   - mode: a name comes in a form; in an address anybody can have written it.
    ///   - callback: where it came back.
    fileprivate init?(_ request: PendingRequest, _ answer: ProviderAnswer?, mode: ResponseMode, callback: String) {
        switch request.stage {
        case .unopened, .asking, .choosingCarrier, .consenting: return nil
        case .signingIn(let issuer, let nonce, let codeVerifier):
            guard let answer, let code = answer.code else { return nil }
            let name = mode == .formPost ? answer.name : nil
            self.init(request, code, name, issuer, nonce, codeVerifier, answer.issuer, callback)
        case .confirming(let issuer, let nonce, let codeVerifier, let code, let toldIssuer):
            self.init(request, code, nil, issuer, nonce, codeVerifier, toldIssuer, callback)
        }
    }

    private init(
        _ request: PendingRequest, _ code: String, _ name: SelfAssertedName?, _ expectedIssuer: String,
        _ nonce: String, _ codeVerifier: String?, _ toldIssuer: String?, _ callback: String
    ) {
        self.init(
            proof: .code(code), clientID: nil, name: name, redirectURI: callback, issuer: toldIssuer,
            network: request.carried.network,
            codeVerifier: codeVerifier, nonce: nonce, acrValues: request.carried["acr_values"],
            correlationID: request.correlationID, context: request.carried["context"], sdkVersion: nil,
            expectedIssuer: expectedIssuer, sentAt: request.sentAt,
            begunAt: request.begunAt, maximumAgeSeconds: request.carried.maximumAgeSeconds,
            loginAskedAt: request.carried.asksForLogin ? request.sentAt : nil,
            mustAuthenticate: request.confirmation == .earlier)
    }
}
