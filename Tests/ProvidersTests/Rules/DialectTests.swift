import HTTPClient
import JSON
import Providers
import TestSupport
import Testing

@Suite struct `A dialect of refusals` {
    private static let request = TokenRequest(
        code: "c", redirectURI: "app:/", codeVerifier: "v", correlationID: nil, sdkVersion: nil)

    private func refusal(_ response: OutboundResponse, _ dialect: DialectName = .standard) -> ProviderCallError? {
        Result { () throws(ProviderCallError) in
            try TokenResponse(response, to: Self.request, dialect: dialect.dialect)
        }.failure
    }

    @Test(arguments: DialectName.allCases) func `reads status and name together: 401 is about who we are`(
        name: DialectName
    ) {
        let answer = OutboundResponse.json(
            ["error": "access_denied", "error_description": "Unauthorized"], status: 401)
        guard case .refused(let error) = refusal(answer, name) else {
            Issue.record("it is no refusal")
            return
        }
        // Slack says nothing by statuses.
        #expect(error == (name == "slack" ? .accessDenied : .clientFault("access_denied")))
    }

    @Test(arguments: ["interaction_required", "login_required", "consent_required"])
    func `of a token endpoint tells a user who has to act from one who said no`(name: String) {
        #expect(refusal(.json(["error": .string(name)], status: 400)) == .refused(.interactionRequired))
        #expect(refusal(.json(["error": "access_denied"], status: 403)) == .refused(.accessDenied))
    }

    @Test(arguments: [500, 502, 504]) func `takes a denial for one whatever the status, and no other refusal`(
        status: Int
    ) {
        #expect(refusal(.json(["error": "access_denied"], status: status)) == .refused(.accessDenied))
        for name in ["invalid_grant", "invalid_client", "server_error", "odd"] {
            #expect(refusal(.json(["error": .string(name)], status: status)) == .status(status), "\(name)")
        }
        let denial = OutboundResponse.json(["error": "access_denied"], status: status)
        #expect(Dialect.standard.isRefusal(denial) && !Dialect.standard.isRefusal(.page(status: status)))
    }

    @Test func `finds the same words elsewhere to mean what they mean everywhere`() {
        let code = OutboundResponse.json(
            ["error": "invalid_request", "error_description": "does not match authorization code"], status: 400)
        #expect(refusal(code) == .refused(.clientFault("invalid_request")))
        #expect(refusal(code, "linkedin") == .refused(.invalidGrant))
    }

    @Test func `compares a number whole`() {
        func answer(_ number: Int) -> OutboundResponse {
            .json(["error": "invalid_grant", "error_description": .string("AADSTS\(number): x")], status: 400)
        }
        #expect(refusal(answer(50_076), "entra") == .refused(.interactionRequired))
        #expect(refusal(answer(500_760), "entra") == .refused(.invalidGrant))
        let nested: JSONValue = ["error": ["message": "It failed 4 times.", "type": "OAuthException", "code": 100]]
        #expect(refusal(.json(nested, status: 400), "facebook") == .refused(.unknown))
    }

    @Test(arguments: [
        ("acme.eu.auth0.com", "auth0" as DialectName), ("auth0.com", "auth0"), ("auth0.com.evil.example", "standard"),
        ("evilauth0.com", "standard"), ("acme.okta.com", "okta"), ("www.linkedin.com", "linkedin"),
        ("slack.com", "slack"),
        ("login.microsoftonline.com", "entra"), ("acme.b2clogin.com", "entra"), ("access.line.me", "line"),
        ("accounts.google.com", "google"), ("appleid.apple.com", "apple"), ("www.facebook.com", "facebook"),
        ("id.twitch.tv", "twitch"), ("", "standard"),
    ])
    func `is known by the host of the issuer`(host: String, name: DialectName) {
        #expect(DialectName(host: host) == name)
    }

    @Test func `tells an access token that nobody wants from one that is missing`() throws {
        let answer = OutboundResponse.json(["id_token": "a.b.c"])
        #expect(refusal(answer) == .invalidMember("access_token"))
        for token in [nil, .null, ""] as [JSONValue?] {
            var body = JSONObject([("id_token", "a.b.c")])
            body[setting: "access_token"] = token
            let tokens = try TokenResponse(.json(.object(body)), to: Self.request, needsAccessToken: false)
            #expect(tokens.accessToken == nil && tokens.idToken == "a.b.c")
        }
        for token in [7, "a b", ["a"]] as [JSONValue] {
            #expect(throws: ProviderCallError.invalidMember("access_token")) {
                try TokenResponse(
                    .json(["id_token": "a.b.c", "access_token": token, "token_type": "Bearer"]), to: Self.request,
                    needsAccessToken: false)
            }
        }
    }

    @Test func `is told where a redirect leads, without what stands in its query`() {
        let answer = OutboundResponse(
            status: 307, headers: [(name: "Location", value: "https://other.example/token?code=secret")], body: [])
        #expect(refusal(answer) == .redirected(307, to: PrintableName("https://other.example/token")))
    }

    @Test(
        arguments: [
            (200, "", .done), (204, "", .done), (200, "gone", .done), (200, #"{"anything":1}"#, .done),
            (200, #"{"error":"invalid_client"}"#, .failed(.refused(.clientFault("invalid_client")))),
            (400, #"{"error":"invalid_token"}"#, .done), (400, #"{"error":"invalid_grant"}"#, .done),
            (400, #"{"error":"unsupported_token_type"}"#, .impossible),
            (401, #"{"error":"invalid_client"}"#, .failed(.refused(.clientFault("invalid_client")))),
            (401, #"{"error":"invalid_token"}"#, .failed(.status(401))), (503, "", .failed(.status(503))),
        ] as [(Int, String, RevocationAnswer)])
    func `is read in an answer to a revocation`(status: Int, body: String, answer: RevocationAnswer) {
        #expect(RevocationAnswer(.text(body, type: "application/json", status: status)) == answer)
    }
}
