import Accounts
import HTTPClient
import HTTPServer
import HTTPTesting
import JSON
import Logging
import Providers
import SignIn
import Syntax
import TestSupport
import Testing
import WebAPI

@Suite struct `The log of requests` {
    /// Everything secret or personal that a sign-in touches.
    private static let secrets = [
        "the-code", String(repeating: "v", count: 43), "the-nonce", "310260-subject", "client-secret", "Jane", "Doe",
        "jane@example.com", "+12065550100", "90210", "\"access\"", "my-api-key", "Pay 20 dollars", "the-state",
    ]

    @Test func `tells why a port token was refused, and of whom nothing`() async throws {
        let app = try await APIStage()
        let token = try app.stage.former.portToken { $0.claims[setting: "aud"] = "another" }
        try app.stage.answerToken { $0.claims[setting: "AKA"] = [.string(token)] }
        #expect(await app.signIn().status == 200)
        let line = try #require(app.log.lines.first { $0.message == "port token refused" })
        #expect(line.level == .warning)
        #expect(line.values == ["reason": "audience", "provider": "zenkey", "request_id": "request-1"])
        #expect(!app.log.text.contains(token))
        #expect(!app.log.text.contains("old-subject"))
        let events = try await app.stage.repository.auditEvents(after: 0, limit: 10)
        #expect(events.map(\.kind) == [.userCreated, .portTokenRefused])
    }

    @Test func `the log of requests has a line for each request and one for each sign-in`() async throws {
        let app = try await APIStage()
        _ = await app.signIn([("correlation_id", "abc-1")])
        #expect(app.log.lines.map(\.message) == ["sign-in", "request"])
        let signIn = try #require(app.log.lines.first)
        #expect(signIn.level == .info)
        var values = signIn.values
        #expect(values.removeValue(forKey: "network")?.hasSuffix("/24") == true)
        #expect(
            values == [
                "request_id": "request-1", "provider": "zenkey", "correlation_id": "abc-1", "outcome": "new_user",
                "kind": "code",
            ])
        var request = try #require(app.log.lines.last).values
        #expect(request.removeValue(forKey: "ms").flatMap { Int($0) } != nil)
        #expect(
            request == [
                "method": "POST", "route": "/auth/zenkey-signin", "status": "200", "request_id": "request-1",
                "provider": "zenkey", "correlation_id": "abc-1",
            ])
    }

    /// Anybody else could have their requests pass for a part of others'.
    @Test(arguments: ["192.0.2.1/32", "198.51.100.0/24"])
    func `has the trace that a trusted proxy names in every line`(proxies: String) async throws {
        let app = try await APIStage(trustedProxies: [try #require(AddressRange(proxies))])
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        let fields = [("traceparent", "00-\(trace)-00f067aa0ba902b7-01")]
        let body = APIStage.authorized([("code", "first")])
        _ = await app.post("/auth/zenkey-signin", json: body, headers: fields)
        _ = await app.post("/auth/zenkey-signin", json: body, headers: fields + fields)
        let named = app.log.lines.map { $0.values["trace_id"] }
        #expect(app.log.lines.map(\.message) == ["sign-in", "request", "sign-in", "request"])
        #expect(named == (proxies.hasPrefix("192.0.2.1") ? [trace, trace, nil, nil] : [nil, nil, nil, nil]))
    }

    @Test func `tells a known user from a new one`() async throws {
        let app = try await APIStage()
        _ = await app.signIn()
        _ = await app.signIn([("code", "another")])
        #expect(app.log.signIns.compactMap { $0.values["outcome"] } == ["new_user", "signed_in"])
    }

    @Test func `names no path that nobody knows`() async throws {
        let app = try await APIStage()
        _ = await app.send(.get, "/secret-path")
        #expect(app.log.lines.first?.values["route"] == "none")
        #expect(!app.log.text.contains("secret-path"))
    }

    @Test func `holds nothing secret or personal, whatever happens`() async throws {
        let app = try await APIStage(apiKeys: ["my-api-key"])
        let key = [("X-API-KEY", "my-api-key")]
        let all: [(String, JSONValue?)] = [
            ("context", "Pay 20 dollars"), ("state", "the-state"), ("acr_values", "a3"), ("correlation_id", "abc-1"),
        ]
        let good = await app.post("/auth/signin", json: APIStage.authorized(all), headers: key)
        #expect(good.status == 200)
        let token = try #require(good.json["token"]?.string)
        let refreshToken = try #require(good.json["refresh_token"]?.string)
        _ = await app.send(.get, "/users/me", headers: key + bearer(token))
        let refreshed = await app.post(
            "/auth/token", form: "grant_type=refresh_token&refresh_token=\(refreshToken)", headers: key)
        #expect(refreshed.status == 200)
        _ = await app.post("/auth/signin", json: APIStage.authorized(all), headers: key)
        let troubles: [(inout TokenDraft) -> Void] = [
            { $0.claims[setting: "nonce"] = "wrong-nonce" }, { $0.claims[setting: "aud"] = "wrong-audience" },
            { $0.header[setting: "kid"] = "wrong-kid" }, { $0.claims[setting: "sub"] = "wrong-subject" },
        ]
        for (number, trouble) in troubles.enumerated() {
            try app.stage.answerToken(trouble)
            let answer = await app.post(
                "/auth/signin", json: APIStage.authorized(all + [("code", .string("the-code-\(number)"))]), headers: key
            )
            #expect(answer.status == 401)
            for secret in Self.secrets + ["wrong-"] { #expect(!answer.text.contains(secret)) }
        }
        let refusal: JSONValue = [
            "error": "odd",
            "error_description": "jane@example.com sent the-code-again-1 and client-secret, see +12065550100",
        ]
        for (number, response) in [OutboundResponse.page, .json(refusal, status: 400)].enumerated() {
            app.stage.transport.answer(app.stage.carrier.tokenEndpoint, response)
            let code = JSONValue.string("the-code-again-\(number)")
            let answer = await app.post("/auth/signin", json: APIStage.authorized(all + [("code", code)]), headers: key)
            #expect(answer.status == [502, 401][number])
            for secret in Self.secrets + ["wrong-", "odd"] { #expect(!answer.text.contains(secret)) }
        }
        _ = await app.send(.delete, "/auth/token", headers: key + bearer(token))
        let log = app.log.text
        #expect(app.log.signIns.count == 8)
        for secret in Self.secrets + ["wrong-nonce", "wrong-subject", token, refreshToken] {
            #expect(!log.contains(secret))
        }
    }

    @Test(
        arguments: [
            (
                .refused(.clientFault("invalid_client")), .error,
                "our client was refused with invalid_client; check the provider's configuration"
            ),
            (.status(500), .warning, "status 500"), (.notJSON, .warning, "not a JSON object"),
            (.invalidMember("id_token"), .warning, "id_token is missing or wrong"),
        ] as [(ProviderCallError, Logger.Level, String)])
    func `says what is wrong at a provider, loudly when it is our configuration`(
        failure: ProviderCallError, level: Logger.Level, words: String
    ) async throws {
        let app = try await APIStage()
        let response: OutboundResponse =
            switch failure {
            case .refused(.clientFault(let code)): .json(["error": .string(code)], status: 401)
            case .status(let status): .page(status: status)
            case .invalidMember: .json(["access_token": "a", "token_type": "bearer"])
            default: .page
            }
        app.stage.transport.answer(app.stage.carrier.tokenEndpoint, response)
        #expect(await app.signIn().status == 502)
        let line = try #require(app.log.signIns.first)
        #expect(line.level == level)
        #expect(line.values["outcome"] == "failed")
        #expect(line.values["reason"] == "provider_error: token: \(words)")
        #expect(line.values["error_host"] == "carrier.example")
    }

    @Test func `tells what was found in a token beside what was expected, and of nobody who it is`() async throws {
        let app = try await APIStage()
        try app.stage.answerToken { $0.claims[setting: "aud"] = "another-client" }
        #expect(await app.signIn().status == 401)
        try app.stage.answerToken { $0.claims[setting: "sub"] = "" }
        _ = await app.post("/auth/signin", json: APIStage.authorized([("code", "second")]))
        let lines = app.log.signIns
        #expect(lines.first?.values["found"] == "aud is another-client, expected ccid-0123456789abcdef")
        #expect(lines.last?.values["found"] == "sub is another, or can't be one")
    }

    @Test func `tells where a provider redirects to, and what to do about its refusal`() async throws {
        let app = try await APIStage()
        let location = [(name: "Location", value: "https://moved.example/token?secret=x")]
        app.stage.transport.answer(
            app.stage.carrier.tokenEndpoint, OutboundResponse(status: 302, headers: location, body: []))
        #expect(await app.signIn().status == 502)
        #expect(
            app.log.signIns.first?.values["reason"]
                == "provider_error: token: status 302, a redirect to https://moved.example/token")
        app.stage.transport.answer(
            app.stage.carrier.tokenEndpoint,
            .json(["error": "invalid_client", "error_description": "AADSTS7000222: expired"], status: 401))
        _ = await app.post("/auth/signin", json: APIStage.authorized([("code", "second")]))
        #expect(app.log.signIns.last?.values["remedy"] == "the secret has expired: make another one")
    }

    @Test func `tells the provider's own words about a refusal, without what was sent`() async throws {
        let app = try await APIStage()
        let refusal: JSONValue = [
            "error": "invalid_code", "error_description": "The code the-code of jane@example.com is expired.",
        ]
        app.stage.transport.answer(app.stage.carrier.tokenEndpoint, .json(refusal, status: 403))
        #expect(await app.signIn().error == "invalid_grant")
        let line = try #require(app.log.signIns.first)
        #expect(line.values["reason"] == "invalid_grant")
        #expect(line.values["error_host"] == "carrier.example")
        #expect(
            line.values["provider_error"]
                == "invalid_code: The code [removed] of [removed] is expired.")
    }

    @Test(
        arguments: [
            (.couldNotConnect, "provider_unavailable", "no connection could be made"),
            (
                .couldNotResolve, "provider_unavailable",
                "the host's name has no address, or the resolver did not say"
            ),
            (.timedOut(requestSent: true), "provider_timeout", "no answer in time"),
            (.tlsFailed, "provider_error", "no trusted TLS connection: certificate, or caFile"),
            (
                .tlsHandshakeFailed, "provider_error",
                "no TLS connection: does http listen at that port, or a version that is not taken?"
            ),
            (
                .certificateOutOfDate, "provider_error",
                "no trusted TLS connection: by this machine's clock a certificate has expired or is not valid yet"
            ),
        ] as [(HTTPClientError, String, String)])
    func `names host and cause when a provider can't be reached`(
        failure: HTTPClientError, code: String, cause: String
    ) async throws {
        for step in ["discovery", "token", "userinfo", "keys"] {
            let app = try await APIStage()
            let carrier = app.stage.carrier
            let urls = [
                "discovery": ProviderConfiguration.discoveryURL, "token": carrier.tokenEndpoint,
                "userinfo": carrier.userinfoEndpoint, "keys": carrier.keysEndpoint,
            ]
            app.stage.transport.fail(try #require(urls[step]), failure)
            #expect(await app.signIn().error == code)
            let line = try #require(app.log.signIns.first)
            #expect(line.values["reason"] == "\(code): \(step): \(cause)")
            #expect(line.values["error_host"] == (step == "discovery" ? "discovery.example" : "carrier.example"))
        }
    }

    @Test(arguments: [["d"], ["p", "q"], ["dp"]])
    func `warns of a provider whose private key anybody can read, and takes nothing that it has signed`(
        names: [String]
    ) async throws {
        let app = try await APIStage()
        let carrier = app.stage.carrier
        var key = try #require(carrier.keyDocument["keys"]?.array?.first?.object)
        for name in names { key.append(name, "AQAB") }
        app.stage.transport.answer(carrier.keysEndpoint, json: ["keys": [.object(key)]])
        let answer = await app.signIn()
        #expect(answer.error == "invalid_id_token" && answer.json["reason"] == "unknown_key")
        let warning = try #require(app.log.lines.first { $0.message.contains("private keys") })
        #expect(warning.level == .warning && warning.values["host"] == "carrier.example")
        #expect(warning.values["provider"] == "zenkey")
    }

    @Test func `says which rule an ID token broke`() async throws {
        let app = try await APIStage()
        try app.stage.answerToken { $0.claims[setting: "aud"] = "another" }
        _ = await app.signIn()
        #expect(app.log.signIns.map(\.values["reason"]) == ["invalid_id_token: audience"])
        #expect(app.log.signIns.map(\.level) == [.info])
    }

    @Test func `the log of requests is loud when nothing can be stored and warns when a provider is away`() async throws
    {
        let app = try await APIStage()
        app.stage.transport.fail(app.stage.carrier.tokenEndpoint, .couldNotConnect)
        #expect(await app.signIn().error == "provider_unavailable")
        try app.stage.answerToken()
        await app.stage.repository.close()
        #expect(await app.signIn().error == "storage_unavailable")
        #expect(app.log.signIns.map(\.level) == [.warning, .error])
        #expect(app.log.signIns.last?.values["reason"] == "storage_unavailable: it is closed")
    }

    @Test func `says why the store can't be used, whatever was asked`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        await app.stage.repository.close()
        #expect(await app.send(.get, "/users/me", headers: bearer(token)).error == "storage_unavailable")
        let line = try #require(app.log.lines.first { $0.message == "request failed" })
        #expect(line.level == .error)
        #expect(
            line.values == [
                "route": "/users/me", "reason": "storage_unavailable: it is closed", "request_id": "request-1",
                "network": "192.0.2.0/24",
            ])
    }

    @Test func `leaves out what is below its level`() async throws {
        let app = try await APIStage(logLevel: .warning)
        _ = await app.signIn()
        #expect(app.log.lines.isEmpty)
        app.stage.transport.fail(app.stage.carrier.tokenEndpoint, .couldNotConnect)
        _ = await app.signIn([("code", "another")])
        #expect(app.log.lines.map(\.message) == ["sign-in"])
    }
}
