import Providers
import TestSupport

extension ProviderTable {
    static let slack = ProviderTable(
        dialect: "slack",
        tokens: SpokenAnswer(
            "tokens", 200,
            #"{"ok":true,"access_token":"xoxp-1234","token_type":"Bearer","id_token":"{id_token}","#
                + #""refresh_token":"xoxe-1-a","expires_in":43200}"#, headers: headers),
        refreshed: SpokenAnswer(
            "a refresh", 200,
            #"{"ok":true,"access_token":"xoxp-1235","token_type":"Bearer","id_token":"e.y.J","refresh_token":"xoxe-1-b","#
                + #""expires_in":43200}"#, headers: headers),
        revoked: SpokenAnswer("a revocation", 200, #"{"ok":true,"revoked":true}"#, headers: headers),
        userinfo: SpokenAnswer(
            "userinfo", 200,
            #"{"ok":true,"sub":"310260-subject","https://slack.com/user_id":"U0R7JM","https://slack.com/team_id":"T0R7GR","#
                + #""email":"jane@example.com","email_verified":true,"date_email_verified":1622128723,"name":"Jane Doe","#
                + #""picture":"https://secure.gravatar.com/x","given_name":"Jane","family_name":"Doe","locale":"en-US"}"#,
            headers: headers),
        refusals: [
            said("a wrong secret", "bad_client_secret", .configuration, .configuration, probe: "Basic Information"),
            said("a client that there is not", "invalid_client_id", .configuration, .configuration, probe: "clientID"),
            said("a code that is no good", "invalid_code", .over, probe: "as it should"),
            said("a code that was used", "code_already_used", .over),
            said("another redirect URI", "bad_redirect_uri", .configuration, probe: "Redirect URLs"),
            said("a refresh token that is over", "invalid_refresh_token", nil, .over),
            said("a token that was revoked", "token_revoked", nil, .over, userinfo: .broken),
            said("an administrator who says no", "access_denied", .denied, .userMustAct, probe: "workspace"),
            said("a workspace that is deactivated", "account_inactive", .denied, .userMustAct),
            said("a fault of its own", "internal_error", .unavailable, .unavailable, userinfo: .unavailable),
            said("an access token that is over", "invalid_auth", nil, userinfo: .broken),
            SpokenAnswer(
                "a token that is over at the revocation", 200, #"{"ok":false,"error":"invalid_auth"}"#,
                headers: headers, [.revocation: .good]),
            SpokenAnswer(
                "a wrong secret at the revocation", 200, #"{"ok":false,"error":"bad_client_secret"}"#, headers: headers,
                [.revocation: .unavailable]),
            SpokenAnswer(
                "too many requests", 429, #"{"ok":false,"error":"ratelimited"}"#,
                headers: headers + [(name: "Retry-After", value: "30")],
                [.code: .unavailable, .refresh: .unavailable, .revocation: .unavailable]),
        ],
        authorization: [("access_denied", .accessDenied), ("invalid_scope", .requestFault)])

    private static let headers = [(name: "Content-Type", value: "application/json; charset=utf-8")]

    private static func said(
        _ situation: String, _ name: String, _ code: SpokenAnswer.Outcome?, _ refresh: SpokenAnswer.Outcome? = nil,
        userinfo: SpokenAnswer.Outcome? = nil, probe: String? = nil
    ) -> SpokenAnswer {
        var outcomes: [SpokenAnswer.Place: SpokenAnswer.Outcome] = [:]
        outcomes[.code] = code
        outcomes[.refresh] = refresh
        outcomes[.userinfo] = userinfo
        return SpokenAnswer(
            situation, 200, #"{"ok":false,"error":"\#(name)"}"#, headers: headers, outcomes, probe: probe)
    }
}
