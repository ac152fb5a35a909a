import Accounts
import HTTPClient
import HTTPServer
import HTTPTesting
import JSON
import Providers
import Syntax
import TestSupport
import Testing

@testable import WebAPI

extension APIStage {
    /// An API whose provider tells of events.
    convenience init(telling dialect: EventDialect, apiKeys: [String] = [], perMinute: Int = 0) async throws {
        let sender: EventReceiving.Sender =
            switch dialect {
            case .apple: .apple
            case .facebook: .facebook
            case .risc:
                .risc(
                    configuration: try EndpointURL(
                        SigningProvider().riscConfigurationURL, allowLoopbackHTTP: false))
            }
        try await self.init(apiKeys: apiKeys, perMinute: perMinute) {
            $0.issuerSource = .configured(issuer: "https://carrier.example")
            $0.events = EventReceiving(sender, maximumAgeSeconds: 7 * 86_400)
        }
    }

    static let events = "/auth/zenkey/events"
    static let deletion = "/auth/zenkey/events/deletion"

    func notifyAsApple(_ change: (inout TokenDraft) -> Void = { _ in }) async throws -> HTTPTestAnswer {
        await post(Self.events, json: ["payload": .string(try stage.carrier.notification(change))])
    }

    func tell(_ token: String, type: String = "application/secevent+jwt") async -> HTTPTestAnswer {
        await send(.post, Self.events, headers: [("Content-Type", type)], body: Array(token.utf8))
    }

    func tell(_ change: (inout TokenDraft) -> Void = { _ in }) async throws -> HTTPTestAnswer {
        await tell(try stage.carrier.securityEvent(change))
    }

    func post(request: String, to path: String = events) async -> HTTPTestAnswer {
        await post(path, form: "signed_request=" + request)
    }
}

@Suite struct `The endpoint for a provider's events` {
    @Test func `answers each dialect in its way, and ends sessions`() async throws {
        for (dialect, status) in [(EventDialect.apple, 200), (.risc, 202), (.facebook, 200)] {
            let app = try await APIStage(telling: dialect)
            let token = try await app.signedIn().token
            #expect(await app.isLive(token))
            let answer =
                switch dialect {
                case .apple: try await app.notifyAsApple()
                case .risc: try await app.tell()
                case .facebook: await app.post(request: SigningProvider.signedRequest())
                }
            #expect(answer.status == status && answer.body.isEmpty, "\(answer.text)")
            #expect(answer.header("cache-control") == "no-store")
            #expect(await !app.isLive(token), "\(dialect)")
        }
    }

    @Test func `answers the same whether anybody is known, and whether it has come before`() async throws {
        let app = try await APIStage(telling: .apple)
        _ = try await app.signedIn()
        let known = try await app.notifyAsApple()
        let unknown = try await app.notifyAsApple {
            $0.claims[setting: "jti"] = "second"
            $0.claims[setting: "events"] = SigningProvider.notification("consent-revoked", subject: "nobody")
        }
        let repeated = try await app.notifyAsApple()
        for other in [unknown, repeated] {
            #expect(known.status == other.status && known.body == other.body)
            #expect(known.headers.map(\.value) == other.headers.map(\.value))
        }
    }

    /// What is wrong, which value it has instead of the right one, and the code of RFC 8935.
    private static let faults: [(name: String, value: JSONValue?, code: String)] = [
        ("alg", "none", "invalid_key"), ("kid", "other", "invalid_key"), ("typ", "logout+jwt", "invalid_request"),
        ("iss", "https://other.example", "invalid_issuer"), ("aud", "other", "invalid_audience"),
        ("iat", .integer(SigningProvider.now - 8 * 86_400), "invalid_request"), ("events", nil, "invalid_request"),
        ("jti", nil, "invalid_request"), ("nonce", "x", "invalid_request"),
    ]

    @Test func `refuses a token in the words of RFC 8935`() async throws {
        for fault in Self.faults {
            let app = try await APIStage(telling: .risc)
            let answer = try await app.tell {
                if ["alg", "typ", "kid"].contains(fault.name) {
                    $0.header[setting: fault.name] = fault.value
                } else {
                    $0.claims[setting: fault.name] = fault.value
                }
            }
            #expect(answer.status == 400 && answer.error == "invalid_event")
            #expect(answer.json["err"]?.string == fault.code, "\(fault.name)")
            #expect(answer.json["description"] == answer.json["error_description"])
            #expect(answer.header("content-language") == "en")
        }
        let app = try await APIStage(telling: .risc)
        let other = SigningProvider(key: TestKeys.otherRSA)
        let forged = await app.tell(try other.securityEvent())
        #expect(forged.status == 400 && forged.json["err"]?.string == "authentication_failed")
    }

    @Test func `takes a security event token as one, and nothing else for one`() async throws {
        let app = try await APIStage(telling: .risc)
        let token = try app.stage.carrier.securityEvent()
        for type in ["application/json", "text/plain", "application/x-www-form-urlencoded", "application/jwt", ""] {
            let answer = await app.tell(token, type: type)
            #expect(answer.status == 400 && answer.json["err"]?.string == "invalid_request", "\(type)")
        }
        for body in ["", "x", token + "\n", "\"\(token)\""] { #expect(await app.tell(body).status == 400) }
        #expect(await app.tell(token, type: "Application/SecEvent+JWT; charset=utf-8").status == 202)
    }

    @Test func `refuses what is no message of the provider's dialect`() async throws {
        let apple = try await APIStage(telling: .apple)
        for body in [[:], ["payload": 7], ["payload": ""], ["payload": "x"]] as [JSONValue] {
            #expect(await apple.post(APIStage.events, json: body).error == "invalid_event")
        }
        #expect(await apple.send(.post, APIStage.events, body: Array("{".utf8)).error == "invalid_request")
        #expect(await apple.post(request: SigningProvider.signedRequest()).status == 415)
        let facebook = try await APIStage(telling: .facebook)
        let request = SigningProvider.signedRequest()
        for form in ["", "signed_request=", "signed_request=x&signed_request=x", "request=\(request)"] {
            #expect(await facebook.post(APIStage.events, form: form).error == "invalid_event", "\(form)")
        }
        #expect(await facebook.post(APIStage.events, json: ["payload": "x"]).status == 415)
        #expect(await facebook.post(request: request).status == 200)
    }

    @Test func `is not there for providers that tell of nothing, nor the page of those that delete nobody`()
        async throws
    {
        let app = try await APIStage()
        #expect(await app.post(APIStage.events, json: ["payload": "x"]).status == 404)
        #expect(await app.post(request: "x", to: APIStage.deletion).status == 404)
        #expect(await app.post("/auth/nobody/events", json: [:]).error == "unknown_provider")
        let apple = try await APIStage(telling: .apple)
        #expect(await apple.post(request: "x", to: APIStage.deletion).status == 404)
        #expect(await apple.send(.get, APIStage.deletion, query: "code=x").status == 404)
        #expect(await apple.send(.get, APIStage.events).status == 405)
    }

    @Test func `asks for no API key, and makes an address wait that sends too much of what is refused`() async throws {
        let app = try await APIStage(telling: .apple, apiKeys: ["secret"], perMinute: 2)
        for number in 0..<3 {
            #expect(try await app.notifyAsApple { $0.claims[setting: "jti"] = .string("\(number)") }.status == 200)
        }
        for _ in 0..<2 { #expect(try await app.notifyAsApple { $0.claims[setting: "aud"] = "other" }.status == 400) }
        let answer = try await app.notifyAsApple { $0.claims[setting: "aud"] = "other" }
        #expect(answer.status == 429 && answer.header("retry-after") != nil)
        let right = try await app.notifyAsApple { $0.claims[setting: "jti"] = "right" }
        #expect(right.status == 200, "what is right is never refused")
    }

    @Test func `logs what was told and which rule was broken, and nothing of whom`() async throws {
        let app = try await APIStage(telling: .risc)
        _ = try await app.signedIn()
        let before = app.log.lines.count
        let verification: JSONValue = .object(
            JSONObject([
                ("https://schemas.openid.net/secevent/risc/event-type/verification", ["state": "the-state"]),
                ("https://schemas.openid.net/secevent/risc/event-type/other", [:]),
            ]))
        let good = try app.stage.carrier.securityEvent()
        for _ in 0..<2 { _ = await app.tell(good) }
        _ = try await app.tell {
            $0.claims[setting: "jti"] = "second"
            $0.claims[setting: "events"] = verification
        }
        _ = try await app.tell { $0.claims[setting: "aud"] = "other" }
        let lines = app.log.lines.dropFirst(before)
        let requests = lines.filter { $0.message == "request" }
        #expect(requests.map { $0.values["events"] } == ["sessions_revoked", "sessions_revoked", "verification", nil])
        #expect(requests.map { $0.values["changes"] } == ["1", nil, nil, nil])
        #expect(requests.map { $0.values["repeated"] } == [nil, "true", nil, nil])
        #expect(requests.map { $0.values["unknown_events"] } == [nil, nil, "1", nil])
        #expect(lines.filter { $0.message == "request failed" }.map { $0.values["reason"] } == ["invalid_event: aud"])
        for secret in [good, "the-jti", "310260-subject", "the-state"] { #expect(!app.log.text.contains(secret)) }
    }

    @Test func `lets a provider try again where keys, its document or the store can't be had`() async throws {
        let app = try await APIStage(telling: .risc)
        app.stage.transport.fail(app.stage.carrier.riscConfigurationURL, .couldNotConnect)
        #expect(try await app.tell().status == 503)
        let keyless = try await APIStage(telling: .apple)
        keyless.stage.transport.fail(keyless.stage.carrier.keysEndpoint, .timedOut(requestSent: true))
        #expect(try await keyless.notifyAsApple().status == 504)
        let other = try await APIStage(telling: .facebook)
        await other.stage.repository.close()
        for path in [APIStage.events, APIStage.deletion] {
            for _ in 0..<2 {
                let answer = await other.post(request: SigningProvider.signedRequest(), to: path)
                #expect(answer.error == "storage_unavailable")
            }
        }
    }
}
