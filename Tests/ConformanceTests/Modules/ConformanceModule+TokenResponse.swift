import JSON
import TestSupport

/// What the token endpoint answers beside the ID token (RFC 6749 §5.1).
extension ConformanceModule {
    static let tokenResponse = [
        ConformanceModule(
            "fapi2-security-profile-final-client-test-token-endpoint-response-without-expires_in",
            "does not say how long the access token is good", "RFC 6749 §5.1, expires_in", .accept
        ) { script in
            script.tokenResponse = { $0[setting: "expires_in"] = nil }
        },
        ConformanceModule(
            "fapi1-advanced-final-client-test-no-scope-in-token-endpoint-response", "does not say what it has granted",
            "RFC 6749 §5.1, scope", .accept
        ) { script in
            script.tokenResponse = { $0[setting: "scope"] = nil }
        },
        ConformanceModule(
            "fapi2-security-profile-final-client-test-token-type-case-insensitivity",
            "writes the type of the token as bEARER", "RFC 6749 §5.1, token_type", .accept
        ) { script in
            script.tokenResponse = { $0[setting: "token_type"] = "bEARER" }
        },
    ]
}
