import Accounts
import Crypto
import HTTPServer
import HTTPTesting
import JSON
import TestSupport
import Testing

@testable import WebAPI

@Suite struct `Access to the admin listener` {
    @Test(arguments: [
        nil, "Bearer", "Bearer wrong", "Bearer the-admin-toke", "Basic the-admin-token", "the-admin-token",
    ])
    func `access to the admin listener is refused without the token, whatever the path`(authorization: String?)
        async throws
    {
        let admin = try await AdminStage()
        let headers = authorization.map { [("Authorization", $0)] } ?? []
        for path in ["/admin/users", "/admin/users/1", "/nothing"] {
            let answer = await admin.send(.get, path, headers: headers)
            #expect(answer.status == 401)
            #expect(answer.error == "invalid_token")
            #expect(answer.header("www-authenticate") == "Bearer error=\"invalid_token\"")
        }
    }

    @Test func `access to the admin listener is granted by the token, and by nothing for the health check`()
        async throws
    {
        let admin = try await AdminStage()
        #expect(await admin.send(.get, "/admin/users").status == 200)
        let health = await admin.send(.get, "/healthz", headers: [])
        #expect(health.status == 200)
        #expect(health.text == #"{"status":"ok"}"#)
    }

    @Test(arguments: ["/openapi.json", "/docs", "/"])
    func `is needed to read what the listener says of itself, as for all else there`(path: String) async throws {
        let admin = try await AdminStage()
        #expect(await admin.send(.get, path, headers: []).status == 401)
        let answer = await admin.send(.get, path)
        #expect(answer.status == 200)
        #expect(answer.text.contains("/admin/users"))
        #expect(answer.header("cache-control") == "private, max-age=300")
        #expect(!answer.text.contains(AdminStage.token))
    }

    @Test func `changes with the token`() async throws {
        func entry(_ token: String) -> Operators.Entry {
            Operators.Entry(name: "anna", token: Secret(token), roles: [.support], expiresAt: nil)
        }
        let operators = Operators([entry("old")], roleOnLoopback: .auditor)
        func admits(_ text: String) -> Bool {
            let found = try? operators.admit(.sample(.get, "/", headers: bearer(text)), .each(0), now: 0)
            return found == AdmittedOperator(name: "anna", roles: [.support])
        }
        #expect(admits("old") && !admits("new"))
        operators.replace(with: [entry("new")])
        #expect(!admits("old") && admits("new"))
    }

    @Test(arguments: ["127.0.0.1:8081", "127.0.0.1", "localhost:8081", "[::1]:8081", "LocalHost"])
    func `needs no token on loopback where none is configured`(host: String) async throws {
        let admin = try await AdminStage(token: nil)
        #expect(await admin.send(.get, "/admin/users", headers: [("Host", host)]).status == 200)
    }

    @Test(arguments: ["none", "same-origin"])
    func `is a person's who types the address, or follows one of our own pages`(site: String) async throws {
        let admin = try await AdminStage(token: nil)
        let headers = [("Host", "127.0.0.1:8081"), ("Sec-Fetch-Site", site)]
        #expect(await admin.send(.get, "/admin/users", headers: headers).status == 200)
    }

    @Test(
        arguments: [
            [("Host", "127.0.0.1:8081"), ("Origin", "https://evil.example")], [("Host", "evil.example:8081")],
            [("Host", "127.evil.example")], [("Host", "127.0.0.1:8081"), ("Origin", "null")], [],
            [("Host", "[::1].evil.example")], [("Host", "[::1]evil.example")], [("Host", "localhost.evil.example")],
            [("Host", "127.0.0.1.nip.io")], [("Host", "127.0.0.1@evil.example")], [("Host", "evil.example#127.0.0.1")],
            [("Host", "192.168.1.1:8081")], [("Host", "127.0.0.1/x")],
            [("Host", "127.0.0.1:8081"), ("Sec-Fetch-Site", "cross-site")],
            [("Host", "localhost:8081"), ("Sec-Fetch-Site", "same-site")],
            [("Host", "localhost"), ("Sec-Fetch-Site", "none"), ("Sec-Fetch-Site", "cross-site")],
            [("Host", "localhost"), ("Sec-Fetch-Site", "")],
        ] as [[(String, String)]])
    func `access to the admin listener is refused to web pages that reach loopback through a browser`(
        headers: [(String, String)]
    ) async throws {
        let admin = try await AdminStage(token: nil)
        try await admin.populate(1)
        #expect(await admin.send(.get, "/admin/users", headers: headers).status == 401)
        #expect(await admin.send(.delete, "/admin/users/1", headers: headers).status == 401)
        #expect(try await admin.stage.repository.userCount() == 1)
    }

    @Test func `ends at paths and methods that are not there`() async throws {
        let admin = try await AdminStage()
        let unknown = await admin.send(.get, "/admin/nothing")
        #expect(unknown.status == 404)
        #expect(unknown.error == "not_found")
        let method = await admin.send(.post, "/admin/users", json: [:])
        #expect(method.status == 405)
        #expect(method.header("allow") == "GET, HEAD, OPTIONS")
        #expect(await admin.send(.get, "/auth/signin").status == 404)
    }

    @Test func `access to the admin listener is logged without token and query`() async throws {
        let admin = try await AdminStage()
        _ = await admin.send(.get, "/admin/users", query: "issuer=https%3A%2F%2Fa.example&subject=secret-subject")
        _ = await admin.send(.get, "/admin/users/7")
        #expect(admin.log.lines.map { $0.values["route"] } == ["/admin/users", "/admin/users/{user_id}"])
        #expect(!admin.log.text.contains("secret-subject"))
        #expect(!admin.log.text.contains(AdminStage.token))
    }
}
