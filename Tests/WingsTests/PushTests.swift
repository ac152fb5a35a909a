import Accounts
import HTTPClient
import JSON
import Providers
import SignIn
import Telemetry
import TestSupport
import Testing

@testable import Wings

extension SignInStage {
    static func withPushes(registration: RegistrationMode = .automatic) async throws -> SignInStage {
        let stage = try await SignInStage(registration: registration) { SignInStage.pushing(&$0) }
        stage.takePushes()
        return stage
    }

    func backchannel(
        _ changes: [String: String] = [:], isForSession: Bool = false, mayBeMinimal: Bool = false
    ) throws -> BackchannelRequest {
        let usual = isForSession ? [:] : ["login_hint": Self.pushHint, "mccmnc": "310260"]
        let parameters = usual.merging(["context": Self.pushContext]) { $1 }.merging(changes) { $1 }
        return try BackchannelRequest(
            { parameters[$0.rawValue] }, isForSession: isForSession, mayBeMinimal: mayBeMinimal)
    }

    func begin(
        _ changes: [String: String] = [:], owner: String = "", session: Session? = nil
    ) async throws -> ServerInitiatedSignIn.Begun {
        try await push.begin(
            try backchannel(changes, isForSession: session != nil), with: provider, owner: owner, session: session,
            userAgent: "App/1.0", in: .unobserved)
    }

    /// Begins, and has the carrier told.
    func pushed(
        _ changes: [String: String] = [:], owner: String = "", session: Session? = nil
    ) async throws -> String {
        let begun = try await begin(changes, owner: owner, session: session)
        try await push.deliver(begun.delivery, in: .unobserved)
        return begun.id
    }

    /// Polls a second later.
    func poll(_ id: String, owner: String = "") async throws -> ServerInitiatedSignIn.Progress {
        pass(seconds: 1)
        return try await push.poll(id, owner: owner)
    }

    func isPending(_ id: String) async throws -> Bool {
        if case .pending = try await poll(id) { true } else { false }
    }

    func tokens(_ id: String) async throws -> TokenIssuer.Tokens? {
        if case .signedIn(let tokens, _, _) = try await poll(id) { tokens } else { nil }
    }

    /// The carrier says that the user has approved.
    func notify(
        _ changes: [String: String?] = [:], bearer: String? = nil, _ change: (inout TokenDraft) -> Void = { _ in }
    ) async throws {
        let (members, usual) = try approval(changes, change)
        try await notify(members, bearer: bearer ?? usual)
    }

    func notify(_ members: [String: String], bearer: String) async throws {
        _ = try await pushNotifications.receive(
            try PushNotification { members[$0] }, bearer: bearer, in: .unobserved
        ) { _ in }
    }
}

@Suite struct `A server-initiated sign-in` {
    @Test func `asks by a signed request in which everything is that belongs there`() async throws {
        let stage = try await SignInStage.withPushes()
        _ = try await stage.pushed(["acr_values": "a3", "correlation_id": "correlation-1"])
        let asked = try stage.lastPush()
        let texts = [
            "iss": "ccid-0123456789abcdef", "sub": "ccid-0123456789abcdef", "aud": "https://carrier.example",
            "client_id": "ccid-0123456789abcdef", "response_type": "async_token",
            "redirect_uri": ProviderConfiguration.redirectURI, "scope": "openid email", "acr_values": "a3",
            "notification_uri": "https://gatehouse.example/auth/zenkey-async-signin/notification",
            "login_hint": SignInStage.pushHint, "correlation_id": "correlation-1", "context": SignInStage.pushContext,
        ]
        for (name, value) in texts { #expect(asked[name]?.string == value, "\(name)") }
        #expect(asked["iat"] == .integer(stage.now) && asked["exp"] == .integer(stage.now + 120))
        #expect(asked["expires_in"] == 3600)
        for name in ["client_notification_token", "state", "nonce"] { #expect(asked[name]?.string?.utf8.count == 43) }
    }

    @Test func `is pending until the carrier has said something, and then gives a session once`() async throws {
        let stage = try await SignInStage.withPushes()
        let id = try await stage.pushed()
        #expect(try await stage.isPending(id))
        try await stage.notify()
        let tokens = try #require(try await stage.tokens(id))
        #expect(try await stage.sessions.principal(of: tokens.accessToken).session.userAgent == "App/1.0")
        // An app that has lost the answer gets the same, and no second session.
        let again = try #require(try await stage.tokens(id))
        #expect(again.refreshToken == tokens.refreshToken)
        _ = try await stage.sessions.refresh(tokens.refreshToken)
        await #expect(throws: ServiceError.pushEnded(.expired)) { try await stage.poll(id) }
        await #expect(throws: ServiceError.invalidToken) {
            try await stage.sessions.principal(of: tokens.accessToken).session
        }
        #expect(try await stage.auditTrail() == [.userCreated, .pushReused])
    }

    @Test func `gives nothing again when the grace is over, and ends what it has given`() async throws {
        let stage = try await SignInStage.withPushes()
        let id = try await stage.pushed()
        try await stage.notify()
        let tokens = try #require(try await stage.tokens(id))
        stage.pass(seconds: 60)
        await #expect(throws: ServiceError.pushEnded(.expired)) { try await stage.poll(id) }
        await #expect(throws: ServiceError.invalidToken) {
            try await stage.sessions.principal(of: tokens.accessToken).session
        }
    }

    @Test func `is nobody's but its owner's, in whatever state`() async throws {
        let stage = try await SignInStage.withPushes()
        let id = try await stage.pushed(owner: "one")
        for notified in [false, true] {
            if notified { try await stage.notify() }
            for owner in ["", "two", "One"] {
                await #expect(throws: ServiceError.unknownPath) { try await stage.poll(id, owner: owner) }
                await #expect(throws: ServiceError.unknownPath) {
                    try await stage.push.retry(id, owner: owner, in: .unobserved)
                }
                await #expect(throws: ServiceError.unknownPath) {
                    try await stage.push.cancel(id, owner: owner)
                }
            }
        }
        guard case .signedIn = try await stage.poll(id, owner: "one") else {
            Issue.record("a stranger has changed something")
            return
        }
    }

    @Test func `is asked for once a second at most`() async throws {
        let stage = try await SignInStage.withPushes()
        let id = try await stage.pushed()
        #expect(try await stage.isPending(id))
        await #expect(throws: ServiceError.polledTooOften) { try await stage.push.poll(id, owner: "") }
        #expect(try await stage.isPending(id))
    }

    @Test func `expires, and what comes then is too late`() async throws {
        let stage = try await SignInStage.withPushes()
        let id = try await stage.pushed()
        stage.pass(seconds: 3600)
        await #expect(throws: ServiceError.pushEnded(.expired)) { try await stage.poll(id) }
        await #expect(throws: ServiceError.pushEnded(.expired)) { try await stage.notify() }
        stage.pass(seconds: 3600)
        await #expect(throws: ServiceError.unknownPath) { try await stage.poll(id) }
        #expect(try await stage.repository.sweepExpired(now: stage.now, limit: 10) == 1)
    }

    @Test func `lives no longer than the carrier lets requests live, also for the next user`() async throws {
        let stage = try await SignInStage.withPushes()
        stage.answerPush(json: ["auth_req_id": "carriers-own", "expires_in": "300"])
        _ = try await stage.pushed()
        #expect(try await stage.begin(["login_hint": "+12065550999"]).expiresIn == 300)
    }

    @Test func `that is taken back takes no answer any more, and the carrier is told`() async throws {
        let stage = try await SignInStage.withPushes()
        let id = try await stage.pushed()
        let delivery = try #require(try await stage.push.cancel(id, owner: ""))
        try await stage.push.deliver(delivery, in: .unobserved)
        #expect(stage.cancelRequests.count == 1 && stage.pushRequests.count == 1)
        await #expect(throws: ServiceError.pushEnded(.cancelled)) { try await stage.poll(id) }
        await #expect(throws: ServiceError.pushEnded(.cancelled)) { try await stage.notify() }
        await #expect(throws: ServiceError.pushEnded(.cancelled)) {
            try await stage.push.retry(id, owner: "", in: .unobserved)
        }
        #expect(try await stage.push.cancel(id, owner: "") == nil)
    }

    @Test func `that is taken back before the carrier has answered is taken back there, too`() async throws {
        let stage = try await SignInStage.withPushes()
        let begun = try await stage.begin()
        #expect(try await stage.push.cancel(begun.id, owner: "") == nil)
        try await stage.push.deliver(begun.delivery, in: .unobserved)
        #expect(stage.cancelRequests.count == 1)
    }

    @Test func `that is begun anew takes no answer to the push before`() async throws {
        let stage = try await SignInStage.withPushes()
        let id = try await stage.pushed()
        let (members, bearer) = try stage.approval()
        let again = try await stage.push.retry(id, owner: "", in: .unobserved)
        #expect(again.id == id)
        try await stage.push.deliver(again.delivery, in: .unobserved)
        #expect(stage.pushRequests.count == 2 && stage.cancelRequests.count == 1)
        await #expect(throws: ServiceError.invalidToken) { try await stage.notify(members, bearer: bearer) }
        #expect(try await stage.isPending(id))
        try await stage.notify()
        #expect(try await stage.tokens(id) != nil)
        await #expect(throws: ServiceError.self) {
            try await stage.push.retry(id, owner: "", in: .unobserved)
        }
    }

    @Test func `gives a ticket to somebody who has to register, as often as is asked`() async throws {
        let stage = try await SignInStage.withPushes(registration: .ticket)
        let id = try await stage.pushed()
        try await stage.notify()
        var tickets: [LinkTicket] = []
        for _ in 0..<2 {
            do throws(ServiceError) {
                stage.pass(seconds: 1)
                _ = try await stage.push.poll(id, owner: "")
            } catch .unlinked(let ticket) {
                tickets.append(ticket)
            } catch {
                Issue.record("\(error)")
            }
        }
        #expect(tickets.count == 2 && tickets.first == tickets.last)
        let ticket = try #require(tickets.first)
        #expect(ticket.attributes["name"] == "Jane Doe")
        let tokens = try await stage.useCases.register.register(
            ticket.text, clientID: nil, by: nil, profile: Attributes(), userAgent: nil, replacing: nil,
            as: Sample.request()
        ).tokens
        #expect(try await stage.sessions.principal(of: tokens.accessToken).session.provider == "zenkey")
    }

    @Test func `for the user of a session asks by the subject, and takes nobody else's approval`() async throws {
        let stage = try await SignInStage.withPushes()
        let signedIn = try await stage.signIn()
        let session = try await stage.sessions.principal(of: signedIn.tokens.accessToken).session
        let id = try await stage.pushed(session: session)
        #expect(stage.transport.requests.contains { $0.query.contains("sub=310260-subject") })
        #expect(try stage.lastPush()["login_hint"] == "310260-subject")
        stage.answerUserinfo(["sub": "other"])
        await #expect(throws: ServiceError.invalidIDToken(.subject)) {
            try await stage.notify { $0.claims[setting: "sub"] = "other" }
        }
        await #expect(throws: ServiceError.pushFailed) { try await stage.poll(id) }
        stage.answerUserinfo(SignInStage.userinfo)
        let second = try await stage.pushed(session: session)
        try await stage.notify()
        let tokens = try #require(try await stage.tokens(second))
        #expect(try await stage.sessions.principal(of: tokens.accessToken).session.user == session.user)
    }

    @Test func `survives a restart between the push and the notification`() async throws {
        let stage = try await SignInStage.withPushes()
        let id = try await stage.pushed()
        let (members, bearer) = try stage.approval()
        // What another process has in memory: nothing.
        let other = stage.useCases(at: ProviderRegistry([Provider(stage.provider.configuration)]))
        let limits = PushLimits(stage.ofWings.pushes.configuration)
        _ = try await PushNotifications(other.parts, signIn: other.signIn, limits: limits).receive(
            try PushNotification { members[$0] }, bearer: bearer, in: .unobserved
        ) { _ in }
        guard case .signedIn = try await ServerInitiatedSignIn(other.parts, limits: limits).poll(id, owner: "")
        else {
            Issue.record("it is forgotten")
            return
        }
    }
}

@Suite struct `Whom a carrier knows` {
    private static let refusals: [(status: Int, error: String)] = [
        (400, "user_not_found"), (400, "invalid_login_hint"), (403, "access_denied"), (400, "device_unavailable"),
        (200, "user_unsupported"), (400, "authentication_timed_out"), (400, "heard_of_nobody"),
    ]

    @Test(arguments: refusals) func `is told nobody by what comes of a push`(status: Int, error: String) async throws {
        let stage = try await SignInStage.withPushes()
        stage.answerPush(json: ["error": .string(error)], status: status)
        let begun = try await stage.begin()
        try await stage.push.deliver(begun.delivery, in: .unobserved)
        #expect(begun.expiresIn == 3600)
        #expect(try await stage.isPending(begun.id))
        // Neither by whether another may be begun.
        await #expect(throws: ServiceError.self) { try await stage.begin() }
        stage.pass(seconds: 3600)
        await #expect(throws: ServiceError.pushEnded(.expired)) { try await stage.poll(begun.id) }
    }

    @Test(arguments: ["user_not_found", "authentication_timed_out", "device_unavailable", "user_unsupported"])
    func `is told nobody by what comes of a notification`(error: String) async throws {
        let stage = try await SignInStage.withPushes()
        let id = try await stage.pushed()
        try await stage.notify(["error": error])
        #expect(try await stage.isPending(id))
        await #expect(throws: ServiceError.self) { try await stage.begin() }
        // And the carrier has had its say.
        await #expect(throws: ServiceError.pushEnded(.expired)) { try await stage.notify() }
    }

    @Test func `is told by a user alone who says no`() async throws {
        let stage = try await SignInStage.withPushes()
        let id = try await stage.pushed()
        try await stage.notify(["error": "access_denied"])
        try await stage.notify(["error": "access_denied"])
        await #expect(throws: ServiceError.pushEnded(.denied)) { try await stage.poll(id) }
        await #expect(throws: ServiceError.pushEnded(.denied)) { try await stage.notify() }
        await #expect(throws: ServiceError.pushEnded(.denied)) {
            try await stage.push.retry(id, owner: "", in: .unobserved)
        }
    }

    @Test func `does not matter where the carrier fails, which the app is told when it asks`() async throws {
        let faults: [(SignInStage) -> Void] = [
            { $0.answerPush(json: ["error": "server_error"], status: 500) },
            { $0.answerPush(json: ["error": "invalid_client"], status: 401) },
            { $0.answerPush(json: ["error": "temporarily_unavailable"], status: 400) },
            { $0.answerPush(json: ["expires_in": "3600"]) }, { $0.failPush(.couldNotConnect) },
            { $0.failPush(.timedOut(requestSent: true)) },
        ]
        for fault in faults {
            let stage = try await SignInStage.withPushes()
            fault(stage)
            let begun = try await stage.begin()
            await #expect(throws: ServiceError.self) {
                try await stage.push.deliver(begun.delivery, in: .unobserved)
            }
            await #expect(throws: ServiceError.pushFailed) { try await stage.poll(begun.id) }
            stage.takePushes()
            let again = try await stage.push.retry(begun.id, owner: "", in: .unobserved)
            try await stage.push.deliver(again.delivery, in: .unobserved)
            try await stage.notify()
            #expect(try await stage.tokens(begun.id) != nil)
        }
    }

    @Test func `is asked again by nobody's mistake when the service stops`() async throws {
        let stage = try await SignInStage.withPushes()
        stage.failPush(.shutDown)
        let begun = try await stage.begin()
        await #expect(throws: ServiceError.overloaded) {
            try await stage.push.deliver(begun.delivery, in: .unobserved)
        }
        #expect(try await stage.isPending(begun.id))
    }
}
