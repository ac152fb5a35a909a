import Accounts
import HTTPClient
import JSON
import Providers
import SignIn
import Syntax
import TestSupport
import Testing
import Wings

extension SignInStage {
    func subjectToken(_ text: String, _ changes: [String: String] = [:]) throws -> SubjectToken {
        let parameters = [
            "subject_token": text, "subject_token_type": SubjectToken.accessTokenType,
        ].merging(changes) { $1 }
        return try SubjectToken({ parameters[$0.rawValue] })
    }

    func exchange(_ token: String, _ changes: [String: String] = [:]) async throws -> SignInWithProvider.Outcome {
        let (token, call) = (try subjectToken(token, changes), CallContext.unobserved)
        // As who has read the request does.
        call.correlationID = token.correlationID
        return try await useCases.exchange.signIn(token, with: provider, userAgent: "App/1.0", replacing: nil, in: call)
    }

    /// Why an exchange fails; nil when it does not.
    func refusal(ofToken token: String) async throws -> ServiceError? {
        let token = try subjectToken(token)
        do throws(ServiceError) {
            _ = try await useCases.exchange.signIn(
                token, with: provider, userAgent: nil, replacing: nil, in: .unobserved)
            return nil
        } catch {
            return error
        }
    }

    var userCount: Int {
        get async throws { try await repository.auditEvents(after: 0, limit: .max, user: nil).count }
    }
}

@Suite struct `An access token in the place of a code` {
    private static let rules = [TokenExchange(.introspection), TokenExchange(.jwt)]

    private func token(_ stage: SignInStage) throws -> String {
        stage.provider.configuration.tokenExchange?.rule == .jwt ? try stage.carrier.accessToken() : "opaque"
    }

    @Test(arguments: rules) func `signs its user in, and the same one again`(rule: TokenExchange) async throws {
        let stage = try await SignInStage.exchanging(rule)
        let token = try token(stage)
        let first = try await stage.exchange(token)
        #expect(first.signedIn.isNewUser && !first.signedIn.migrated)
        #expect(first.signedIn.profile.carrier.name == "Jane Doe")
        #expect(first.authentication == Authentication(acr: nil, amr: [], time: nil))
        let identity = try #require(try await stage.repository.identities(of: first.signedIn.user).first)
        #expect(identity.subject == Subject(issuer: stage.carrier.issuer, value: "310260-subject"))
        // It is no one-time thing: each time there is another session.
        let second = try await stage.exchange(token)
        #expect(second.signedIn.user == first.signedIn.user && !second.signedIn.isNewUser)
        let sessions = [
            try await stage.sessions.principal(of: first.tokens.accessToken).session,
            try await stage.sessions.principal(of: second.tokens.accessToken).session,
        ]
        #expect(sessions[0].id != sessions[1].id && sessions[0].provider == "openid")
        #expect(sessions[0].client == stage.carrier.clientID && sessions[0].scope == nil)
        _ = try await stage.sessions.refresh(second.tokens.refreshToken)
    }

    @Test(arguments: rules) func `is the user's who signs in with a code`(rule: TokenExchange) async throws {
        let stage = try await SignInStage.exchanging(rule)
        let posted = try await stage.signIn(["mccmnc": ""])
        #expect(try await stage.exchange(token(stage)).signedIn.user == posted.signedIn.user)
    }

    @Test func `is shown to the provider with our credentials, once, and to userinfo after that`() async throws {
        let stage = try await SignInStage.exchanging(TokenExchange(.introspection))
        _ = try await stage.exchange("opaque+/=", ["correlation_id": "abc-1"])
        #expect(
            stage.transport.requests.map(\.address) == [
                stage.carrier.metadataURL, stage.carrier.introspectionEndpoint, stage.carrier.userinfoEndpoint,
            ])
        let asked = try #require(stage.introspections.first)
        #expect(asked.bodyText == "token=opaque%2B%2F%3D&token_type_hint=access_token")
        #expect(asked.header("Authorization")?.hasPrefix("Basic ") == true && !asked.url.text.contains("opaque"))
        let userinfo = try #require(stage.transport.requests.last)
        #expect(userinfo.header("Authorization") == "Bearer opaque+/=" && userinfo.query == "correlation_id=abc-1")
    }

    @Test func `is not asked about where it says by itself whose it is`() async throws {
        let stage = try await SignInStage.exchanging(TokenExchange(.jwt))
        _ = try await stage.exchange(try stage.carrier.accessToken())
        #expect(stage.introspections.isEmpty)
        #expect(stage.transport.requests(to: stage.carrier.keysEndpoint).count == 1)
    }

    @Test func `that proves nothing is tried in no other way`() async throws {
        let opaque = try await SignInStage.exchanging(TokenExchange(.jwt))
        #expect(try await opaque.refusal(ofToken: "opaque") == .invalidSubjectToken(.malformed))
        #expect(opaque.transport.requests.isEmpty)
        let asked = try await SignInStage.exchanging(TokenExchange(.introspection))
        asked.answerIntrospection { $0[setting: "active"] = false }
        #expect(try await asked.refusal(ofToken: asked.carrier.accessToken()) == .invalidSubjectToken(.active))
        #expect(asked.transport.requests(to: asked.carrier.userinfoEndpoint).isEmpty)
        #expect(asked.transport.requests(to: asked.carrier.keysEndpoint).isEmpty)
    }

    @Test func `of another client signs nobody in, though userinfo takes it`() async throws {
        let asked = try await SignInStage.exchanging(TokenExchange(.introspection))
        asked.answerIntrospection {
            $0[setting: "aud"] = "another-client"
            $0[setting: "client_id"] = "another-client"
        }
        #expect(try await asked.refusal(ofToken: "stolen") == .invalidSubjectToken(.audience))
        let signed = try await SignInStage.exchanging(TokenExchange(.jwt))
        let stolen = try signed.carrier.accessToken { $0.claims[setting: "aud"] = "another-client" }
        #expect(try await signed.refusal(ofToken: stolen) == .invalidSubjectToken(.audience))
        for stage in [asked, signed] {
            #expect(stage.transport.requests(to: stage.carrier.userinfoEndpoint).isEmpty)
            #expect(try await stage.userCount == 0)
        }
    }

    @Test(arguments: rules) func `is never an ID token`(rule: TokenExchange) async throws {
        let stage = try await SignInStage.exchanging(rule)
        for hash in [nil, "hash"] as [JSONValue?] {
            let idToken = try stage.carrier.idToken { $0.claims[setting: "at_hash"] = hash }
            #expect(try await stage.refusal(ofToken: idToken) == .invalidSubjectToken(.type))
        }
        // Nobody is shown it.
        #expect(stage.transport.requests.isEmpty)
    }

    @Test func `proves nothing where only userinfo could be asked`() async throws {
        let stage = try await SignInStage.exchanging(TokenExchange(.introspection))
        stage.transport.answer(stage.carrier.metadataURL, json: stage.carrier.metadata)
        let problem = ProviderProblem(.discovery, .invalidMember("introspection_endpoint"))
        #expect(try await stage.refusal(ofToken: "opaque") == .providerError(problem))
        #expect(stage.transport.requests(to: stage.carrier.userinfoEndpoint).isEmpty)
    }

    @Test func `is no fault of the app's where the provider refuses our credentials`() async throws {
        let stage = try await SignInStage.exchanging(TokenExchange(.introspection))
        let endpoint = stage.carrier.introspectionEndpoint
        stage.transport.answer(endpoint, .json(["error": "invalid_client"], status: 401))
        #expect(
            try await stage.refusal(ofToken: "opaque")
                == .providerError(ProviderProblem(.introspection, .refused(.clientFault("invalid_client")))))
        stage.transport.answer(endpoint, .page(status: 401))
        #expect(
            try await stage.refusal(ofToken: "opaque")
                == .providerError(ProviderProblem(.introspection, .status(401))))
        stage.transport.fail(endpoint, .timedOut(requestSent: true))
        #expect(try await stage.refusal(ofToken: "opaque") == .providerTimeout)
        stage.transport.fail(endpoint, .couldNotConnect)
        #expect(try await stage.refusal(ofToken: "opaque") == .providerUnavailable)
        #expect(stage.introspections.count == 4, "an assertion is good for one request")
    }

    @Test(arguments: rules) func `is not about another user than userinfo`(rule: TokenExchange) async throws {
        let stage = try await SignInStage.exchanging(rule)
        for userinfo in [["sub": "another"], ["name": "Jane"]] as [JSONValue] {
            stage.answerUserinfo(userinfo)
            #expect(try await stage.refusal(ofToken: token(stage)) == .userinfoMismatch)
        }
        #expect(try await stage.userCount == 0)
    }

    @Test(arguments: [401, 403]) func `that userinfo does not take is refused`(status: Int) async throws {
        let stage = try await SignInStage.exchanging(TokenExchange(.jwt))
        stage.transport.answer(stage.carrier.userinfoEndpoint, .page(status: status))
        #expect(try await stage.refusal(ofToken: token(stage)) == .invalidSubjectToken(.userinfo))
        stage.transport.answer(stage.carrier.userinfoEndpoint, .page(status: 500))
        #expect(
            try await stage.refusal(ofToken: token(stage))
                == .providerError(ProviderProblem(.userinfo, .status(500))))
    }

    @Test(arguments: rules) func `gives attributes from userinfo alone`(rule: TokenExchange) async throws {
        let stage = try await SignInStage.exchanging(rule) {
            $0.userinfo = .never
            $0.claims = ["roles"]
        }
        stage.answerIntrospection {
            $0[setting: "email"] = "forged@example.com"
            $0[setting: "roles"] = ["admin"]
        }
        let token =
            rule.rule == .jwt
            ? try stage.carrier.accessToken {
                $0.claims[setting: "email"] = "forged@example.com"
                $0.claims[setting: "roles"] = ["admin"]
            } : "opaque"
        let outcome = try await stage.exchange(token)
        #expect(outcome.signedIn.profile.carrier.email == nil)
        #expect(outcome.signedIn.profile.claims(of: "openid").members.isEmpty)
        #expect(stage.transport.requests(to: stage.carrier.userinfoEndpoint).isEmpty)
    }

    @Test(arguments: rules) func `shows the level that the provider's section demands`(rule: TokenExchange) async throws
    {
        let stage = try await SignInStage.exchanging(rule) { $0.minimumACR = RequiredAuthentication(values: "a2") }
        #expect(try await stage.refusal(ofToken: token(stage)) == .invalidSubjectToken(.acr))
        stage.answerIntrospection { $0[setting: "acr"] = "aal3" }
        let strong = rule.rule == .jwt ? try stage.carrier.accessToken { $0.claims[setting: "acr"] = "aal3" } : "opaque"
        #expect(try await stage.exchange(strong).authentication.acr == "a3")
    }

    @Test func `registers nobody where registration is by ticket`() async throws {
        let stage = try await SignInStage.exchanging(TokenExchange(.introspection), registration: .ticket)
        guard case .unlinked(let ticket) = try await stage.refusal(ofToken: "opaque") else {
            Issue.record("there is no ticket")
            return
        }
        #expect(ticket.attributes.name == "Jane Doe")
        let tokens = try await stage.useCases.register.register(
            ticket.text, clientID: nil, by: nil, profile: Attributes(), userAgent: nil, replacing: nil,
            as: Sample.request()
        ).tokens
        let session = try await stage.sessions.principal(of: tokens.accessToken).session
        #expect(session.authenticatedAt == Session.neverAuthenticated)
        #expect(try await stage.exchange("opaque").signedIn.user == session.user)
    }

    @Test func `is stored under the present name of its issuer`() async throws {
        let stage = try await SignInStage.exchanging(TokenExchange(.introspection)) {
            $0.issuerAliases = ["https://carrier.example": "https://renamed.example"]
        }
        let user = try await stage.exchange("opaque").signedIn.user
        let identity = try #require(try await stage.repository.identities(of: user).first)
        #expect(identity.subject == Subject(issuer: "https://renamed.example", value: "310260-subject"))
    }

    @Test func `opens a session that ends with the provider's own`() async throws {
        let stage = try await SignInStage.exchanging(TokenExchange(.introspection))
        stage.answerIntrospection { $0[setting: "sid"] = "the-sid" }
        let outcome = try await stage.exchange("opaque")
        #expect(await stage.isSignedIn(outcome))
        let logout = try stage.carrier.logoutToken { $0.claims[setting: "sub"] = nil }
        try await stage.backChannelLogout.end(logout, at: stage.provider, in: .unobserved)
        #expect(await !stage.isSignedIn(outcome))
    }

    @Test(arguments: rules) func `signs one user in only so often in an hour`(
        rule: TokenExchange
    ) async throws {
        let stage = try await SignInStage.exchanging(rule)
        let token = try token(stage)
        for _ in 0..<60 { _ = try await stage.exchange(token) }
        #expect(
            try await stage.refusal(ofToken: token) == .rateLimited(.exchanges, retryAfterSeconds: 3600))
    }

    @Test(arguments: rules) func `leaves in the store its sessions, and for an hour their number`(
        rule: TokenExchange
    ) async throws {
        let stage = try await SignInStage.exchanging(rule)
        let token = try token(stage)
        for _ in 0..<20 { _ = try await stage.exchange(token) }
        let later = SigningProvider.now + 3600
        #expect(try await stage.repository.sweepExpired(now: later, limit: 1000) == 1)
    }

    @Test(arguments: rules) func `is turned away while the provider's bulkhead is full`(
        rule: TokenExchange
    ) async throws {
        let stage = try await SignInStage.exchanging(rule) { $0.inFlight = 1 }
        let place = stage.provider.bulkhead.enter()
        #expect(try await stage.refusal(ofToken: token(stage)) == .overloaded)
        _ = consume place
        #expect(try await stage.refusal(ofToken: token(stage)) == nil)
        // Whatever comes of one, its place is given back.
        stage.answerUserinfo(["sub": "another"])
        _ = try await stage.refusal(ofToken: token(stage))
        let hasPlace = stage.provider.bulkhead.enter() != nil
        #expect(hasPlace)
    }
}
