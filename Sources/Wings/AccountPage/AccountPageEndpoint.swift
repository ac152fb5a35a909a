internal import Accounts
internal import Apps
internal import Crypto
internal import HTTPServer
internal import Pages
internal import Providers
internal import SignIn
internal import Syntax
internal import System
internal import WebAPI

/// `/account`: where people see where they are signed in and what apps may do, and end it. They sign in to it as to an
/// app of ours, by the browser's sign-in; nothing here takes a token.
///
/// What is done takes the same proof as at the API (``UserAccounts``), in the same transaction.
struct AccountPageEndpoint: Sendable {
    static let path = "/account"

    static let operations: [Operation<APIServices>] = [
        .browser(.get, path, AccountPageDescriptions.show) { AccountPageEndpoint($0).show },
        .browser(.post, path, AccountPageDescriptions.end) { AccountPageEndpoint($0).act },
    ]

    let services: APIServices

    init(_ services: APIServices) {
        self.services = services
    }

    private var visits: AccountVisits { AccountVisits(repository: services.parts.repository) }
    private var accounts: UserAccounts { services.useCases.accounts }
    private var providers: ProviderRegistry { services.parts.providers }
    private var now: Int64 { services.parts.clock.seconds }

    /// The page, or the way to it.
    func show(_ context: RequestContext) async -> BrowserAnswer {
        do throws(ServiceError) {
            try services.limits.count(context.network, as: .authorizations)
            let parameters = try AuthorizationParameters(context.request)
            if let state = parameters[.state] { return try await comeBack(parameters, with: state, context) }
            if let name = parameters[.provider] {
                return try await begin(at: name, again: parameters[.prompt] == "login", context)
            }
            guard let (key, session) = try await visit(context) else { return signIn(.ok, context) }
            return try await overview(session, key, context)
        } catch {
            return services.pages.failure(error, context.request)
        }
    }

    /// One of its forms.
    func act(_ context: RequestContext) async -> BrowserAnswer {
        do throws(ServiceError) {
            try services.limits.count(context.network, as: .authorizations)
            let form = try AccountForm(context.request)
            // Its page has stood open for too long, or was never open here.
            guard let (key, session) = try await visit(context) else { return signIn(.forbidden, context) }
            guard Self.isOurs(context.request), key.accepts(formToken: form.token) else {
                return services.pages.failure(.forbidden, .anotherBrowser, context.request)
            }
            AuditContext.current?.use(session)
            return try await end(form.act, session, context)
        } catch .insufficientAuthentication {
            return proveAgain(context)
        } catch .identityTooNew {
            return .page(.forbidden, services.pages.pages(for: context.request).accountIdentityTooNew(back: Self.path))
        } catch {
            return services.pages.failure(error, context.request)
        }
    }

    /// Whether a browser that tells where a request comes from says that it is a page of ours (Fetch Metadata §2.4).
    /// Forms of ours have no origin of their own, since their pages send no referrer.
    private static func isOurs(_ request: HTTPRequest) -> Bool {
        request.header("sec-fetch-site").map { $0 == "same-origin" } ?? true
    }

    private func end(
        _ act: AccountForm.Act, _ session: Session, _ context: RequestContext
    ) async throws(ServiceError) -> BrowserAnswer {
        let pages = services.pages.pages(for: context.request)
        switch act {
        case .session(let id):
            // What is over already, or somebody else's, is not told apart.
            do throws(ServiceError) { try await accounts.revoke(id, under: session) } catch .notFound {}
            if id == session.id { return .page(.ok, pages.signedOut()) }
        case .app(let client): _ = try await accounts.revoke(ofApp: client, isWithdrawn: false, under: session)
        case .consent(let client): _ = try await accounts.revoke(ofApp: client, isWithdrawn: true, under: session)
        case .everything:
            _ = try await accounts.revokeAll(under: session)
            return .page(.ok, pages.signedOut())
        }
        // What the browser loads again, or goes back to, does nothing again.
        return .redirect(to: address)
    }

    private func visit(
        _ context: RequestContext
    ) async throws(ServiceError) -> (key: AccountKey, session: Session)? {
        guard let key = key(in: context.request), let session = try await visits.session(of: key, now: now) else {
            return nil
        }
        return (key, session)
    }

    private func overview(
        _ session: Session, _ key: AccountKey, _ context: RequestContext
    ) async throws(ServiceError) -> BrowserAnswer {
        let overview = AccountOverview(
            try await accounts.sessions(under: session), try await accounts.consents(under: session), of: session,
            apps: services.apps, providers: providers, sessions: services.useCases.sessions)
        return .page(
            .ok,
            services.pages.pages(for: context.request).account(overview, action: Self.path, token: key.formToken))
    }

    private func signIn(_ status: HTTPStatus, wasRefused: Bool = false, _ context: RequestContext) -> BrowserAnswer {
        let choices = providers.offer(providers.all) { "\(Self.path)?provider=\($0.configuration.name)" }
        return .page(
            status,
            services.pages.pages(for: context.request).accountSignIn(providers: choices, wasRefused: wasRefused))
    }

    /// Somebody who is signed in by what the provider remembered of them has not shown that they are there.
    private func proveAgain(_ context: RequestContext) -> BrowserAnswer {
        let choices = providers.offer(providers.all) {
            "\(Self.path)?provider=\($0.configuration.name)&prompt=login"
        }
        return .page(.forbidden, services.pages.pages(for: context.request).accountProof(providers: choices))
    }

    // MARK: The way in

    private var address: String { services.useCases.browser.issuer.address(Self.path) }

    private func begin(
        at name: String, again: Bool, _ context: RequestContext
    ) async throws(ServiceError) -> BrowserAnswer {
        guard let provider = providers.provider(named: name) else { return signIn(.badRequest, context) }
        let browser = services.useCases.browser
        let key = AccountKey()
        let app = RegisteredApp.accountPageName
        let parameters = AuthorizationParameters(
            [
                ("client_id", app), ("redirect_uri", address), ("response_type", "code"), ("state", key.state),
                ("scope", "\(Permission.accountRead.rawValue) \(Permission.accountSessions.rawValue)"),
                ("code_challenge", key.codeChallenge), ("code_challenge_method", "S256"),
            ] + (again ? [("prompt", "login")] : []))
        guard
            let appAddress = try? AppAddress(parameters, apps: services.apps, issuer: browser.issuer.text),
            let request = try? browser.request(parameters, to: appAddress)
        else { return services.pages.failure(.badRequest, .unknownApp, context.request) }
        var keys = services.cookie.keys(in: context.request)
        let browserKey = browser.beginKey(in: &keys, for: appAddress)
        var answer = BrowserAnswer.redirect(
            to: try await browser.begin(
                request, with: provider, browser: browserKey, of: context.network.base, hasConfirmed: false,
                in: context.call))
        answer.response.headers += services.cookie.fields(keys) + [field(key)]
        return answer
    }

    /// The browser comes back from its sign-in.
    private func comeBack(
        _ parameters: AuthorizationParameters, with state: String, _ context: RequestContext
    ) async throws(ServiceError) -> BrowserAnswer {
        // Somebody else's sign-in is not finished here.
        guard let key = key(in: context.request), key.isOwn(state: state) else {
            return services.pages.failure(.forbidden, .anotherBrowser, context.request)
        }
        guard let code = parameters[.code] else { return signIn(.ok, wasRefused: true, context) }
        let now = now
        context.call.correlationID = AppTokens.correlationID(of: code)
        let redemption = AppCodeRedemption(
            code: TokenHash(sha256: code), client: RegisteredApp.accountPageName, redirectURI: address,
            codeChallenge: key.codeChallenge, sessionExpiresAt: now + AccountVisits.lifetimeSeconds,
            rememberedUntil: now + AccountVisits.lifetimeSeconds,
            // A browser that comes back again begins anew.
            request: RequestDigest(of: Random.bytes(RequestDigest.byteCount)), replaces: nil, now: now)
        let outcome = try await stored { () throws(RepositoryError) in
            try await services.parts.repository.redeem(redemption)
        }
        guard case .redeemed(let session, _) = outcome else {
            return services.pages.failure(.badRequest, .expired, context.request)
        }
        let next = AccountKey()
        try await visits.open(next, of: session.id, now: now)
        // Without the code in its address.
        var answer = BrowserAnswer.redirect(to: address)
        answer.response.headers.append(field(next))
        return answer
    }

    private static let cookieSuffix = "-account"

    private func key(in request: HTTPRequest) -> AccountKey? {
        services.cookie.value(Self.cookieSuffix, in: request).flatMap { AccountKey($0) }
    }

    private func field(_ key: AccountKey) -> (name: String, value: String) {
        services.cookie.field(Self.cookieSuffix, key.text, seconds: AccountVisits.lifetimeSeconds)
    }
}
