import Crypto
import HTTPClient
import JOSE
import JSON
import Providers
import Syntax
import TestSupport
import Testing

@Suite struct `A request for a push` {
    private static let now = SigningProvider.now

    private static let request = PushRequest(
        clientID: "client", redirectURI: "app:/cb", notificationURI: "https://gatehouse.example/notification",
        scopes: ["openid", "email"], acrValues: "a3", loginHint: "+12065550100", correlationID: "correlation-1",
        context: "Counter 4", expiresIn: 600, notificationToken: "the-token", state: "the-state", nonce: "the-nonce")

    private func sent(_ signer: RequestSigner, _ keys: ClientKeys = ClientKeys()) throws -> OutboundRequest {
        let policy = OutboundPolicy(
            caFile: nil, allowsPrivateAddresses: false, connectionsPerHost: 1, maximumBodyBytes: 1,
            connectTimeout: .seconds(1))
        return try Self.request.request(
            to: EndpointURL("https://carrier.example/push", allowLoopbackHTTP: false), of: "https://carrier.example",
            signedBy: signer, keys: keys, identifier: "the-jti", now: Self.now, timeout: .seconds(1), policy: policy)
    }

    @Test func `is a function of its values, its name and the time, signed with RS256`() throws {
        let signer = try RequestSigner(key: TestKeys.rsa, keyID: SigningProvider.keyID)
        let sent = try sent(signer)
        #expect(try self.sent(signer).body == sent.body)
        let text = try #require(sent.bodyText.split(separator: "=").last)
        let verified = try JWS.verify(
            String(text), keys: SigningProvider().keySet, allowed: [.rs256], maximumByteCount: 8192)
        #expect(verified.header.keyID == SigningProvider.keyID && verified.header.hasType("jwt"))
        #expect(
            try JSONValue(parsing: verified.payload) == [
                "iss": "client", "sub": "client", "aud": "https://carrier.example", "iat": .integer(Self.now),
                "exp": .integer(Self.now + 120), "jti": "the-jti", "client_id": "client",
                "response_type": "async_token", "redirect_uri": "app:/cb",
                "notification_uri": "https://gatehouse.example/notification", "scope": "openid email",
                "acr_values": "a3", "login_hint": "+12065550100", "correlation_id": "correlation-1",
                "context": "Counter 4", "expires_in": 600, "client_notification_token": "the-token",
                "state": "the-state", "nonce": "the-nonce", "prompt": "login",
            ])
    }

    @Test func `takes an RSA key, or the shared one once there is one`() throws {
        #expect(throws: CryptoError.algorithmMismatch) { try RequestSigner(key: TestKeys.p256, keyID: nil) }
        #expect(throws: ProviderCallError.noClientKey) { try sent(.shared) }
        let keys = ClientKeys()
        keys.use([try JWTSigner(key: TestKeys.p256, algorithm: .es256, type: "JWT")])
        #expect(throws: ProviderCallError.noClientKey) { try sent(.shared, keys) }
        keys.use([try JWTSigner(key: TestKeys.rsa, algorithm: .rs256, type: "JWT")])
        #expect(try !sent(.shared, keys).body.isEmpty)
    }
}

@Suite struct `A carrier's answer to a push` {
    private func answer(_ json: JSONValue, _ status: Int = 200) throws -> PushAnswer {
        try PushAnswer(.json(json, status: status))
    }

    @Test func `names the request, and its life as a text or a number or not at all`() throws {
        for (value, expected) in [("3600", 3600), (60, 60), (nil, nil), ("x", nil), (0, nil), (-1, nil)]
            as [(JSONValue?, Int64?)]
        {
            var document = JSONObject([("auth_req_id", "id")])
            if let value { document.append("expires_in", value) }
            #expect(try answer(.object(document)) == .accepted(id: "id", expiresIn: expected))
        }
    }

    @Test(arguments: [
        "user_not_found", "invalid_login_hint", "access_denied", "request_denied", "user_unsupported",
        "authentication_timed_out", "device_unavailable", "login_required", "unheard_of",
    ]) func `is one about the user, whatever the reason and the status`(error: String) throws {
        for status in [200, 400, 401, 403, 404] {
            #expect(try answer(["error": .string(error)], status) == .refusedForUser)
        }
    }

    private static let failures: [(JSONValue, Int)] = [
        (["error": "server_error"], 400), (["error": "temporarily_unavailable"], 400),
        (["error": "invalid_client"], 401),
        (["error": "invalid_request"], 400), (["error": "user_not_found"], 500), (["error": "user_not_found"], 429),
        ([:], 400), ([:], 200), (["auth_req_id": ""], 200), (["auth_req_id": 7], 200),
        (["auth_req_id": .string(String(repeating: "x", count: 513))], 200), ([], 200), (["auth_req_id": "id"], 302),
    ]

    @Test(arguments: failures.indices) func `is a failure where it is about nobody`(index: Int) {
        let (json, status) = Self.failures[index]
        #expect(throws: ProviderCallError.self) { try answer(json, status) }
    }
}
