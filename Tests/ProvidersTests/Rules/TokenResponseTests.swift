import HTTPClient
import JSON
import Providers
import TestSupport
import Testing

@Suite struct `A token response` {
    private static let good: JSONObject = JSONObject([
        ("access_token", "access"), ("token_type", "Bearer"), ("expires_in", 300), ("id_token", "a.b.c"),
    ])

    private static let request = TokenRequest(
        code: "the-code", redirectURI: "app://callback", codeVerifier: "the-verifier", correlationID: nil,
        sdkVersion: nil)

    private func failure(_ response: OutboundResponse) -> ProviderCallError? {
        do throws(ProviderCallError) {
            _ = try TokenResponse(response, to: Self.request)
            return nil
        } catch {
            return error
        }
    }

    private func failure(_ member: String, _ value: JSONValue?) -> ProviderCallError? {
        var body = Self.good
        body[setting: member] = value
        return failure(.json(.object(body)))
    }

    @Test func `gives the two tokens`() throws {
        let tokens = try TokenResponse(.json(.object(Self.good)), to: Self.request)
        #expect(tokens.accessToken == "access")
        #expect(tokens.idToken == "a.b.c")
    }

    @Test(arguments: ["bearer", "BEARER", "bEaReR"])
    func `takes its token_type in any letter case`(type: String) {
        #expect(failure("token_type", .string(type)) == nil)
    }

    @Test func `a token response may leave out expires_in and scope and have members nobody knows`() {
        #expect(failure("expires_in", nil) == nil)
        #expect(failure("expires_in", "soon") == nil)
        #expect(failure("scope", ["odd"]) == nil)
        #expect(failure("correlation_id", 7) == nil)
    }

    @Test(arguments: ["access_token", "token_type", "id_token"], [nil, .null, 7, "", ["x"]] as [JSONValue?])
    func `a token response must have the tokens and their type as texts`(member: String, value: JSONValue?) {
        #expect(failure(member, value) == .invalidMember(member))
    }

    @Test func `a token response is refused with another token_type`() {
        #expect(failure("token_type", "mac") == .invalidMember("token_type"))
        #expect(failure("token_type", "DPoP") == .invalidMember("token_type"))
    }

    @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a b", "a\u{0}b", "a\u{7F}", "é", " a", "a\t"])
    func `a token response is refused with an access token that could break out of a header`(token: String) {
        #expect(failure("access_token", .string(token)) == .invalidMember("access_token"))
    }

    @Test func `a token response is refused when it is no JSON object`() {
        #expect(failure(.page) == .notJSON)
        #expect(failure(.json(["a"])) == .notJSON)
        #expect(failure(.text("", type: "application/json")) == .notJSON)
        #expect(
            failure(.text(#"{"access_token":"a","access_token":"b"}"#, type: "application/json"))
                == .doubtfulMember("access_token"))
    }

    @Test(arguments: [400, 401, 403, 503, 200])
    func `tells an OAuth error whatever status it comes with`(status: Int) {
        let body: JSONValue = ["error": "invalid_grant", "error_description": "secret details"]
        #expect(failure(.json(body, status: status)) == .refused(.invalidGrant))
    }

    @Test func `counts an error beside tokens as an error`() {
        #expect(failure("error", "access_denied") == .refused(.accessDenied))
    }

    @Test(arguments: [300, 302, 400, 404, 418, 500, 503])
    func `tells the status of an answer that is a page`(status: Int) {
        #expect(failure(.page(status: status)) == .status(status))
    }

    @Test(arguments: [302, 500, 502, 504])
    func `believes no OAuth error of a broken server or a redirect`(status: Int) {
        #expect(failure(.json(["error": "invalid_grant"], status: status)) == .status(status))
    }

    @Test(
        arguments: zip(
            [
                "invalid_grant", "request_denied", "access_denied", "authentication_timed_out", "user_unsupported",
                "consent_required", "login_required", "interaction_required", "user_not_found",
                "temporarily_unavailable", "server_error", "network_failure", "device_unavailable", "slow_down",
                "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "invalid_request",
                "invalid_target", "unsupported_response_type", "redirect_uri_mismatch", "invalid_login_hint",
                "invalid_login_hint_token", "invalid_code", "brand_new_error", "",
            ],
            [
                OAuthError.invalidGrant, .invalidGrant, .accessDenied, .authenticationTimedOut, .accessDenied,
                .interactionRequired, .interactionRequired, .interactionRequired, .userNotFound,
                .temporarilyUnavailable, .temporarilyUnavailable,
                .temporarilyUnavailable, .temporarilyUnavailable, .temporarilyUnavailable,
                .clientFault("invalid_client"), .clientFault("unauthorized_client"),
                .clientFault("unsupported_grant_type"), .clientFault("invalid_scope"), .clientFault("invalid_request"),
                .clientFault("invalid_target"), .clientFault("unsupported_response_type"),
                .clientFault("redirect_uri_mismatch"), .loginHintRefused, .loginHintRefused, .unknown, .unknown,
                .unknown,
            ]))
    func `sorts every error code by what it means`(code: String, meaning: OAuthError) {
        #expect(failure(.json(["error": .string(code)], status: 400)) == .refused(meaning))
    }

    @Test func `takes an error that is no text for no OAuth error`() {
        #expect(failure(.json(["error": ["invalid_grant"]], status: 400)) == .status(400))
    }

    @Test func `takes an object for an error, and a known code in it for what it says`() {
        let nested: JSONValue = ["error": ["message": "No.", "type": "OAuthException", "code": 100]]
        for status in [200, 400, 403] { #expect(failure(.json(nested, status: status)) == .refused(.unknown)) }
        let known: JSONValue = ["error": ["code": "invalid_client", "message": "No."]]
        #expect(failure(.json(known, status: 401)) == .refused(.clientFault("invalid_client")))
    }

    @Test(arguments: [429, 503])
    func `a token response is not the last word when it only says not now`(status: Int) {
        #expect(failure(.json(["error": "too_many_requests"], status: status)) == .status(status))
        #expect(failure(.json(["error": "invalid_grant"], status: status)) == .refused(.invalidGrant))
    }

    @Test func `tells a request without a verifier from one that was wrong`() {
        let without = TokenRequest(
            code: "the-code", redirectURI: "app://callback", codeVerifier: nil, correlationID: nil, sdkVersion: nil)
        let answer = OutboundResponse.json(["error": "invalid_request"], status: 400)
        #expect(throws: ProviderCallError.refused(.verifierMissing)) { try TokenResponse(answer, to: without) }
        #expect(failure(answer) == .refused(.clientFault("invalid_request")))
    }
}
