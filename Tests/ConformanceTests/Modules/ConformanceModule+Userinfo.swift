import JSON
import TestSupport

/// What userinfo says (OpenID Connect Core §5.3).
extension ConformanceModule {
    private static let response = "OpenID Connect Core §5.3.2"
    private static let validation = "OpenID Connect Core §5.3.4"

    static let userinfo = [
        ConformanceModule(
            "oidcc-client-test-userinfo-signed", "signs userinfo", response, .accept
        ) { $0.userinfoForm = .signed(.right) },
        ConformanceModule(
            "userinfo-signed-badly", "signs userinfo with a key that it does not publish", response, .refuseUserinfo
        ) { $0.userinfoForm = .signed(.unpublishedKey) },
        ConformanceModule(
            "oidcc-client-test-userinfo-invalid-sub", "tells of another user than the ID token", validation,
            .refuseUserinfo
        ) { script in
            script.userinfo = { $0[setting: "sub"] = "another-subject" }
        },
        ConformanceModule(
            "userinfo-missing-sub", "does not say whom userinfo is about", response, .refuseUserinfo
        ) { script in
            script.userinfo = { $0[setting: "sub"] = nil }
        },
        ConformanceModule(
            "userinfo-array", "puts userinfo into an array", response, .refuseUserinfo
        ) { $0.userinfoForm = .array },
    ]
}
