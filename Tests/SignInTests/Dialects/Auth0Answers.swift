import Providers
import TestSupport

extension ProviderTable {
    static let auth0 = ProviderTable(
        dialect: "auth0",
        tokens: SpokenAnswer(
            "tokens", 200,
            #"{"access_token":"eyJhbGciOiJkaXIi.k","refresh_token":"v1.Mr_kqX","id_token":"{id_token}","#
                + #""scope":"openid profile email offline_access","expires_in":86400,"token_type":"Bearer"}"#),
        refreshed: SpokenAnswer(
            "a refresh", 200,
            #"{"access_token":"eyJhbGciOiJkaXIi.l","id_token":"e.y.J","scope":"openid","expires_in":86400,"#
                + #""token_type":"Bearer"}"#),
        revoked: SpokenAnswer("a revocation", 200, "", headers: []),
        userinfo: SpokenAnswer(
            "userinfo", 200,
            #"{"sub":"310260-subject","nickname":"jane","name":"Jane Doe","updated_at":"2026-11-26T06:00:00.000Z","#
                + #""email":"jane@example.com","email_verified":true}"#),
        refusals: [
            SpokenAnswer(
                "a wrong secret", 401, #"{"error":"access_denied","error_description":"Unauthorized"}"#,
                [.code: .configuration, .refresh: .configuration, .revocation: .unavailable],
                probe: "the secret is wrong"),
            SpokenAnswer(
                "a wrong secret at the revocation", 401,
                #"{"error":"invalid_client","error_description":"Unauthorized"}"#, [.revocation: .unavailable]),
            SpokenAnswer(
                "a code that is no good", 403,
                #"{"error":"invalid_grant","error_description":"Invalid authorization code"}"#, [.code: .over],
                probe: "as it should"),
            SpokenAnswer(
                "a wrong verifier", 403,
                #"{"error":"invalid_grant","error_description":"Failed to verify code verifier"}"#, [.code: .over]),
            SpokenAnswer(
                "a refresh token that is over", 403,
                #"{"error":"invalid_grant","error_description":"Unknown or invalid refresh token."}"#,
                [.refresh: .over]),
            SpokenAnswer(
                "an Action that denies", 403, #"{"error":"access_denied","error_description":"Staff only."}"#,
                [.code: .denied, .refresh: .userMustAct], probe: "an Action or a rule of the tenant denies it"),
            SpokenAnswer(
                "a rule that denies", 401, #"{"error":"unauthorized","error_description":"user is blocked"}"#,
                [.code: .denied, .refresh: .userMustAct], probe: "user is blocked"),
            SpokenAnswer(
                "a second factor", 403,
                #"{"error":"mfa_required","error_description":"Multifactor authentication required","mfa_token":"F.w"}"#,
                [.code: .userMustAct, .refresh: .userMustAct]),
            SpokenAnswer(
                "a grant type that is off", 403,
                #"{"error":"unauthorized_client","error_description":"Grant type 'refresh_token' not allowed for the client."}"#,
                [.code: .configuration, .refresh: .configuration], probe: "Grant Types"),
            SpokenAnswer(
                "too many requests", 429,
                #"{"statusCode":429,"error":"Too Many Requests","message":"Global limit has been reached"}"#,
                [.code: .unavailable, .refresh: .unavailable, .revocation: .unavailable]),
            SpokenAnswer(
                "an access token that is over", 401, "Unauthorized",
                headers: [(name: "Content-Type", value: "text/plain; charset=utf-8")], [.userinfo: .broken]),
        ],
        authorization: [
            ("access_denied", .accessDenied), ("unauthorized", .accessDenied), ("login_required", .loginRequired),
            ("invalid_request", .requestFault),
        ])
}
