import Crypto
import HTTPClient
import JSON
import Providers
import SignIn
import TestSupport
import Testing

/// Something that goes wrong at the provider, and what the app is told.
struct ProviderFault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let error: ServiceError
    let parameters: [String: String]
    let cause: @Sendable (SignInStage) throws -> Void

    init(
        _ description: String, _ error: ServiceError, parameters: [String: String] = [:],
        _ cause: @escaping @Sendable (SignInStage) throws -> Void
    ) {
        testDescription = description
        self.error = error
        self.parameters = parameters
        self.cause = cause
    }

    private static func token(_ description: String, _ error: ServiceError, _ response: OutboundResponse)
        -> ProviderFault
    {
        ProviderFault("token endpoint: \(description)", error) {
            $0.transport.answer($0.carrier.tokenEndpoint, response)
        }
    }

    private static func token(_ failure: HTTPClientError, _ error: ServiceError) -> ProviderFault {
        ProviderFault("token endpoint: \(failure)", error) { $0.transport.fail($0.carrier.tokenEndpoint, failure) }
    }

    private static func problem(_ step: ProviderProblem.Step, _ failure: ProviderCallError) -> ServiceError {
        .providerError(ProviderProblem(step, failure))
    }

    private static func claim(
        _ fault: IDTokenError, parameters: [String: String] = [:],
        _ change: @escaping @Sendable (inout TokenDraft) -> Void
    ) -> ProviderFault {
        ProviderFault("ID token: \(fault.rawValue)", .invalidIDToken(fault), parameters: parameters) {
            try $0.answerToken(change)
        }
    }

    private static func userinfo(_ description: String, _ error: ServiceError, _ response: OutboundResponse)
        -> ProviderFault
    {
        ProviderFault("userinfo: \(description)", error) { $0.transport.answer($0.carrier.userinfoEndpoint, response) }
    }

    private static let loginHint = ServiceError.invalidParameter(
        ParameterError("login_hint", "of the authorization request was refused by the provider"))

    /// The code was not taken, for sure: it may be tried again.
    static let clearRefusals: [ProviderFault] = [
        token("invalid_grant", .invalidGrant(.refusedByProvider), .json(["error": "invalid_grant"], status: 400)),
        token("request_denied", .invalidGrant(.refusedByProvider), .json(["error": "request_denied"], status: 400)),
        token("an error inside 200", .invalidGrant(.refusedByProvider), .json(["error": "invalid_grant"])),
        token("access_denied", .accessDenied, .json(["error": "access_denied"], status: 403)),
        token("user_not_found", .providerNotFound(discoveryUI: nil), .json(["error": "user_not_found"], status: 400)),
        token(
            "authentication_timed_out", .authenticationTimedOut,
            .json(["error": "authentication_timed_out"], status: 400)),
        token("invalid_login_hint", loginHint, .json(["error": "invalid_login_hint"], status: 400)),
        token("invalid_login_hint_token", loginHint, .json(["error": "invalid_login_hint_token"], status: 400)),
        token(
            "temporarily_unavailable", .providerUnavailable, .json(["error": "temporarily_unavailable"], status: 400)),
        token("503 that says so", .providerUnavailable, .json(["error": "temporarily_unavailable"], status: 503)),
        token(
            "invalid_client", problem(.token, .refused(.clientFault("invalid_client"))),
            .json(["error": "invalid_client"], status: 401)),
        token(
            "redirect_uri_mismatch", problem(.token, .refused(.clientFault("redirect_uri_mismatch"))),
            .json(["error": "redirect_uri_mismatch"], status: 400)),
        token("an unknown error", .invalidGrant(.refusedByProvider), .json(["error": "odd"], status: 400)),
        token("invalid_code", .invalidGrant(.refusedByProvider), .json(["error": "invalid_code"], status: 403)),
        token(
            "an object for an error", .invalidGrant(.refusedByProvider),
            .json(["error": ["message": "No.", "type": "OAuthException", "code": 100]], status: 400)),
        token("a page with 400", problem(.token, .status(400)), .page(status: 400)),
        token("429", .providerUnavailable, .page(status: 429)),
        token(.couldNotConnect, .providerUnavailable), token(.couldNotResolve, .providerUnavailable),
        token(.tlsFailed, problem(.token, .transport(.tlsFailed))),
        token(.refusedAddress, problem(.token, .transport(.refusedAddress))),
        token(.timedOut(requestSent: false), .providerTimeout),
        token(.connectionBroken(requestSent: false), .providerUnavailable),
        token(.shutDown, .overloaded),
    ]

    /// The code may be spent: it must never be sent again.
    static let afterExchange: [ProviderFault] = [
        token(.timedOut(requestSent: true), .providerTimeout),
        token(.connectionBroken(requestSent: true), problem(.token, .transport(.connectionBroken(requestSent: true)))),
        token(.responseTooLarge, problem(.token, .transport(.responseTooLarge))),
        token(.malformedResponse, problem(.token, .transport(.malformedResponse))),
        token(.cancelled, .providerTimeout),
        token("a page with 200", problem(.token, .notJSON), .page),
        token(
            "no ID token", problem(.token, .invalidMember("id_token")),
            .json(["access_token": "a", "token_type": "bearer"])),
        token("500", problem(.token, .status(500)), .page(status: 500)),
        token("503", problem(.token, .status(503)), .page(status: 503)),
        token("504", problem(.token, .status(504)), .page(status: 504)),
        token("a redirect", problem(.token, .status(302)), .page(status: 302)),
        claim(.algorithm) { $0.header[setting: "alg"] = "none" },
        claim(.issuer) { $0.claims[setting: "iss"] = "https://other.example" },
        claim(.audience) { $0.claims[setting: "aud"] = "another" },
        claim(.authorizedParty) { $0.claims[setting: "azp"] = "another" },
        claim(.expired) { $0.claims[setting: "exp"] = .integer(SigningProvider.now - 360) },
        claim(.issuedAt) { $0.claims[setting: "iat"] = nil },
        claim(.nonce) { $0.claims[setting: "nonce"] = "another" },
        claim(.subject) { $0.claims[setting: "sub"] = nil },
        claim(.acr, parameters: ["acr_values": "a3"]) { $0.claims[setting: "acr"] = "a1" },
        claim(.context, parameters: ["context": "Pay 20 dollars"]) {
            $0.claims[setting: "context"] = "Pay 200 dollars"
        },
        claim(.accessTokenHash) { $0.claims[setting: "at_hash"] = "wrong" },
        claim(.unknownKey) { $0.header[setting: "kid"] = "unknown" },
        ProviderFault("ID token: signature", .invalidIDToken(.signature)) {
            let forged = try $0.carrier.idTokenDraft.signed(by: TestKeys.otherRSA, with: .rs256)
            $0.transport.answer($0.carrier.tokenEndpoint, json: SignInStage.tokens(idToken: forged))
        },
        ProviderFault("ID token: malformed", .invalidIDToken(.malformed)) {
            $0.transport.answer($0.carrier.tokenEndpoint, json: SignInStage.tokens(idToken: "garbage"))
        },
        claim(.malformed) { $0.claims[setting: "auth_time"] = "noon" },
        claim(.malformed) { $0.claims[setting: "exp"] = .number(1e300) },
        ProviderFault("ID token: longer than 32 kilobytes", .invalidIDToken(.malformed)) {
            try $0.answerToken { $0.claims[setting: "x"] = .string(String(repeating: "x", count: 32_768)) }
        },
        ProviderFault("keys: unreachable", .providerUnavailable) {
            $0.transport.fail($0.carrier.keysEndpoint, .couldNotConnect)
        },
        ProviderFault("keys: a page", problem(.keys, .notJSON)) { $0.transport.answer($0.carrier.keysEndpoint, .page) },
        userinfo("an array", .userinfoMismatch, .json(["x"])),
        userinfo("without sub", .userinfoMismatch, .json(["email": "jane@example.com"])),
        userinfo("another sub", .userinfoMismatch, .json(["sub": "another"])),
        userinfo("a page", problem(.userinfo, .notJSON), .page),
        userinfo("401", problem(.userinfo, .status(401)), .page(status: 401)),
        userinfo("429", .providerUnavailable, .page(status: 429)),
        userinfo("no JWT", .userinfoMismatch, .text("garbage", type: "application/jwt")),
        signedUserinfo("by another key", by: TestKeys.otherRSA) { _ in },
        signedUserinfo("for another") { $0.claims[setting: "aud"] = "another" },
        signedUserinfo("about another") { $0.claims[setting: "sub"] = "another" },
        signedUserinfo("with alg none") { $0.header[setting: "alg"] = "none" },
        ProviderFault("userinfo: too slow", .providerTimeout) {
            $0.transport.fail($0.carrier.userinfoEndpoint, .timedOut(requestSent: true))
        },
    ]

    private static func signedUserinfo(
        _ description: String, by key: PrivateKey = TestKeys.rsa,
        _ change: @escaping @Sendable (inout TokenDraft) -> Void
    ) -> ProviderFault {
        ProviderFault("userinfo: signed \(description)", .userinfoMismatch) {
            let token = try $0.carrier.idTokenDraft.changed(change).signed(by: key, with: .rs256)
            $0.transport.answer($0.carrier.userinfoEndpoint, .text(token, type: "application/jwt"))
        }
    }

    private static func discovery(_ description: String, _ error: ServiceError, _ response: OutboundResponse)
        -> ProviderFault
    {
        ProviderFault("discovery: \(description)", error) {
            $0.transport.answer(ProviderConfiguration.discoveryURL, response)
        }
    }

    /// The token endpoint is never asked.
    static let beforeExchange: [ProviderFault] = [
        discovery(
            "nobody", .providerNotFound(discoveryUI: "https://app.example/ui"),
            .json(["error": "provider_not_found", "redirect_uri": "https://app.example/ui"])),
        discovery("a page", problem(.discovery, .notJSON), .page),
        discovery("500", problem(.discovery, .status(500)), .page(status: 500)),
        discovery(
            "an untrusted issuer", problem(.discovery, .untrustedIssuer(PrintableName("https://evil.example"))),
            .json(SigningProvider(issuer: "https://evil.example").metadata)),
        discovery(
            "no token endpoint", problem(.discovery, .invalidMember("token_endpoint")),
            .json(["issuer": "https://carrier.example"])),
        ProviderFault("discovery: unreachable", .providerUnavailable) {
            $0.transport.fail(ProviderConfiguration.discoveryURL, .couldNotResolve)
        },
        ProviderFault("discovery: too slow", .providerTimeout) {
            $0.transport.fail(ProviderConfiguration.discoveryURL, .timedOut(requestSent: true))
        },
    ]
}
