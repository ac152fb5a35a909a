import Accounts
import HTTPClient
import JSON
import Providers
import SignIn
import TestSupport
import Testing

@testable import Wings

@Suite struct `A notification of a carrier` {
    @Test func `is taken before the answer to the push is`() async throws {
        let stage = try await SignInStage.withPushes()
        let begun = try await stage.begin()
        stage.transport.answer("https://carrier.example/push") { _ in
            do { try await stage.notify() } catch { Issue.record("\(error)") }
            return .success(.json(["auth_req_id": "carriers-own", "expires_in": "3600"]))
        }
        try await stage.push.deliver(begun.delivery, in: .unobserved)
        #expect(try await stage.tokens(begun.id) != nil)
        #expect(stage.cancelRequests.isEmpty)
    }

    @Test func `counts once: the same again changes nothing, and another one after it is refused`() async throws {
        let stage = try await SignInStage.withPushes()
        let id = try await stage.pushed()
        let (members, bearer) = try stage.approval()
        for _ in 0..<3 { try await stage.notify(members, bearer: bearer) }
        await #expect(throws: ServiceError.pushEnded(.expired)) {
            try await stage.notify { $0.claims[setting: "jti"] = "another" }
        }
        await #expect(throws: ServiceError.pushEnded(.expired)) { try await stage.notify(["error": "access_denied"]) }
        let tokens = try #require(try await stage.tokens(id))
        let user = try await stage.sessions.user(of: tokens.accessToken)
        #expect(try await stage.repository.sessions(of: user.id, now: stage.now).count == 1)
    }

    @Test func `of which many come at once opens one session`() async throws {
        let stage = try await SignInStage.withPushes()
        let id = try await stage.pushed()
        let (members, bearer) = try stage.approval()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<16 { group.addTask { try? await stage.notify(members, bearer: bearer) } }
        }
        let tokens = try #require(try await stage.tokens(id))
        let user = try await stage.sessions.user(of: tokens.accessToken)
        #expect(try await stage.repository.sessions(of: user.id, now: stage.now).count == 1)
    }

    @Test(arguments: ["", "x", "carriers-own", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"])
    func `is nobody's that shows another token`(bearer: String) async throws {
        let stage = try await SignInStage.withPushes()
        let id = try await stage.pushed()
        await #expect(throws: ServiceError.invalidToken) { try await stage.notify(bearer: bearer) }
        // What the app asks by is no token of the carrier's, nor the other way round.
        await #expect(throws: ServiceError.invalidToken) { try await stage.notify(bearer: id) }
        let token = try #require(try stage.lastPush()["client_notification_token"]?.string)
        await #expect(throws: ServiceError.unknownPath) { try await stage.poll(token) }
        #expect(try await stage.isPending(id))
    }

    @Test func `of one request is none of another`() async throws {
        let stage = try await SignInStage.withPushes()
        let first = try await stage.pushed()
        let (members, _) = try stage.approval()
        let second = try await stage.pushed(["login_hint": "+12065550999"])
        let (_, bearer) = try stage.approval()
        await #expect(throws: ServiceError.invalidParameter(ParameterError("state", "is not that of the request"))) {
            try await stage.notify(members, bearer: bearer)
        }
        await #expect(throws: ServiceError.invalidIDToken(.nonce)) {
            try await stage.notify(["id_token": members["id_token"]])
        }
        #expect(try await stage.isPending(first))
        await #expect(throws: ServiceError.pushFailed) { try await stage.poll(second) }
    }

    @Test func `is refused with another name of the request than the carrier gave it`() async throws {
        let stage = try await SignInStage.withPushes()
        let id = try await stage.pushed()
        let refusal = ParameterError("auth_req_id", "is not that of the request")
        await #expect(throws: ServiceError.invalidParameter(refusal)) {
            try await stage.notify(["auth_req_id": "another"])
        }
        #expect(try await stage.isPending(id))
    }

    private static let faults: [(claim: String, value: JSONValue?, rule: IDTokenError)] = [
        ("nonce", "another", .nonce), ("nonce", nil, .nonce), ("aud", "another-client", .audience),
        ("iss", "https://id.former.example", .issuer), ("exp", .integer(SigningProvider.now - 600), .expired),
        ("context", "Something else", .context), ("context", nil, .context), ("acr", "a1", .acr),
        ("sub", "", .subject),
    ]

    @Test(arguments: faults.indices) func `is held to every rule of a sign-in`(index: Int) async throws {
        let fault = Self.faults[index]
        let stage = try await SignInStage.withPushes()
        let id = try await stage.pushed(["acr_values": "a3"])
        await #expect(throws: ServiceError.invalidIDToken(fault.rule)) {
            try await stage.notify { $0.claims[setting: fault.claim] = fault.value }
        }
        await #expect(throws: ServiceError.pushFailed) { try await stage.poll(id) }
        // And the carrier has had its say.
        await #expect(throws: ServiceError.pushEnded(.expired)) { try await stage.notify() }
        #expect(try await stage.repository.userCount() == 0)
    }

    @Test func `may come again where keys, userinfo or the store could not be had`() async throws {
        let stage = try await SignInStage.withPushes()
        let id = try await stage.pushed()
        stage.transport.fail(stage.carrier.keysEndpoint, .couldNotConnect)
        await #expect(throws: ServiceError.providerUnavailable) { try await stage.notify() }
        stage.carrier.publish(on: stage.transport)
        let other = try await SignInStage.withPushes()
        let second = try await other.pushed()
        other.transport.fail(other.carrier.userinfoEndpoint, .couldNotConnect)
        await #expect(throws: ServiceError.providerUnavailable) { try await other.notify() }
        other.answerUserinfo(SignInStage.userinfo)
        try await other.notify()
        #expect(try await other.tokens(second) != nil)
        #expect(try await stage.isPending(id))
    }

    @Test(arguments: ["auth_req_id", "state", "access_token", "id_token"])
    func `is refused without what belongs into it`(name: String) async throws {
        let stage = try await SignInStage.withPushes()
        _ = try await stage.pushed()
        let (members, _) = try stage.approval([name: nil])
        let error = #expect(throws: PushNotificationError.self) { try PushNotification { members[$0] } }
        #expect(error?.member == name)
    }
}

@Suite struct `How often users are asked` {
    @Test func `is bounded for each of them, for all apps together and however often it is begun anew`() async throws {
        let stage = try await SignInStage.withPushes()
        let id = try await stage.pushed(owner: "one")
        _ = try await stage.pushed(owner: "two")
        _ = try await stage.push.retry(id, owner: "one", in: .unobserved)
        for owner in ["one", "two", "three"] {
            await #expect(throws: ServiceError.self) { try await stage.begin(owner: owner) }
        }
        await #expect(throws: ServiceError.pushedTooOften(retryAfterSeconds: 600)) {
            try await stage.push.retry(id, owner: "one", in: .unobserved)
        }
        // Somebody else is asked all the same.
        _ = try await stage.begin(["login_hint": "+12065550999"], owner: "one")
        stage.pass(seconds: 600)
        _ = try await stage.begin(owner: "three")
    }

    @Test func `is once at a time for an owner, until that has ended`() async throws {
        let stage = try await SignInStage.withPushes()
        let id = try await stage.pushed()
        await #expect(throws: ServiceError.pushedTooOften(retryAfterSeconds: 3600)) { try await stage.begin() }
        _ = try await stage.begin(owner: "another")
        _ = try await stage.push.cancel(id, owner: "")
        _ = try await stage.begin()
    }

    @Test func `does not grow with the ways in which a number can be written`() async throws {
        let stage = try await SignInStage.withPushes()
        for hint in [
            "+1 206 555 0100", "+1-2065550100", "0012065550100", "+012065550100", "12065550100", "+1206555010０",
        ] {
            #expect(throws: ParameterError.self) { try stage.backchannel(["login_hint": hint]) }
        }
    }

    @Test(arguments: ["", " \u{7}", "a\nb", "tab\there", String(repeating: "x", count: 281)])
    func `is never without a context that can be shown`(context: String) async throws {
        let stage = try await SignInStage.withPushes()
        #expect(throws: ParameterError.self) { try stage.backchannel(["context": context]) }
        #expect(throws: Never.self) { try stage.backchannel(["context": String(repeating: "é", count: 280)]) }
    }

    @Test func `is no more than there is room for, and then the oldest give way`() async throws {
        let stage = try await SignInStage.withPushes()
        let id = try await stage.pushed()
        for number in 0..<100 { _ = try await stage.begin(["login_hint": .init("+1206556\(1000 + number)")]) }
        await #expect(throws: ServiceError.unknownPath) { try await stage.poll(id) }
    }
}
