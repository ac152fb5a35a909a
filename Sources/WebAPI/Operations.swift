internal import Accounts
package import Apps
internal import HTTPServer
package import SignIn

/// The public listener's operations, in the order a reader of the document wants them.
enum Operations {
    /// All there can be.
    ///
    /// - Parameter wings: what wings bring.
    static func all(with wings: APIExtensions) -> [Operation<APIServices>] {
        sessions(with: wings) + user + identities + devices + browser + issuer + wings.all.flatMap(\.operations)
            + service
    }

    private static func sessions(with wings: APIExtensions) -> [Operation<APIServices>] {
        [
            .app(.post, "/auth/signin", SignInDescriptions.signIn) { $0.signIn.respond },
            .app(.post, "/auth/zenkey-signin", SignInDescriptions.zenkeySignIn) { $0.signIn.respond },
            .app(.post, "/auth/challenge", SignInDescriptions.challenge) { $0.challenge.respond },
            .client(.post, "/auth/token", SignInDescriptions.token) { $0.token.grant },
            .tokenOrApp(.delete, "/auth/token", SignInDescriptions.signOut) { $0.token.signOut },
            .client(.post, "/auth/revoke", SignInDescriptions.revoke) { $0.token.revoke },
            .app(.post, "/users", SignInDescriptions.register(with: wings)) { $0.registrationEndpoint.respond },
        ]
    }

    private static let user: [Operation<APIServices>] = [
        .authenticatedUser(.get, "/users/me", needs: .accountRead, UserDescriptions.show) { $0.currentUser.show },
        .user(.patch, "/users/me", needs: .accountWrite, UserDescriptions.edit) { $0.currentUser.edit },
        .user(.delete, "/users/me", needs: .accountErase, UserDescriptions.erase) { $0.currentUser.erase },
        .user(.post, "/users/me/match", needs: .accountRead, UserDescriptions.match) { $0.match.respond },
        .user(.post, "/auth/transaction", needs: .transactions, UserDescriptions.approve) { $0.transaction.respond },
    ]

    private static let identities: [Operation<APIServices>] = [
        .user(.get, "/users/me/identities", needs: .accountRead, UserListDescriptions.listIdentities) {
            $0.identities.list
        },
        .user(.post, "/users/me/identities", needs: .accountIdentities, UserListDescriptions.linkIdentity) {
            $0.identities.add
        },
        .user(
            .post, "/users/me/identities/authorize", needs: .accountIdentities, UserListDescriptions.linkByBrowser
        ) {
            $0.linkByBrowser.begin
        },
        .user(
            .delete, "/users/me/identities/{identity_id}", needs: .accountIdentities,
            UserListDescriptions.unlinkIdentity
        ) {
            $0.identities.remove
        },
        .user(.post, "/users/me/merge", needs: .accountIdentities, UserListDescriptions.merge) { $0.merge.respond },
    ]

    private static let devices: [Operation<APIServices>] = [
        .user(.get, "/users/me/sessions", needs: .accountRead, UserListDescriptions.listSessions) { $0.devices.list },
        .user(.delete, "/users/me/sessions", needs: .accountSessions, UserListDescriptions.revokeSessions) {
            $0.devices.revokeAll
        },
        .user(.delete, "/users/me/sessions/{session_id}", needs: .accountSessions, UserListDescriptions.revokeSession) {
            $0.devices.revoke
        },
    ]

    private static let browser: [Operation<APIServices>] = [
        .browser(.get, AuthorizeEndpoint.path, BrowserDescriptions.authorize) { $0.authorize.respond },
        .browser(.post, AuthorizeEndpoint.path, BrowserDescriptions.authorizeByForm) { $0.authorize.respond },
        .browser(.get, "/auth/{provider}/callback", BrowserDescriptions.callback) { $0.callback.respond },
        .browser(.post, "/auth/{provider}/callback", BrowserDescriptions.callbackByForm) { $0.callback.respond },
        .browser(.post, "/auth/{provider}/confirm", BrowserDescriptions.confirm) { $0.callback.confirm },
        .browser(.get, BrowserSignIn.linkPath, BrowserDescriptions.link) { $0.linkByBrowser.open },
        .everybody(.get, "/auth/{provider}\(LogoEndpoint.suffix)", BrowserDescriptions.logo) {
            LogoEndpoint(providers: $0.code.providers).respond
        },
        .browser(.get, LogoutEndpoint.path, BrowserDescriptions.logout) { $0.logout.respond },
        .browser(.post, LogoutEndpoint.path, BrowserDescriptions.logoutByForm) { $0.logout.respond },
        .browser(.get, "/auth/{provider}\(LogoutEndpoint.returnSuffix)", BrowserDescriptions.loggedOut) {
            $0.logout.comeBack
        },
        .everybody(.get, CallbackEndpoint.scriptPath, BrowserDescriptions.script) { _ in { _ in .resubmissionScript } },
    ]

    private static let issuer: [Operation<APIServices>] = [
        .bearerUser(.get, "/auth/userinfo", needs: .openid, IssuerDescriptions.userinfo) { $0.userinfo.respond },
        .bearerUser(.post, "/auth/userinfo", needs: .openid, IssuerDescriptions.userinfoByPost) {
            $0.userinfo.respond
        },
        .introspector(.post, "/auth/introspect", IssuerDescriptions.introspect) { $0.introspection.respond },
        .everybody(.get, IssuerMetadata.paths[0], IssuerDescriptions.openIDMetadata) { $0.metadata.answer },
        .everybody(.get, IssuerMetadata.paths[1], IssuerDescriptions.oauthMetadata) { $0.metadata.answer },
        .everybody(.get, AssociationFiles.applePath, IssuerDescriptions.appleAssociation) { $0.associationFiles.apple },
        .everybody(.get, AssociationFiles.androidPath, IssuerDescriptions.androidAssociation) {
            $0.associationFiles.android
        },
    ]

    private static let service: [Operation<APIServices>] = [
        .everybody(.get, "/.well-known/jwks.json", OpenDescriptions.keys) { $0.keys },
        .everybody(.get, "/auth/client-jwks.json", OpenDescriptions.clientKeys) { $0.clientKeys },
        .everybody(.get, "/healthz", OpenDescriptions.health) { _ in { _ in .healthy } },
        .everybody(.get, APIDocument.path, OpenDescriptions.document) { $0.documentation.files.document },
        .everybody(.get, APIDocument.pagePath, OpenDescriptions.page) { $0.documentation.files.page },
        .everybody(.get, "/", OpenDescriptions.entrance) { $0.documentation.files.entrance },
    ]
}

/// What the endpoints of one loop are made of.
package struct APIServices: Sendable {
    package let useCases: UseCases
    package let code: CodeParameters
    package let limits: AddressLimits
    /// What use cases of wings are made of.
    package var parts: UseCases.Parts { useCases.parts }
    package let apps: AppRegistry
    package let pages: BrowserPages
    let metadata: IssuerMetadata
    let associationFiles: AssociationFiles
    let documentation: Documentation
    package let admission: Admission
    package let log: RequestLog
    /// What a wing makes of a registration without a ticket.
    let registration: TicketlessRegistration?

    fileprivate var signIn: SignInEndpoint {
        SignInEndpoint(signIn: useCases.signIn, sessions: useCases.sessions, code: code)
    }
    fileprivate var token: TokenEndpoint {
        TokenEndpoint(
            sessions: useCases.sessions, appTokens: useCases.appTokens,
            exchange: TokenExchangeEndpoint(exchange: useCases.exchange, sessions: useCases.sessions, code: code),
            limits: limits)
    }
    package var cookie: BrowserCookie {
        BrowserCookie(
            issuer: useCases.browser.issuer, confirmationSeconds: useCases.browser.limits.confirmationSeconds)
    }
    fileprivate var authorize: AuthorizeEndpoint {
        AuthorizeEndpoint(
            browser: useCases.browser, apps: apps, providers: code.providers, limits: limits, cookie: cookie,
            pages: pages)
    }
    fileprivate var callback: CallbackEndpoint {
        CallbackEndpoint(
            browser: useCases.browser, providers: code.providers, limits: limits, cookie: cookie, pages: pages)
    }
    fileprivate var linkByBrowser: LinkEndpoint {
        LinkEndpoint(
            browser: useCases.browser, providers: code.providers, limits: limits, cookie: cookie, pages: pages)
    }
    fileprivate var logout: LogoutEndpoint { LogoutEndpoint(endSession: useCases.endSession, pages: pages) }
    fileprivate var userinfo: UserinfoEndpoint {
        UserinfoEndpoint(sessions: useCases.sessions, providers: code.providers)
    }
    fileprivate var introspection: IntrospectionEndpoint {
        IntrospectionEndpoint(introspection: useCases.introspection)
    }
    fileprivate var challenge: ChallengeEndpoint {
        ChallengeEndpoint(challenges: useCases.challenges, limits: limits)
    }
    fileprivate var transaction: TransactionEndpoint { TransactionEndpoint(approve: useCases.approve, code: code) }
    fileprivate var registrationEndpoint: RegistrationEndpoint {
        RegistrationEndpoint(
            register: useCases.register, apps: apps, sessions: useCases.sessions, code: code,
            withoutTicket: registration?.handler(self))
    }
    fileprivate var currentUser: CurrentUserEndpoint {
        CurrentUserEndpoint(accounts: useCases.accounts, providers: code.providers)
    }
    fileprivate var identities: IdentitiesEndpoint {
        IdentitiesEndpoint(
            accounts: useCases.accounts, link: useCases.link, linkWithTicket: useCases.linkWithTicket, code: code)
    }
    fileprivate var merge: MergeEndpoint {
        MergeEndpoint(merge: useCases.merge, accounts: useCases.accounts, code: code)
    }
    fileprivate var match: MatchEndpoint { MatchEndpoint(match: useCases.match) }
    fileprivate var devices: SessionsEndpoint { SessionsEndpoint(accounts: useCases.accounts) }

    fileprivate func keys(for request: HTTPRequest) -> HTTPResponse {
        keySet(useCases.sessions.keyDocument, for: request)
    }

    fileprivate func clientKeys(for request: HTTPRequest) -> HTTPResponse {
        keySet(useCases.clientKeys.bytes, for: request)
    }

    private func keySet(_ document: [UInt8], for request: HTTPRequest) -> HTTPResponse {
        var response = HTTPResponse.json(.ok, document)
        response.headers.append((name: "Cache-Control", value: "public, max-age=300"))
        return response.unlessKnown(to: request)
    }
}
