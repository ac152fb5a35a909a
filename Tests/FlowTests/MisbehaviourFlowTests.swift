import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

/// What a sign-in must come to when the provider misbehaves.
struct Verdict: Sendable, CustomTestStringConvertible {
    let misbehaviour: String
    let status: Int
    var error: String?
    var reason: String?

    var testDescription: String { misbehaviour }

    init(_ misbehaviour: String, _ status: Int, _ error: String? = nil, _ reason: String? = nil) {
        self.misbehaviour = misbehaviour
        self.status = status
        self.error = error
        self.reason = reason
    }

    static func token(_ misbehaviour: String, _ reason: String) -> Verdict {
        Verdict(misbehaviour, 401, "invalid_id_token", reason)
    }
}

@Suite struct `A provider that misbehaves` {
    static let idTokens: [Verdict] = [
        .token("id_token_bad_signature", "signature"), .token("id_token_alg_none", "algorithm"),
        .token("id_token_alg_none_odd_case", "algorithm"), .token("id_token_hs256_public_key", "algorithm"),
        .token("id_token_hs256_client_secret", "algorithm"), .token("id_token_es256", "algorithm"),
        .token("id_token_unknown_kid", "unknown_key"), .token("id_token_retired_key", "unknown_key"),
        .token("id_token_unknown_crit", "malformed"), .token("id_token_duplicate_header_members", "malformed"),
        .token("id_token_wrong_issuer", "issuer"), .token("id_token_missing_iss", "issuer"),
        .token("id_token_wrong_audience", "audience"), .token("id_token_missing_aud", "audience"),
        .token("id_token_extra_audience_without_azp", "authorized_party"),
        .token("id_token_azp_of_another_client", "authorized_party"), .token("id_token_missing_sub", "subject"),
        .token("id_token_empty_sub", "subject"), .token("id_token_numeric_sub", "subject"),
        .token("id_token_expired", "expired"), .token("id_token_missing_exp", "expired"),
        .token("id_token_huge_exp", "malformed"), .token("id_token_negative_exp", "malformed"),
        .token("id_token_huge_auth_time", "malformed"), Verdict("id_token_float_exp", 200),
        Verdict("id_token_float_times_valid", 200),
        .token("id_token_missing_iat", "issued_at"), .token("id_token_iat_in_future", "issued_at"),
        .token("id_token_wrong_nonce", "nonce"), .token("id_token_missing_nonce", "nonce"),
        .token("id_token_wrong_acr", "acr"), .token("id_token_missing_acr", "acr"),
        .token("id_token_wrong_context", "context"), .token("id_token_missing_context", "context"),
        .token("id_token_wrong_at_hash", "at_hash"), .token("id_token_duplicate_members", "malformed"),
        Verdict("id_token_huge", 502, "provider_error"), .token("id_token_deep", "malformed"),
        .token("id_token_garbage", "malformed"),
        Verdict("id_token_other_sub", 401, "userinfo_mismatch"),
        Verdict("id_token_rotated_key_valid", 200), Verdict("id_token_audience_array_valid", 200),
        Verdict("id_token_extra_audience_with_azp", 200), Verdict("id_token_string_times_valid", 200),
        Verdict("id_token_at_hash_valid", 200), Verdict("id_token_unknown_members_valid", 200),
        Verdict("id_token_no_kid", 200),
    ]

    static let answers: [Verdict] = [
        Verdict("token_invalid_client", 502, "provider_error"), Verdict("token_invalid_grant", 401, "invalid_grant"),
        Verdict("token_request_denied", 401, "invalid_grant"), Verdict("token_access_denied", 403, "access_denied"),
        Verdict("token_temporarily_unavailable", 503, "provider_unavailable"),
        Verdict("token_user_not_found", 400, "provider_not_found"),
        Verdict("token_authentication_timed_out", 403, "authentication_timed_out"),
        Verdict("token_invalid_login_hint_token", 400, "invalid_request"),
        Verdict("token_unknown_error", 401, "invalid_grant"), Verdict("token_nested_error", 401, "invalid_grant"),
        Verdict("token_error_inside_200", 401, "invalid_grant"), Verdict("token_html_400", 502, "provider_error"),
        Verdict("token_without_id_token", 502, "provider_error"),
        Verdict("token_without_access_token", 502, "provider_error"), Verdict("token_type_mac", 502, "provider_error"),
        Verdict("token_type_odd_case_valid", 200), Verdict("token_without_expires_in_valid", 200),
        Verdict("token_expires_in_string_valid", 200),
        Verdict("userinfo_other_sub", 401, "userinfo_mismatch"),
        Verdict("userinfo_missing_sub", 401, "userinfo_mismatch"), Verdict("userinfo_array", 401, "userinfo_mismatch"),
        Verdict("userinfo_signed_jwt_valid", 200),
        Verdict("userinfo_signed_jwt_bad_signature", 401, "userinfo_mismatch"),
        Verdict("userinfo_html", 502, "provider_error"), Verdict("userinfo_empty", 502, "provider_error"),
        Verdict("userinfo_401", 502, "provider_error"),
    ]

    private func check(_ verdict: Verdict, _ answer: HTTPTestAnswer) {
        #expect(answer.status == verdict.status, "\(verdict.misbehaviour): \(answer.text)")
        if let error = verdict.error {
            #expect(answer["error"] == .string(error), "\(verdict.misbehaviour): \(answer.text)")
            #expect(answer["error_code"] == answer["error"])
            #expect(answer["error_description"]?.string?.hasSuffix(".") == true)
            #expect(answer["request_id"]?.string == answer.header("x-request-id"))
        }
        if let reason = verdict.reason {
            #expect(answer["reason"] == .string(reason), "\(verdict.misbehaviour): \(answer.text)")
        }
    }

    /// Nothing that was sent, and nothing of the provider's, may come back in an error.
    private func checkSilence(_ answer: HTTPTestAnswer, _ authorized: Authorized) {
        guard answer.status != 200 else { return }
        for secret in [authorized.code, authorized.verifier, "eyJ", "demo-secret", "310410-", "ada@"] {
            #expect(!answer.text.contains(secret), "the answer tells \(secret.prefix(4))…")
        }
    }

    @Test(arguments: idTokens + answers) func `a provider that misbehaves is found out, or taken where it is only odd`(
        _ verdict: Verdict
    )
        async throws
    {
        try await RunningGatehouse.with { gatehouse in
            let asked = ["nonce": "n-1", "acr_values": "a3", "context": "Sign in", "misbehave": verdict.misbehaviour]
            let authorized = try await gatehouse.authorize("ada", asked)
            let answer = try await gatehouse.signIn(
                authorized, ["nonce": "n-1", "acr_values": "a3", "context": "Sign in"])
            check(verdict, answer)
            checkSilence(answer, authorized)
            let after = try await gatehouse.signIn("grace")
            #expect(after.status == 200, "the next sign-in fails: \(after.text)")
        }
    }

    static let documents: [Verdict] = [
        .token("configuration_issuer_mismatch", "issuer"),
        Verdict("configuration_without_issuer", 502, "provider_error"),
        Verdict("configuration_issuer_with_query", 502, "provider_error"),
        Verdict("configuration_without_token_endpoint", 502, "provider_error"),
        Verdict("configuration_without_jwks_uri", 502, "provider_error"),
        Verdict("configuration_http_endpoint", 502, "provider_error"),
        Verdict("configuration_provider_not_found", 400, "provider_not_found"),
        Verdict("configuration_error_inside_200", 503, "provider_unavailable"),
        Verdict("keys_without_kid_valid", 401, "invalid_id_token", "unknown_key"),
        Verdict("keys_several_without_kid", 401, "invalid_id_token", "unknown_key"),
        Verdict("keys_empty", 401, "invalid_id_token", "unknown_key"),
        Verdict("keys_weak_rsa", 401, "invalid_id_token", "unknown_key"),
        Verdict("keys_with_unknown_types_valid", 200),
    ]

    @Test(arguments: documents) func `a provider that misbehaves is found out by its documents`(_ verdict: Verdict)
        async throws
    {
        try await RunningGatehouse.with { gatehouse in
            gatehouse.simulation.misbehave(try #require(Misbehaviour(name: verdict.misbehaviour)))
            let authorized = try await gatehouse.authorize("ada")
            let answer = try await gatehouse.signIn(authorized)
            check(verdict, answer)
            checkSilence(answer, authorized)
        }
    }

    @Test func `a provider that misbehaves is refused when its own metadata names another issuer`() async throws {
        try await RunningGatehouse.with { gatehouse in
            gatehouse.simulation.misbehave(.document(.otherIssuer), of: .plain)
            let answer = try await gatehouse.signIn("ada", at: .plain)
            #expect(answer.status == 502, "\(answer.text)")
            #expect(answer["error"] == "provider_error")
        }
    }

    @Test func `tells where the user can choose a carrier`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let authorized = try await gatehouse.authorize("ada")
            let answer = try await gatehouse.signIn(authorized, ["mccmnc": "999999"])
            #expect(answer.status == 400)
            #expect(answer["error"] == "provider_not_found")
            #expect(answer["discovery_ui"]?.string == gatehouse.simulation.discoveryUI)
        }
    }

    /// Every fault any endpoint can have, at each of the four calls: answered with the right kind of error, within its
    /// deadline, and the service is as well as before.
    static let faults = [
        "status_500", "status_503", "status_429", "html", "redirect", "redirect_307", "oversized_body", "gzip_bomb",
        "deep_nesting", "not_http", "hang", "reset", "close_before_answer", "truncated_body", "drip_body",
        "duplicate_members",
    ]

    @Test(arguments: faults, [SimulatedEndpoint.discovery, .keys, .token, .userinfo])
    func `a provider that misbehaves is answered for within the deadline`(
        _ fault: String, _ endpoint: SimulatedEndpoint
    ) async throws {
        try await RunningGatehouse.with(zenkey: ["timeoutSeconds: 3", "signInTimeoutSeconds: 8"]) { gatehouse in
            gatehouse.simulation.misbehave(try #require(Misbehaviour(name: fault)), at: endpoint)
            let authorized = try await gatehouse.authorize("ada")
            let began = ContinuousClock.now
            let answer = try await gatehouse.signIn(authorized)
            #expect(ContinuousClock.now - began < .seconds(30))
            let expected: Set<String> = ["provider_error", "provider_unavailable", "provider_timeout"]
            #expect([502, 503, 504].contains(answer.status), "\(answer.status) \(answer.text)")
            #expect(expected.contains(answer["error"]?.string ?? ""), "\(answer.text)")
            if ["hang", "drip_body"].contains(fault) { #expect(answer["error"] == "provider_timeout") }
            checkSilence(answer, authorized)
            gatehouse.simulation.behave()
            // What failed is remembered for a second.
            try await Task.sleep(for: .milliseconds(1100))
            let after = try await gatehouse.signIn("grace")
            #expect(after.status == 200, "the next sign-in fails: \(after.text)")
        }
    }
}
