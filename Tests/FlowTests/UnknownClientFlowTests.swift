import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import Testing

/// What a client hears that this service does not know: an app whose identifier is mistyped, or that another instance
/// knows already.
@Suite struct `A client that is unknown` {
    private static let form = [
        "authorization_code": ["code": "c", "redirect_uri": "https://desk.example/cb", "code_verifier": "v"],
        "refresh_token": ["refresh_token": "r"],
        "urn:ietf:params:oauth:grant-type:token-exchange": [
            "subject_token": "s", "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
        ],
        "client_credentials": [:],
    ]

    private static func basic(_ id: String) -> [String: String] {
        ["Authorization": "Basic " + Data("\(id):secret".utf8).base64EncodedString()]
    }

    private func expectUnknown(_ answer: HTTPTestAnswer, _ what: String) {
        #expect(answer.status == 401 && answer["error"] == "invalid_client", "\(what): \(answer.text)")
        #expect(answer["error_code"] == "invalid_client" && answer["error_description"] != nil)
        #expect(answer.header("www-authenticate") == "Basic realm=\"gatehouse\"")
        #expect(answer.header("cache-control") == "no-store")
    }

    @Test(arguments: [[:], ["GATEHOUSE_API_KEYS": "key"]], form.keys.sorted())
    func `hears invalid_client at the token endpoint, by whichever grant and whichever way`(
        environment: [String: String], grant: String
    ) async throws {
        try await RunningGatehouse.with(top: BrowserFlow.configuration, environment: environment) { gatehouse in
            let form = try #require(Self.form[grant]).merging(["grant_type": grant]) { $1 }
            for headers in [[:], ["X-API-KEY": "key"]] {
                expectUnknown(
                    try await gatehouse.call(
                        "POST", "/auth/token", headers: headers, form: form.merging(["client_id": "desc"]) { $1 }),
                    "in the body")
                expectUnknown(
                    try await gatehouse.call(
                        "POST", "/auth/token", headers: headers.merging(Self.basic("desc")) { $1 }, form: form),
                    "in the header")
            }
        }
    }

    @Test func `hears invalid_client where it revokes and asks what a token is good for`() async throws {
        try await RunningGatehouse.with(top: BrowserFlow.configuration) { gatehouse in
            for path in ["/auth/revoke", "/auth/introspect"] {
                expectUnknown(
                    try await gatehouse.call("POST", path, form: ["token": "t", "client_id": "desc"]), path)
                expectUnknown(
                    try await gatehouse.call("POST", path, headers: Self.basic("desc"), form: ["token": "t"]), path)
            }
        }
    }

    @Test func `keeps its session, which is refreshed once the client is known`() async throws {
        try await BrowserFlow.with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let code = try await browser.code(["scope": "openid offline_access"])
            let signedIn = try await browser.redeem(code)
            let token = try #require(signedIn["refresh_token"]?.string, "\(signedIn.text)")
            func refresh(_ id: String) async throws -> HTTPTestAnswer {
                try await gatehouse.call(
                    "POST", "/auth/token",
                    form: ["grant_type": "refresh_token", "refresh_token": token, "client_id": id])
            }
            for _ in 0..<5 { expectUnknown(try await refresh("desc"), "a refresh") }
            #expect(try await refresh("desk").status == 200)
        }
    }

    @Test func `is no client that a provider knows us by, which posts codes as before`() async throws {
        try await RunningGatehouse.with(top: BrowserFlow.configuration) { gatehouse in
            let signedIn = try await gatehouse.signIn("ada")
            let token = try #require(signedIn["refresh_token"]?.string, "\(signedIn.text)")
            let refreshed = try await gatehouse.call(
                "POST", "/auth/token",
                form: [
                    "grant_type": "refresh_token", "refresh_token": token, "client_id": RunningGatehouse.clientID,
                ])
            #expect(refreshed.status == 200, "\(refreshed.text)")
            let revoked = try await gatehouse.call(
                "POST", "/auth/revoke",
                form: ["token": try #require(refreshed["refresh_token"]?.string), "client_id": "gatehouse-demo"])
            #expect(revoked.status == 200)
        }
    }

    @Test func `is told by a page where the browser brings it, and sent nowhere`() async throws {
        try await BrowserFlow.with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let request = browser.request(["client_id": "desc"])
            let authorize = try await browser.visit("/auth/authorize?" + FormText.encode(request))
            #expect(authorize.status == 400 && authorize.header("location") == nil)
            #expect(authorize.header("content-type")?.hasPrefix("text/html") == true)
            let logout = try await browser.visit(
                "/auth/logout?client_id=desc&post_logout_redirect_uri=https%3A%2F%2Fdesk.example%2Fbye")
            #expect(logout.header("location") == nil)
        }
    }
}
