import Crypto
import JSON
import TestSupport

/// What is read of the provider: its configuration, and its keys.
extension ConformanceModule {
    private static let discovered = "OpenID Connect Discovery §4"
    private static let rotation = "OpenID Connect Core §10.1.1"

    static let discovery = [
        ConformanceModule(
            "oidcc-client-test-discovery-openid-config", "has its endpoints where only its configuration says",
            discovered, .accept
        ) { $0.paths = [.authorize: "/oauth2/v1/begin", .token: "/oauth2/v1/exchange", .userinfo: "/who"] },
        ConformanceModule(
            "oidcc-client-test-discovery-jwks-uri-keys", "publishes its keys where only its configuration says",
            discovered, .accept
        ) { $0.paths = [.keys: "/oauth2/v1/keys.json"] },
        ConformanceModule(
            "oidcc-client-test-discovery-issuer-mismatch", "has a configuration that names another issuer",
            "OpenID Connect Discovery §4.3", .refuseProvider
        ) { script in
            script.metadata = { $0[setting: "issuer"] = "https://another.example" }
        },
        ConformanceModule(
            "oidcc-client-test-signing-key-rotation", "has other keys for the second sign-in", rotation, .accept,
            signIns: 2
        ) { $0.rotation = .betweenSignIns },
        ConformanceModule(
            "oidcc-client-test-signing-key-rotation-just-before-signing",
            "has other keys when the relying party has read those before", rotation, .accept, signIns: 2
        ) { $0.rotation = .beforeSigning },
        ConformanceModule(
            "oidcc-client-test-kid-absent-single-jwks",
            "names neither its only key nor the one that it has signed with",
            "OpenID Connect Core §10.1", .accept
        ) { script in
            script.keys = { keys in
                keys.removeLast()
                keys[0][setting: "kid"] = nil
            }
            script.idToken = { $0.header[setting: "kid"] = nil }
        },
        // Where the Foundation leaves it to the relying party to try each of them, the safe choice is demanded.
        ConformanceModule(
            "oidcc-client-test-kid-absent-multiple-jwks", "has two keys of one type, and names none of them",
            "OpenID Connect Core §10.1", .refuseIDToken("unknown_key")
        ) { script in
            script.keys = { keys in
                let other = try ProviderKeys.key(.rs256, generation: ProviderKeys.unpublished)
                keys = [other.jwk(isNamed: false)] + keys
                keys[1][setting: "kid"] = nil
            }
            script.idToken = { $0.header[setting: "kid"] = nil }
        },
        ConformanceModule(
            "oidcc-client-test-ignores-unparseable-key-in-jwks", "publishes a key of a type that nobody knows, too",
            "RFC 7517 §5", .accept
        ) { script in
            script.keys = { $0.insert(JSONObject([("kty", "XYZ"), ("kid", "from-the-future")]), at: 0) }
        },
    ]
}
