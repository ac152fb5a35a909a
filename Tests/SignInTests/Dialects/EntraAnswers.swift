import Providers
import TestSupport

extension ProviderTable {
    static let entra = ProviderTable(
        dialect: "entra",
        tokens: SpokenAnswer(
            "tokens", 200,
            #"{"token_type":"Bearer","scope":"openid profile email User.Read","expires_in":3736,"ext_expires_in":3736,"#
                + #""access_token":"eyJ0eXAi.m","refresh_token":"0.AXoA","id_token":"{id_token}"}"#, headers: headers),
        refreshed: SpokenAnswer(
            "a refresh", 200,
            #"{"token_type":"Bearer","scope":"openid profile","expires_in":"3599","ext_expires_in":"3599","#
                + #""access_token":"eyJ0eXAi.n","refresh_token":"0.AXoB","id_token":"e.y.J"}"#, headers: headers),
        revoked: nil,
        userinfo: SpokenAnswer(
            "userinfo", 200,
            #"{"sub":"310260-subject","name":"Jane Doe","family_name":"Doe","given_name":"Jane","#
                + #""picture":"https://graph.microsoft.com/v1.0/me/photo/$value","email":"jane@example.com"}"#,
            headers: headers),
        refusals: [
            said(
                "a wrong secret", 401, "invalid_client", 7_000_215, "Invalid client secret provided.", .configuration,
                .configuration, probe: "it is the value that counts"),
            said(
                "a secret that has expired", 401, "invalid_client", 7_000_222,
                "The provided client secret keys for app are expired.", .configuration, .configuration,
                probe: "make another one"),
            said(
                "a client that is public", 401, "invalid_client", 700_025,
                "Client is public so neither 'client_assertion' nor 'client_secret' should be presented.",
                .configuration, .configuration, probe: "clientAuthentication none"),
            said(
                "a client that the tenant does not have", 400, "unauthorized_client", 700_016,
                "Application was not found in the directory.", .configuration, .configuration,
                probe: "no client of this clientID"),
            said(
                "a code that is no good", 400, "invalid_grant", 9_002_313,
                "Invalid request. Request is malformed or invalid.", .over, nil, probe: "as it should"),
            said(
                "a code that was used", 400, "invalid_grant", 54_005,
                "OAuth2 Authorization code was already redeemed, please retry with a new valid code or use an existing "
                    + "refresh token.", .over, nil),
            said(
                "a wrong verifier", 400, "invalid_grant", 501_481,
                "The Code_Verifier does not match the code_challenge supplied in the authorization request.", .over, nil
            ),
            said(
                "a refresh token that is over", 400, "invalid_grant", 700_082,
                "The refresh token has expired due to inactivity.", nil, .over),
            said(
                "a second factor that is due", 400, "invalid_grant", 50_076,
                "Due to a configuration change made by your administrator, you must use multi-factor authentication.",
                .userMustAct, .userMustAct),
            said(
                "something that the user has to do", 400, "interaction_required", 50_079,
                "The user is required to use multi-factor authentication.", .userMustAct, .userMustAct),
            said(
                "consent that is missing", 400, "invalid_grant", 65_001,
                "The user or administrator has not consented to use the application.", .userMustAct, .userMustAct),
            said(
                "Conditional Access", 400, "invalid_grant", 53_003,
                "Access has been blocked by Conditional Access policies.", .denied, .userMustAct,
                probe: "Conditional Access"),
            said(
                "a user who is not assigned", 400, "invalid_grant", 50_105,
                "The signed in user is not assigned to a role for the application.", .denied, .userMustAct,
                probe: "not assigned"),
            said(
                "a fault that passes", 503, "temporarily_unavailable", 90_033, "A transient error has occurred.",
                .unavailable, .unavailable),
            SpokenAnswer(
                "an access token that is over", 401,
                #"{"error":{"code":"InvalidAuthenticationToken","message":"Lifetime validation failed, the token is expired.","#
                    + #""innerError":{"date":"2026-11-26T06:00:00","request-id":"5f2c"}}}"#,
                headers: headers, [.userinfo: .broken]),
        ],
        authorization: [
            ("access_denied", .accessDenied), ("consent_required", .consentRequired),
            ("interaction_required", .interactionRequired), ("login_required", .loginRequired),
            ("unauthorized_client", .requestFault),
        ])

    private static let headers = [
        (name: "Content-Type", value: "application/json; charset=utf-8"),
        (name: "x-ms-request-id", value: "7a0a6a1e-7f54"),
    ]

    private static func said(
        _ situation: String, _ status: Int, _ error: String, _ number: Int, _ description: String,
        _ code: SpokenAnswer.Outcome?, _ refresh: SpokenAnswer.Outcome?, probe: String? = nil
    ) -> SpokenAnswer {
        var outcomes: [SpokenAnswer.Place: SpokenAnswer.Outcome] = [:]
        outcomes[.code] = code
        outcomes[.refresh] = refresh
        return SpokenAnswer(
            situation, status,
            #"{"error":"\#(error)","error_description":"AADSTS\#(number): \#(description) Trace ID: 0000aaaa","#
                + #""error_codes":[\#(number)],"timestamp":"2026-11-26 06:00:00Z","trace_id":"0000aaaa-11bb","#
                + #""correlation_id":"aaaa0000-bb11","error_uri":"https://login.microsoftonline.com/error?code=\#(number)"}"#,
            headers: headers, outcomes, probe: probe)
    }
}
