import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

/// What became of an exchange.
struct ExchangeVerdict: Sendable, CustomTestStringConvertible {
    let misbehaviour: String
    /// The rule that is broken; nil where it is taken.
    var rule: String?
    /// Where it is not the token that is wrong.
    var error: String?

    var testDescription: String { misbehaviour }

    init(_ misbehaviour: String, _ rule: String? = nil, error: String? = nil) {
        self.misbehaviour = misbehaviour
        self.rule = rule
        self.error = error
    }

    static let introspections: [ExchangeVerdict] = [
        ExchangeVerdict("introspection_invalid_client", error: "provider_error"),
        ExchangeVerdict("introspection_inactive", "active"), ExchangeVerdict("introspection_active_string", "active"),
        ExchangeVerdict("introspection_missing_active", "active"), ExchangeVerdict("introspection_without_aud_valid"),
        ExchangeVerdict("introspection_without_token_type_valid"), ExchangeVerdict("introspection_sparse_valid"),
        ExchangeVerdict("introspection_wrong_audience", "aud"), ExchangeVerdict("introspection_other_client", "aud"),
        ExchangeVerdict("introspection_without_aud_and_client", "aud"),
        ExchangeVerdict("introspection_wrong_issuer", "iss"), ExchangeVerdict("introspection_expired", "exp"),
        ExchangeVerdict("introspection_iat_in_future", "iat"), ExchangeVerdict("introspection_nbf_in_future", "nbf"),
        ExchangeVerdict("introspection_token_type_n_a", "token_type"),
        ExchangeVerdict("introspection_token_type_dpop", "token_type"), ExchangeVerdict("introspection_cnf", "cnf"),
        ExchangeVerdict("introspection_typ_id", "typ"), ExchangeVerdict("introspection_missing_sub", "sub"),
        ExchangeVerdict("introspection_other_sub", error: "userinfo_mismatch"),
        ExchangeVerdict("introspection_wrong_acr", "acr"),
        ExchangeVerdict("introspection_signed", error: "provider_error"),
        ExchangeVerdict("userinfo_other_sub", error: "userinfo_mismatch"), ExchangeVerdict("userinfo_401", "userinfo"),
        ExchangeVerdict("introspection-status_500", error: "provider_error"),
        ExchangeVerdict("introspection-redirect_307", error: "provider_error"),
        ExchangeVerdict("introspection-oversized_body", error: "provider_error"),
        ExchangeVerdict("introspection-duplicate_members", error: "provider_error"),
        ExchangeVerdict("introspection-html", error: "provider_error"),
    ]

    static let signed: [ExchangeVerdict] = [
        ExchangeVerdict("access_token_jwt_valid"), ExchangeVerdict("access_token_jwt_bad_signature", "signature"),
        ExchangeVerdict("access_token_jwt_alg_none", "algorithm"),
        ExchangeVerdict("access_token_jwt_hs256_public_key", "algorithm"),
        ExchangeVerdict("access_token_jwt_typ_jwt", "typ"), ExchangeVerdict("access_token_jwt_missing_typ", "typ"),
        ExchangeVerdict("access_token_jwt_wrong_issuer", "iss"),
        ExchangeVerdict("access_token_jwt_wrong_audience", "aud"),
        ExchangeVerdict("access_token_jwt_missing_aud", "aud"),
        ExchangeVerdict("access_token_jwt_missing_client_id", "client_id"),
        ExchangeVerdict("access_token_jwt_azp_of_another_client", "azp"),
        ExchangeVerdict("access_token_jwt_expired", "exp"), ExchangeVerdict("access_token_jwt_missing_exp", "exp"),
        ExchangeVerdict("access_token_jwt_iat_in_future", "iat"),
        ExchangeVerdict("access_token_jwt_nbf_in_future", "nbf"),
        ExchangeVerdict("access_token_jwt_missing_sub", "sub"),
        ExchangeVerdict("access_token_jwt_other_sub", error: "userinfo_mismatch"),
        ExchangeVerdict("access_token_jwt_cnf", "cnf"),
        ExchangeVerdict("access_token_jwt_without_auth_time_valid", "acr"),
    ]
}

extension RunningGatehouse {
    static func exchanging(
        _ rule: String, _ more: [String] = [], top: String = "", limits: Limits = Limits(),
        _ body: (RunningGatehouse) async throws -> Void
    ) async throws {
        try await with(top: top, plain: ["tokenExchange: \(rule)"] + more, limits: limits, body)
    }

    /// What the provider gives an app of its own accord, without this service: `access_token` and all.
    ///
    /// - Parameters:
    ///   - client: whose app it is; `gatehouse-demo` is our client there, and `gatehouse-public` somebody else's.
    ///   - misbehaving: the names of what the provider does otherwise.
    func tokens(
        of subscriber: String, for client: String = "gatehouse-demo", misbehaving: String? = nil
    ) async throws -> JSONValue {
        var more = ["client_id": client, "scope": "openid profile email offline_access"]
        if let misbehaving { more["misbehave"] = misbehaving }
        let authorized = try await authorize(subscriber, at: .plain, more)
        var form = [
            "grant_type": "authorization_code", "code": authorized.code, "code_verifier": authorized.verifier,
            "redirect_uri": "com.example.app:/callback", "client_id": client,
        ]
        if client == "gatehouse-demo" { form["client_secret"] = "demo-secret-plain" }
        let port = try #require(URLComponents(string: simulation.plain)?.port)
        let answer = try await LoopbackClient(port: UInt16(port)).send(
            "POST", "/token", headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Array(FormText.encode(form).utf8))
        #expect(answer.status == 200, "\(answer.text)")
        return answer.json
    }

    func accessToken(
        of subscriber: String, for client: String = "gatehouse-demo", misbehaving: String? = nil
    ) async throws -> String {
        let tokens = try await tokens(of: subscriber, for: client, misbehaving: misbehaving)
        return try #require(tokens["access_token"]?.string)
    }

    func exchange(_ token: String, _ changes: [String: String] = [:]) async throws -> HTTPTestAnswer {
        try await call(
            "POST", "/auth/token",
            form: [
                "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": token,
                "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
            ].merging(changes) { $1 })
    }

    func expectRefused(_ token: String, _ rule: String, sourceLocation: SourceLocation = #_sourceLocation)
        async throws
    {
        let answer = try await exchange(token)
        #expect(
            answer.status == 401 && answer["error"] == "invalid_grant", "\(answer.text)", sourceLocation: sourceLocation
        )
        #expect(
            answer["error_description"]?.string == "The subject_token breaks a rule (\(rule)).", "\(answer.text)",
            sourceLocation: sourceLocation)
    }
}
