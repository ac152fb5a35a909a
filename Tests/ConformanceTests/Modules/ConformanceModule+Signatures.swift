import Crypto
import JSON
import TestSupport

/// How ID tokens are signed.
extension ConformanceModule {
    private static let step6 = "OpenID Connect Core §3.1.3.7 step 6"
    private static let step7 = "OpenID Connect Core §3.1.3.7 step 7"
    private static let keyConfusion = "RFC 8725 §2.1"

    private static func sign(_ algorithm: JSONValue, _ signature: ProviderScript.Signature)
        -> (inout ProviderScript) -> Void
    {
        { script in
            script.signature = signature
            script.idToken = { $0.header[setting: "alg"] = algorithm }
        }
    }

    static let signatures = [
        ConformanceModule(
            "oidcc-client-test-idtoken-sig-rs256", "signs by RS256", "OpenID Connect Core §15.1", .accept),
        // The suite before the present one has it.
        ConformanceModule(
            "rp-id_token-sig-es256", "signs by ES256", "OpenID Connect Core §3.1.3.7 step 7", .accept,
            settings: ["algorithms: [ES256]"]
        ) { $0.algorithm = .es256 },
        ConformanceModule(
            "oidcc-client-test-idtoken-sig-none", "announces that it does without a signature, and does", step7,
            .refuseIDToken("algorithm")
        ) { script in
            script.metadata = { $0[setting: "id_token_signing_alg_values_supported"] = ["RS256", "none"] }
            sign("none", .none)(&script)
        },
        ConformanceModule(
            "fapi2-security-profile-final-client-test-invalid-null-alg", "leaves the signature out", step7,
            .refuseIDToken("algorithm"), sign("none", .none)),
        ConformanceModule(
            "invalid-null-alg-in-odd-case", "leaves the signature out, and writes it otherwise", step7,
            .refuseIDToken("algorithm"), sign("nOnE", .none)),
        ConformanceModule(
            "oidcc-client-test-invalid-sig-rs256", "signs with a key that it does not publish", step6,
            .refuseIDToken("signature")
        ) { $0.signature = .unpublishedKey },
        ConformanceModule(
            "oidcc-client-test-invalid-sig-es256", "makes a signature that is not the token's", step6,
            .refuseIDToken("signature"), settings: ["algorithms: [ES256]"]
        ) { script in
            script.algorithm = .es256
            script.signature = .spoilt
        },
        ConformanceModule(
            "oidcc-client-test-invalid-sig-hs256", "signs by HS256 under what nobody has agreed on", step6,
            .refuseIDToken("algorithm"), sign("HS256", .hmac(key: "something else"))),
        ConformanceModule(
            "invalid-sig-hs256-client-secret", "signs by HS256 under the client's secret, where RS256 is agreed on",
            step7, .refuseIDToken("algorithm"), sign("HS256", .hmac(key: ScriptedProvider.clientSecret))),
        ConformanceModule(
            "invalid-sig-hs256-public-key", "signs by HS256 under its public key, as everybody can", keyConfusion,
            .refuseIDToken("algorithm"), sign("HS256", .hmac(key: publicKey))),
        ConformanceModule(
            "fapi2-security-profile-final-client-test-invalid-alternate-alg",
            "signs with a published key, by an algorithm that is not agreed on", step7, .refuseIDToken("algorithm")
        ) { $0.algorithm = .es256 },
    ]

    /// The first key of each provider, as it publishes it.
    private static let publicKey =
        (try? ProviderKeys.key(.rs256, generation: 0).jwk()).map {
            String(decoding: JSONValue.object($0).serialized, as: UTF8.self)
        } ?? ""
}
