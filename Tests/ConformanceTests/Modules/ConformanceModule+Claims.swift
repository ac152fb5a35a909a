import JSON
import TestSupport

/// What ID tokens say (OpenID Connect Core §3.1.3.7).
extension ConformanceModule {
    private static let idToken = "OpenID Connect Core §2"
    private static let rules = "OpenID Connect Core §3.1.3.7"
    private static let fapi = "fapi2-security-profile-final-client-test"
    private static let week: Int64 = 7 * 86_400

    static let claims = parties + times + bindings + forms

    private static let parties = [
        ConformanceModule(
            "oidcc-client-test-invalid-iss", "signs for another issuer", "\(rules) step 2", .refuseIDToken("issuer")
        ) { $0.claim("iss", "https://another.example") },
        ConformanceModule(
            "\(fapi)-invalid-missing-iss", "does not say whose the token is", "\(rules) step 2",
            .refuseIDToken("issuer")
        ) { $0.claim("iss", nil) },
        ConformanceModule(
            "oidcc-client-test-invalid-aud", "signs for another client", "\(rules) step 3", .refuseIDToken("audience")
        ) { $0.claim("aud", "another-client") },
        ConformanceModule(
            "oidcc-client-test-missing-aud", "does not say for whom the token is", "\(rules) step 3",
            .refuseIDToken("audience")
        ) { $0.claim("aud", nil) },
        ConformanceModule(
            "\(fapi)-invalid-secondary-aud", "signs for this client and for one that nobody trusts",
            "\(rules) step 3", .refuseIDToken("authorized_party")
        ) { $0.claim("aud", [.string(ScriptedProvider.clientID), "another-client"]) },
        ConformanceModule(
            "\(fapi)-valid-aud-as-array", "writes its one audience as an array", idToken, .accept
        ) { $0.claim("aud", [.string(ScriptedProvider.clientID)]) },
        ConformanceModule(
            "invalid-azp", "names another client as the authorized party", "\(rules) step 5",
            .refuseIDToken("authorized_party")
        ) { $0.claim("azp", "another-client") },
        ConformanceModule(
            "oidcc-client-test-missing-sub", "does not say whom the token is about", idToken,
            .refuseIDToken("subject")
        ) { $0.claim("sub", nil) },
    ]

    private static let times = [
        ConformanceModule(
            "\(fapi)-invalid-expired-exp", "signs what has expired six minutes ago", "\(rules) step 9",
            .refuseIDToken("expired")
        ) { $0.claim("exp", secondsLater: -960) },
        ConformanceModule(
            "\(fapi)-invalid-missing-exp", "does not say when the token expires", "\(rules) step 9",
            .refuseIDToken("expired")
        ) { $0.claim("exp", nil) },
        ConformanceModule(
            "oidcc-client-test-missing-iat", "does not say when the token was issued", idToken,
            .refuseIDToken("issued_at")
        ) { $0.claim("iat", nil) },
        ConformanceModule(
            "fapi1-advanced-final-client-test-iat-is-week-in-past", "signs what was issued a week ago",
            "\(rules) step 10", .refuseIDToken("issued_at"), request: ["max_age": "300"]
        ) { $0.claim("iat", secondsLater: -week) },
        ConformanceModule(
            "times-as-text", "writes its times as texts", "RFC 7519 §2, taken with tolerance", .accept
        ) { script in
            script.idToken = { draft in
                for name in ["exp", "iat"] {
                    draft.claims[setting: name] = draft.claims[name]?.integer.map { .string("\($0)") }
                }
            }
        },
    ]

    private static let bindings = [
        ConformanceModule(
            "oidcc-client-test-nonce-invalid", "answers with the nonce of another request", "\(rules) step 11",
            .refuseIDToken("nonce")
        ) { $0.claim("nonce", "of-another-request") },
        ConformanceModule(
            "\(fapi)-invalid-missing-nonce", "leaves out the nonce that it was sent", "\(rules) step 11",
            .refuseIDToken("nonce")
        ) { $0.claim("nonce", nil) },
        ConformanceModule(
            "oidcc-client-test-invalid-athash", "signs for another access token than it sends",
            "OpenID Connect Core §3.1.3.8", .refuseIDToken("at_hash")
        ) { $0.claim("at_hash", "b2YgYW5vdGhlciB0b2tlbg") },
        // In the code flow the claim may be left out.
        ConformanceModule(
            "fapi1-advanced-final-client-test-missing-athash", "does not say which access token it signs for",
            "OpenID Connect Core §3.1.3.6", .accept
        ) { $0.claim("at_hash", nil) },
    ]

    private static let forms = [
        ConformanceModule(
            "unknown-members", "says in each document what nobody has heard of",
            "OpenID Connect Core §2, RFC 6749 §5.1",
            .accept
        ) { script in
            script.claim("unheard_of", ["deep": [1, true, .null]])
            script.metadata = { $0[setting: "unheard_of"] = ["deep": []] }
            script.tokenResponse = { $0[setting: "unheard_of"] = 1 }
            script.userinfo = { $0[setting: "unheard_of"] = .null }
        }
    ]
}
