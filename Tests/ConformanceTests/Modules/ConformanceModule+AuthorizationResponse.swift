import JSON
import TestSupport

/// What comes back with the browser (OpenID Connect Core §3.1.2.5, RFC 9207). A code that an app posts has come back to
/// the app, which looks at the state itself.
extension ConformanceModule {
    private static let fapi = "fapi2-security-profile-final-client-test"
    private static let state = "RFC 6749 §10.12"

    static let authorizationResponse = [
        ConformanceModule(
            "authorization-response-iss", "says whose answer it is, as it has announced", "RFC 9207 §2", .accept
        ) { script in
            script.announceIssuerInResponses()
        },
        ConformanceModule(
            "\(fapi)-invalid-authorization-response-iss", "answers in another issuer's name", "RFC 9207 §2.4",
            .refuseIssuerOfResponse
        ) { script in
            script.announceIssuerInResponses()
            script.authorizationResponse = { $0["iss"] = "https://another.example" }
        },
        ConformanceModule(
            "\(fapi)-remove-authorization-response-iss", "does not say whose answer it is, as it has announced",
            "RFC 9207 §2.4", .refuseResponseWithoutIssuer, flows: [.browser]
        ) { script in
            script.announceIssuerInResponses()
            script.authorizationResponse = { $0["iss"] = nil }
        },
        ConformanceModule(
            "\(fapi)-ensure-authorization-response-with-invalid-state-fails",
            "answers with the state of another request",
            state, .refuseState, flows: [.browser]
        ) { script in
            script.authorizationResponse = { $0["state"] = "of-another-request" }
        },
        ConformanceModule(
            "\(fapi)-ensure-authorization-response-with-invalid-missing-state-fails",
            "leaves out the state that it was sent", state, .refuseState, flows: [.browser]
        ) { script in
            script.authorizationResponse = { $0["state"] = nil }
        },
    ]
}
