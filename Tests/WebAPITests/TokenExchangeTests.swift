import Accounts
import Apps
import HTTPClient
import HTTPServer
import HTTPTesting
import JSON
import Logging
import Providers
import SignIn
import TestSupport
import Testing

@testable import WebAPI

extension APIStage {
    /// A service whose provider takes its own access tokens, beside one that does not.
    static func exchanging(
        _ rule: TokenExchange.Rule = .introspection, apiKeys: [String] = [], perMinute: Int = 0,
        registration: RegistrationMode = .automatic, others: [ProviderConfiguration] = [.other],
        _ change: @escaping (inout ProviderConfiguration) -> Void = { _ in }
    ) async throws -> APIStage {
        let app = try await APIStage(
            apiKeys: apiKeys, perMinute: perMinute, registration: registration, apps: BrowserStage.apps, others: others
        ) { configuration in
            configuration = .openID {
                $0.tokenExchange = TokenExchange(rule)
                change(&$0)
            }
        }
        let carrier = app.stage.carrier
        app.stage.transport.answer(carrier.metadataURL, json: carrier.metadataWithIntrospection)
        app.stage.answerIntrospection()
        return app
    }

    /// Exchanges a token, with some parameters changed; nil takes one away.
    func exchange(_ changes: [String: String?] = [:], headers: [(String, String)] = []) async -> HTTPTestAnswer {
        let parameters: [String: String?] = [
            "grant_type": SubjectToken.grantType, "subject_token": "opaque",
            "subject_token_type": SubjectToken.accessTokenType,
        ]
        let fields = parameters.merging(changes) { $1 }.compactMap { name, value in value.map { (name, $0) } }
        return await post("/auth/token", form: FormText.encode(fields), headers: headers)
    }
}

extension ProviderConfiguration {
    /// A provider whose access tokens sign nobody in.
    fileprivate static var other: ProviderConfiguration {
        .openID {
            $0.name = "other"
            $0.clientID = "other-client"
        }
    }
}

@Suite struct `An exchange of tokens` {
    @Test func `is answered as a sign-in, with the type of what is given`() async throws {
        let app = try await APIStage.exchanging()
        for provider in [nil, "openid"] {
            let answer = await app.exchange(["provider": provider])
            #expect(answer.status == 200 && answer.header("cache-control") == "no-store", "\(answer.text)")
            #expect(answer.json["issued_token_type"]?.string == SubjectToken.accessTokenType)
            #expect(answer.json["token_type"] == "Bearer" && answer.json["expires_in"] == 900)
            #expect(answer.json["user"]?["name"] == "Jane Doe" && answer.json["migrated"] == false)
            #expect(answer.json["new_user"] == .boolean(provider == nil))
            #expect(answer.json["auth_time"] == nil && answer.json["scope"] == nil)
            #expect(!answer.text.contains("310260-subject"))
            let token = try #require(answer.json["token"]?.string)
            #expect(await app.send(.get, "/users/me", headers: bearer(token)).status == 200)
        }
        let names = ["grant_type", "subject_token", "subject_token_type"]
        let values = [SubjectToken.grantType, "opaque", SubjectToken.accessTokenType]
        let json = JSONObject(zip(names, values).map { (name: $0, value: .string($1)) })
        #expect(await app.post("/auth/token", json: .object(json)).status == 200)
    }

    @Test func `is answered to an app of ours as it asks to know of its user`() async throws {
        let app = try await APIStage.exchanging()
        let answer = await app.exchange(["client_id": "acme-id", "scope": "openid email unheard-of"])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.json["scope"] == "openid email" && answer.json["user"] == nil)
        #expect(answer.json["issued_token_type"]?.string == SubjectToken.accessTokenType)
        let idToken = try #require(answer.json["id_token"]?.string)
        #expect(idToken.split(separator: ".").count == 3)
        let token = try #require(answer.json["access_token"]?.string)
        let userinfo = await app.send(.get, "/auth/userinfo", headers: bearer(token))
        #expect(userinfo.json["email"] == "jane@example.com" && userinfo.json["name"] == nil)
        // What changes nothing is all that an exchange gives, and a session that goes on is not in that.
        #expect(answer.json["refresh_token"] == nil)
        // Nothing asked is nothing told.
        let bare = await app.exchange(["client_id": "acme-id"])
        #expect(bare.status == 200 && bare.json["scope"] == nil && bare.json["id_token"] == nil)
        let shown = await app.send(
            .get, "/auth/userinfo", headers: bearer(try #require(bare.json["access_token"]?.string)))
        #expect(shown.error == "insufficient_scope")
    }

    @Test func `is refused as if nobody had heard of it where no provider takes tokens`() async throws {
        let app = try await APIStage(apps: BrowserStage.apps)
        let posted = await app.exchange()
        #expect(posted.status == 400 && posted.error == "invalid_request")
        let client = await app.exchange(["client_id": "acme-id"])
        #expect(client.status == 400 && client.error == "unsupported_grant_type")
        #expect(app.stage.transport.requests.isEmpty)
    }

    @Test func `is told apart for apps of ours and for others`() async throws {
        let app = try await APIStage.exchanging()
        app.stage.answerIntrospection { $0[setting: "aud"] = "another-client" }
        let posted = await app.exchange()
        #expect(posted.status == 401 && posted.error == "invalid_grant")
        #expect(posted.json["error_description"] == "The subject_token breaks a rule (aud).")
        let client = await app.exchange(["client_id": "acme-id"])
        #expect(client.status == 400 && client.error == "invalid_request")
        app.stage.answerIntrospection()
        app.stage.answerUserinfo(["sub": "another"])
        #expect(await app.exchange().error == "userinfo_mismatch")
        let mismatch = await app.exchange(["client_id": "acme-id"])
        #expect(mismatch.status == 400 && mismatch.error == "invalid_request")
        app.stage.transport.answer(app.stage.carrier.introspectionEndpoint, .page(status: 500))
        #expect(await app.exchange().error == "provider_error")
        let broken = await app.exchange(["client_id": "acme-id"])
        #expect(broken.status == 502 && broken.error == nil && broken.json["error_code"] == "provider_error")
        for answer in [posted, client, mismatch, broken] {
            for secret in ["opaque", "another-client", "310260-subject"] { #expect(!answer.text.contains(secret)) }
        }
    }

    @Test(
        arguments: [
            (["subject_token": nil], "subject_token"), (["subject_token": "a b"], "subject_token"),
            (["subject_token": "a\r\nX-Evil: 1"], "subject_token"),
            (["subject_token": String(repeating: "x", count: 16_385)], "subject_token"),
            (["subject_token_type": nil], "subject_token_type"),
            (["subject_token_type": "urn:ietf:params:oauth:token-type:id_token"], "subject_token_type"),
            (["subject_token_type": SubjectToken.jwtType], "subject_token_type"),
            (["requested_token_type": "urn:ietf:params:oauth:token-type:refresh_token"], "requested_token_type"),
            (["actor_token": "x"], "actor_token"), (["provider": "other"], "provider"),
            (["correlation_id": "a b"], "correlation_id"),
        ] as [([String: String?], String)])
    func `names the parameter that is wrong`(changes: [String: String?], name: String) async throws {
        let app = try await APIStage.exchanging()
        for client in [nil, "acme-id"] {
            let answer = await app.exchange(changes.merging(["client_id": client]) { $1 })
            #expect(answer.status == 400 && answer.error == "invalid_request")
            #expect(answer.json["error_description"]?.string?.contains(" \(name) ") == true, "\(answer.text)")
        }
        #expect(app.stage.transport.requests.isEmpty)
    }

    @Test func `has each of its parameters once, and as a text`() async throws {
        let app = try await APIStage.exchanging()
        let form = "grant_type=\(SubjectToken.grantType)&subject_token=a&subject_token=b"
        let twice = await app.post("/auth/token", form: form)
        #expect(twice.json["error_description"] == "The parameter subject_token is there twice.")
        let list = await app.post(
            "/auth/token", json: ["grant_type": .string(SubjectToken.grantType), "subject_token": ["opaque"]])
        #expect(list.json["error_description"] == "The parameter subject_token must be a string.")
        // To whatever else is posted they mean nothing.
        let refresh = await app.post(
            "/auth/token", json: ["grant_type": "refresh_token", "refresh_token": "x", "subject_token": ["a"]])
        #expect(refresh.error == "invalid_grant")
        let tokens = "grant_type=refresh_token&refresh_token=x&subject_token=a&subject_token=b"
        #expect(await app.post("/auth/token", form: tokens).error == "invalid_grant")
    }

    @Test func `is for this service's own audience`() async throws {
        let app = try await APIStage.exchanging()
        for name in ["audience", "resource"] {
            for client in [nil, "acme-id"] {
                let answer = await app.exchange([name: "https://other.example", "client_id": client])
                #expect(answer.status == 400 && answer.error == "invalid_target")
            }
            #expect(await app.exchange([name: "api"]).status == 200)
        }
    }

    @Test func `finds the provider by its name or by our identifier there`() async throws {
        let app = try await APIStage.exchanging(others: [
            .openID {
                $0.name = "second"
                $0.clientID = "second-client"
                $0.tokenExchange = TokenExchange(.introspection)
            }
        ])
        #expect(await app.exchange().error == "invalid_request")
        #expect(await app.exchange(["provider": "openid"]).status == 200)
        #expect(await app.exchange(["client_id": "ccid-0123456789abcdef"]).status == 200)
        #expect(await app.exchange(["client_id": "nobody's"]).error == "invalid_client")
        #expect(await app.exchange(["provider": "nobody"]).error == "unknown_provider")
        #expect(await app.exchange(["provider": "openid", "client_id": "second-client"]).error == "unknown_client")
        // An app that may use one of them means that one.
        #expect(await app.exchange(["client_id": "acme-id"]).error == "invalid_request")
        #expect(await app.exchange(["client_id": "acme-id", "provider": "nobody"]).error == "invalid_request")
    }

    @Test func `is for an app's own providers`() async throws {
        let app = try await APIStage.exchanging()
        let named = await app.exchange(["client_id": "desk-id", "provider": "openid"])
        #expect(named.status == 400 && named.error == "invalid_request")
        #expect(await app.exchange(["client_id": "desk-id"]).error == "unsupported_grant_type")
        #expect(app.stage.transport.requests.isEmpty)
    }

    @Test func `is an app's that shows its secret, and else of who has the API key`() async throws {
        let app = try await APIStage.exchanging(apiKeys: ["key"])
        #expect(await app.exchange().error == "invalid_api_key")
        #expect(await app.exchange(headers: [("X-API-KEY", "key")]).status == 200)
        #expect(await app.exchange(["client_id": "acme-id"]).status == 200)
        for secret in [nil, "wrong"] {
            let answer = await app.exchange(["client_id": "web-id", "client_secret": secret])
            #expect(answer.status == 401 && answer.error == "invalid_client")
        }
        #expect(await app.exchange(["client_id": "web-id", "client_secret": BrowserStage.webSecret]).status == 200)
        #expect(await app.exchange(headers: BrowserStage.basic("web-id", BrowserStage.webSecret)).status == 200)
    }

    @Test func `counts as a sign-in, so that nobody has a provider asked without end`() async throws {
        for client in [nil, "acme-id"] {
            let app = try await APIStage.exchanging(perMinute: 1)
            app.stage.answerIntrospection { $0[setting: "active"] = false }
            let code: JSONValue = client == nil ? "invalid_grant" : "invalid_request"
            #expect(await app.exchange(["client_id": client]).json["error_code"] == code)
            let answer = await app.exchange(["client_id": client])
            #expect(answer.status == 429 && answer.json["error_code"] == "rate_limited")
            #expect(answer.error == (client == nil ? "rate_limited" : nil))
            #expect(answer.header("retry-after") != nil)
            #expect(app.stage.introspections.count == 1)
        }
    }

    @Test func `registers nobody where registration is by ticket`() async throws {
        let app = try await APIStage.exchanging(registration: .ticket)
        let posted = await app.exchange()
        #expect(posted.status == 403 && posted.error == "unlinked_user")
        let ticket = try #require(posted.json["link_ticket"])
        // Our own apps get no ticket, for they have no use for one.
        let client = await app.exchange(["client_id": "acme-id"])
        #expect(client.status == 400 && client.error == "access_denied" && client.json["link_ticket"] == nil)
        #expect(await app.post("/users", json: ["link_ticket": ticket]).status == 201)
        #expect(await app.exchange(["client_id": "acme-id"]).status == 200)
    }

    @Test func `opens a session that can't take the account over`() async throws {
        let app = try await APIStage.exchanging()
        let token = try #require(await app.exchange().json["token"]?.string)
        let answer = await app.send(.delete, "/users/me", headers: bearer(token))
        #expect(answer.status == 403 && answer.error == "insufficient_scope")
    }

    @Test func `is logged as a sign-in, with the rule that was broken and nothing of the token`() async throws {
        let app = try await APIStage.exchanging(.jwt)
        let stolen = try app.stage.carrier.accessToken { $0.claims[setting: "aud"] = "another-client" }
        _ = await app.exchange(["subject_token": stolen, "correlation_id": "abc-1"])
        _ = await app.exchange(["subject_token": try app.stage.carrier.accessToken(), "client_id": "acme-id"])
        let lines = app.log.signIns
        #expect(lines.map { $0.values["outcome"] } == ["failed", "new_user"])
        #expect(lines[0].values["reason"] == "invalid_grant: access token: aud" && lines[0].level == .notice)
        #expect(lines[0].values["correlation_id"] == "abc-1" && lines[0].values["provider"] == "openid")
        #expect(app.failedSignIns.take().map(\.reason) == ["invalid_grant"])
        for secret in ["eyJ", "310260-subject", "jane@example.com"] { #expect(!app.log.text.contains(secret)) }
    }

    @Test func `is announced where some provider takes tokens`() async throws {
        for (app, isThere) in [(try await APIStage.exchanging(), true), (try await APIStage(), false)] {
            for path in IssuerMetadata.paths {
                let types = await app.send(.get, path).json["grant_types_supported"]?.array ?? []
                #expect(types.contains(.string(SubjectToken.grantType)) == isThere)
                #expect(types.contains("authorization_code"))
            }
        }
    }
}

/// Asks for every answer that an exchange has.
enum ExchangeTour {
    static func seen() async throws -> Set<String> {
        let app = try await APIStage.exchanging()
        _ = await app.exchange()
        app.stage.answerUserinfo(["sub": "another"])
        _ = await app.exchange()
        let faults: [ScriptedTransport.Outcome] = [
            .failure(.timedOut(requestSent: true)), .failure(.couldNotConnect), .success(.page),
        ]
        for fault in faults {
            app.stage.transport.answer(app.stage.carrier.introspectionEndpoint) { _ in fault }
            for client in [nil, "acme-id"] { _ = await app.exchange(["client_id": client]) }
        }
        let ticket = try await APIStage.exchanging(registration: .ticket)
        _ = await ticket.exchange()
        return app.seenAnswers.union(ticket.seenAnswers)
    }
}
