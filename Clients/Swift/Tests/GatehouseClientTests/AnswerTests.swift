import Foundation
import GatehouseClient
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Answers as a test says, in the order of what is asked, and remembers what that was.
private actor Script: Transport {
    struct Line {
        var status = 200
        var body: String
        var headers: [String: String] = [:]
    }

    private(set) var heard: [String] = []
    private var lines: [Line]
    private var meanwhile: (@Sendable () async throws -> Void)?

    init(_ lines: Line...) { self.lines = lines }

    /// Lets something happen before the end of sessions is answered.
    func beforeItEnds(_ meanwhile: @escaping @Sendable () async throws -> Void) { self.meanwhile = meanwhile }

    func send(_ request: URLRequest) async throws -> (body: Data, response: HTTPURLResponse) {
        let url = try #require(request.url)
        heard.append("\(request.httpMethod ?? "") \(url.path)")
        let line = lines.isEmpty ? Line(body: "{}") : lines.removeFirst()
        if request.httpMethod == "DELETE" { try await meanwhile?() }
        let response = HTTPURLResponse(
            url: url, statusCode: line.status, httpVersion: "HTTP/1.1", headerFields: line.headers)
        return (Data(line.body.utf8), try #require(response))
    }
}

/// What the service says, played by a script.
@Suite struct `An answer` {
    /// The tokens of a user, as members of an object.
    private func tokens(of user: Int) -> String {
        let claims = Data(#"{"sub":"\#(user)"}"#.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
        return #""access_token":"e30.\#(claims).x","refresh_token":"r","expires_in":900"#
    }

    private func session(_ script: Script) throws -> GatehouseSession {
        try GatehouseSession(
            base: #require(URL(string: "https://sign-in.example")), store: MemoryStore(), transport: script)
    }

    @Test func `to a sign-in tells what else there is to know`() async throws {
        let script = Script(
            .init(
                body: """
                    {\(tokens(of: 7)),"user":{"user_id":7},"new_user":true,"migrated":false,"merge_offered":true,
                    "declined_scopes":["email","phone"]}
                    """))
        let signedIn = try await session(script).signIn(with: .code("c"))
        #expect(signedIn.isNewUser && !signedIn.hasMigrated && signedIn.isMergeOffered)
        #expect(signedIn.declinedScopes == ["email", "phone"])
    }

    @Test func `to a sign-in that names another user than its token is given up`() async throws {
        let script = Script(.init(body: "{\(tokens(of: 8)),\"user\":{\"user_id\":7}}"))
        await #expect(throws: GatehouseError.anotherUser) { try await session(script).signIn(with: .code("c")) }
        #expect(await script.heard == ["POST /auth/signin", "POST /auth/revoke"])
    }

    @Test func `with somebody else's receipt is given up`() async throws {
        let receipt =
            "e30.\(Data(#"{"sub":"9"}"#.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")).x"
        let browser = BrowserCode("c", clientID: "shop", redirectURI: nil, codeVerifier: "v")
        let script = Script(.init(body: "{\(tokens(of: 7)),\"receipt\":\"\(receipt)\"}"))
        await #expect(throws: GatehouseError.anotherUser) { try await session(script).signIn(with: browser) }
        #expect(await script.heard == ["POST /auth/token", "POST /auth/revoke"])
        let approving = try session(
            Script(
                .init(body: "{\(tokens(of: 7)),\"user\":{\"user_id\":7}}"), .init(body: "{\"receipt\":\"\(receipt)\"}"))
        )
        try await approving.signIn(with: .code("c"))
        await #expect(throws: GatehouseError.anotherUser) { try await approving.approve("Pay", with: .code("d")) }
    }

    @Test func `of an app's code that brings a ticket is somebody unknown, whatever its status`() async throws {
        for status in [400, 403] {
            let script = Script(
                .init(
                    status: status,
                    body: """
                        {"error":"unlinked_user","error_code":"unlinked_user","link_ticket":"plain.t","expires":600,
                        "zenkey_attributes":{"sub":"plain.t","name":{"value":"Ada L.","given_name":"Ada"},
                        "phone":{"value":"+1"},"address":{"value":{"locality":"London","lat":1}},"claims":{"a":[1]}}}
                        """))
            do {
                try await session(script).signIn(
                    with: BrowserCode("c", clientID: "shop", redirectURI: nil, codeVerifier: "v"))
                Issue.record("nobody is signed in")
            } catch GatehouseError.unlinkedUser(let user) {
                #expect(user.attributes.name == "Ada L." && user.attributes.givenName == "Ada")
                #expect(user.attributes.phoneNumber == "+1" && user.attributes.address == ["locality": "London"])
                #expect(user.attributes.email == nil && user.expires == 600)
            }
        }
        let without = Script(.init(status: 403, body: #"{"error":"unlinked_user","expires":600}"#))
        await #expect(throws: GatehouseError.refused(status: 403, code: "unlinked_user", description: "")) {
            try await session(without).signIn(with: .code("c"))
        }
    }

    @Test(
        arguments: [
            ("https://choose.example/ui?a=b", true), ("javascript:alert(1)", false), ("http://choose.example", false),
        ])
    func `names a page to choose a carrier on only where that may be opened`(page: String, mayOpen: Bool) async throws {
        let script = Script(.init(status: 400, body: #"{"error":"provider_not_found","discovery_ui":"\#(page)"}"#))
        do {
            try await session(script).signIn(with: .code("c"))
            Issue.record("no carrier was found")
        } catch GatehouseError.providerNotFound(let discoveryUI) {
            #expect((discoveryUI != nil) == mayOpen)
            if let discoveryUI {
                #expect(
                    discoveryUI.address(clientID: "c", redirectURI: "r", state: "s").absoluteString
                        == "https://choose.example/ui?a=b&client_id=c&redirect_uri=r&state=s&prompt=true")
            }
        }
    }

    @Test func `says how fresh, and at which level, the user must have authenticated`() async throws {
        let challenge =
            "Bearer error=\"insufficient_user_authentication\", error_description=\"within 60 seconds: sign in "
            + "again.\", max_age=\"60\", acr_values=\"a3 a2\""
        let refusal = Script.Line(
            status: 401, body: #"{"error":"insufficient_user_authentication"}"#,
            headers: ["WWW-Authenticate": challenge])
        await #expect(throws: GatehouseError.insufficientUserAuthentication(maximumAge: 60, acrValues: "a3 a2")) {
            try await session(Script(refusal)).signIn(with: .code("c"))
        }
    }

    @Test func `to an end of all sessions leaves one that has begun meanwhile`() async throws {
        let script = Script(
            .init(body: "{\(tokens(of: 7)),\"user\":{\"user_id\":7}}"), .init(body: #"{"revoked":3}"#),
            .init(body: "{\(tokens(of: 8)),\"user\":{\"user_id\":8}}"))
        let session = try session(script)
        try await session.signIn(with: .code("c"))
        await script.beforeItEnds { try await session.signIn(with: .code("d")) }
        #expect(try await session.signOutEverywhere() == 3)
        #expect(await session.isSignedIn)
    }

    @Test func `that does not say which session this one is ends none`() async throws {
        let listed = #"{"session_id":"a","created_at":1,"expires_at":2,"provider":"p","client_id":"c","current":false}"#
        let script = Script(
            .init(body: "{\(tokens(of: 7)),\"user\":{\"user_id\":7}}"), .init(body: "[\(listed),\(listed)]"))
        let session = try session(script)
        try await session.signIn(with: .code("c"))
        await #expect(throws: GatehouseError.unreachable) { try await session.endOtherSessions() }
        #expect(await !script.heard.contains { $0.hasPrefix("DELETE") })
    }
}
