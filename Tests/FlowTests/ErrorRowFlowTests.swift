import GatehouseTesting
import HTTPTesting
import JSON
import Testing

@Suite struct `The errors of the API` {
    private func check(
        _ answer: HTTPTestAnswer, _ status: Int, _ error: String, mentioning word: String? = nil
    ) {
        #expect(answer.status == status, "\(answer.status) \(answer.text)")
        #expect(answer["error"] == .string(error), "\(answer.text)")
        #expect(answer["error_code"] == .string(error))
        #expect(answer["request_id"]?.string?.isEmpty == false)
        #expect(answer.header("content-type") == "application/json")
        #expect(answer.header("cache-control") == "no-store")
        #expect(answer.header("x-content-type-options") == "nosniff")
        if let word { #expect(answer["error_description"]?.string?.contains(word) == true, "\(answer.text)") }
    }

    @Test func `name the parameter that is missing or wrong`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let app = Authorized(
                code: "c-secret", verifier: Authorized.makeVerifier(), mccmnc: "310410", isPlain: false)
            let cases: [(String, JSONValue?)] = [
                ("code", nil), ("mccmnc", nil), ("code_verifier", nil),
                ("mccmnc", "31041"), ("mccmnc", "3104100"), ("mccmnc", "31041x"), ("code_verifier", "short"),
                ("code_verifier", .string(String(repeating: "a", count: 129))),
                ("code_verifier", .string(String(repeating: " ", count: 50))), ("correlation_id", "a b"),
                ("context", .string(String(repeating: "x", count: 281))), ("code", 5), ("code", ["a"]), ("nonce", true),
                ("code", ""), ("redirect_uri", .string("a\nb")),
            ]
            for (name, value) in cases {
                let answer = try await gatehouse.signIn(app, [name: value])
                check(answer, 400, "invalid_request", mentioning: name)
                #expect(!answer.text.contains("c-secret"))
            }
            // Without a network it could be for either of the two providers.
            let anybodys = Authorized(code: "c-secret", verifier: app.verifier, mccmnc: nil, isPlain: true)
            check(
                try await gatehouse.signIn(anybodys, ["client_id": nil]), 400, "invalid_request",
                mentioning: "client_id")
            let twice = try await gatehouse.signIn(app, ["codeVerifier": .string(Authorized.makeVerifier())])
            check(twice, 400, "invalid_request", mentioning: "code_verifier")
        }
    }

    @Test func `the errors of the API refuse bodies that are no parameters`() async throws {
        try await RunningGatehouse.with { gatehouse in
            for body in [
                "", "{", "[]", "null", "\"x\"", #"{"code":"a","code":"b"}"#, String(repeating: "[", count: 5000),
            ] {
                let answer = try await LoopbackClient(port: gatehouse.port).send(
                    "POST", "/auth/signin",
                    headers: ["Content-Type": "application/json; charset=utf-8"], body: Array(body.utf8))
                check(answer, 400, "invalid_request")
            }
            for form in ["code=%zz", "code=a&code=b"] {
                let answer = try await LoopbackClient(port: gatehouse.port).send(
                    "POST", "/auth/signin",
                    headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Array(form.utf8))
                check(answer, 400, "invalid_request")
            }
            let xml = try await LoopbackClient(port: gatehouse.port).send(
                "POST", "/auth/signin", headers: ["Content-Type": "text/xml"],
                body: Array("<a/>".utf8))
            check(xml, 415, "unsupported_media_type")
        }
    }

    @Test func `the errors of the API tell apart who is not configured`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let app = Authorized(code: "c", verifier: Authorized.makeVerifier(), mccmnc: "310410", isPlain: false)
            check(try await gatehouse.signIn(app, ["client_id": "ccid-other"]), 400, "unknown_client")
            check(try await gatehouse.signIn(app, ["provider": "other"]), 400, "unknown_provider")
            check(try await gatehouse.signIn(app, ["provider": "plain"]), 400, "unknown_client")
            check(
                try await gatehouse.signIn(app, ["redirect_uri": "https://evil.example/cb"]), 400,
                "redirect_uri_not_allowed")
        }
    }

    @Test func `demand the API key where keys are configured`() async throws {
        try await RunningGatehouse.with(top: "apiKeys: [app-key-1, app-key-2]") { gatehouse in
            let authorized = try await gatehouse.authorize("ada")
            check(try await gatehouse.signIn(authorized), 401, "invalid_api_key")
            check(
                try await gatehouse.post("/auth/signin", authorized.body(), ["X-API-KEY": "app-key-3"]), 401,
                "invalid_api_key")
            let right = try await gatehouse.post("/auth/signin", authorized.body(), ["X-API-KEY": "app-key-2"])
            #expect(right.status == 200)
            #expect(try await gatehouse.call("GET", "/healthz").status == 200)
        }
    }

    @Test func `the errors of the API refuse a wrong verifier as the carrier does`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let authorized = try await gatehouse.authorize("ada")
            let answer = try await gatehouse.signIn(authorized, ["code_verifier": .string(Authorized.makeVerifier())])
            check(answer, 401, "invalid_grant")
            check(try await gatehouse.signIn(authorized, ["code": "invented"]), 401, "invalid_grant")
        }
    }

    @Test func `the errors of the API tell apart the tokens that do not work`() async throws {
        try await RunningGatehouse.with { gatehouse in
            check(try await gatehouse.call("GET", "/users/me"), 401, "invalid_token")
            for token in ["x", "eyJhbGciOiJub25lIn0.e30.", "a.b.c"] {
                check(try await gatehouse.call("GET", "/users/me", bearer: token), 401, "invalid_token")
                check(try await gatehouse.call("DELETE", "/auth/token", bearer: token), 401, "invalid_token")
            }
            check(try await gatehouse.refresh("nothing"), 401, "invalid_grant")
            check(try await gatehouse.refresh("\(String(repeating: "0", count: 32)).abc"), 401, "invalid_grant")
            check(
                try await gatehouse.call("POST", "/auth/token", form: ["grant_type": "password"]), 400,
                "invalid_request", mentioning: "grant_type")
            check(
                try await gatehouse.call("POST", "/auth/token", form: ["grant_type": "refresh_token"]), 400,
                "invalid_request", mentioning: "refresh_token")
        }
    }

    @Test func `name the parameter that a POST without a body lacks`() async throws {
        try await RunningGatehouse.with { gatehouse in
            for (path, parameter) in [
                ("/auth/revoke", "token"), ("/auth/token", "grant_type"), ("/auth/signin", "client_id"),
            ] {
                let answer = try await LoopbackClient(port: gatehouse.port).answer(
                    to: Array("POST \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8))
                check(answer, 400, "invalid_request", mentioning: parameter)
            }
        }
    }

    @Test func `are none where somebody asks what is answered to`() async throws {
        try await RunningGatehouse.with { gatehouse in
            for (target, allow) in [("/", "GET, HEAD, OPTIONS"), ("*", "GET, HEAD, POST, PATCH, DELETE, OPTIONS")] {
                for line in ["\(target) HTTP/1.1\r\nHost: a\r\nConnection: close", "\(target) HTTP/1.0"] {
                    let answer = try await LoopbackClient(port: gatehouse.port).answer(
                        to: Array("OPTIONS \(line)\r\n\r\n".utf8))
                    #expect(answer.status == 204 && answer.body.isEmpty)
                    #expect(answer.header("allow") == allow)
                    #expect(answer.header("content-length") == nil)
                }
            }
        }
    }

    @Test func `speak HTTP where HTTP is broken`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let port = gatehouse.port
            check(try await gatehouse.call("GET", "/nothing"), 404, "not_found")
            let method = try await gatehouse.call("PUT", "/auth/signin", form: [:])
            check(method, 405, "method_not_allowed")
            #expect(method.header("allow") == "POST, OPTIONS")
            func raw(_ text: String) async throws -> HTTPTestAnswer {
                try await LoopbackClient(port: port).answer(to: Array(text.utf8))
            }
            let post = "POST /auth/signin HTTP/1.1\r\nHost: a\r\n"
            check(try await raw("\(post)Content-Length: 65537\r\n\r\n"), 413, "payload_too_large")
            check(
                try await raw("GET /\(String(repeating: "a", count: 17_000)) HTTP/1.1\r\nHost: a\r\n\r\n"), 414,
                "uri_too_long")
            check(
                try await raw("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 33_000))\r\n\r\n"), 431,
                "headers_too_large")
            check(try await raw("BREW / HTTP/1.1\r\nHost: a\r\n\r\n"), 501, "not_implemented")
            check(try await raw("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505, "http_version_not_supported")
            check(
                try await raw("\(post)Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"), 400, "invalid_request")
            check(try await raw("GET / HTTP/1.1\nHost: a\n\n"), 400, "invalid_request")
            check(
                try await raw("\(post)Transfer-Encoding: chunked\r\n\r\n2;\r\n{}\r\n0\r\n\r\n"), 400, "invalid_request",
                mentioning: "chunk extension")
        }
    }
}
