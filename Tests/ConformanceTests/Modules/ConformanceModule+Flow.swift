import JSON
import TestSupport

/// What the code flow itself asks of a relying party.
extension ConformanceModule {
    static let flow = [
        ConformanceModule(
            "oidcc-client-test", "does all as it should", "OpenID Connect Core §3.1", .accept),
        ConformanceModule(
            "oidcc-client-test-client-secret-basic", "takes no other client authentication",
            "OpenID Connect Core §9, client_secret_basic", .accept
        ) { script in
            script.metadata = { $0[setting: "token_endpoint_auth_methods_supported"] = ["client_secret_basic"] }
        },
        ConformanceModule(
            "oidcc-client-test-scope-userinfo-claims", "tells the claims of the scopes at userinfo alone",
            "OpenID Connect Core §5.4", .accept
        ) { $0.claim("email", nil) },
        ConformanceModule(
            "oidcc-client-test-userinfo-bearer-header", "takes the access token in the header alone",
            "OpenID Connect Core §5.3.1, RFC 6750 §2.1", .accept),
    ]
}
