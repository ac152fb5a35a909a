import Providers
import TestSupport

extension ProviderTable {
    static let google = ProviderTable(
        dialect: "google",
        tokens: SpokenAnswer(
            "tokens", 200,
            "{\n  \"access_token\": \"ya29.a0\",\n  \"expires_in\": 3599,\n  \"refresh_token\": \"1//04d\",\n"
                + "  \"scope\": \"openid https://www.googleapis.com/auth/userinfo.email\",\n"
                + "  \"token_type\": \"Bearer\",\n  \"id_token\": \"{id_token}\"\n}", headers: headers),
        refreshed: SpokenAnswer(
            "a refresh", 200,
            "{\n  \"access_token\": \"ya29.b0\",\n  \"expires_in\": 3599,\n  \"scope\": \"openid\",\n"
                + "  \"token_type\": \"Bearer\",\n  \"id_token\": \"e.y.J\"\n}", headers: headers),
        revoked: SpokenAnswer("a revocation", 200, "{}", headers: headers),
        userinfo: SpokenAnswer(
            "userinfo", 200,
            #"{"sub":"310260-subject","name":"Jane Doe","given_name":"Jane","family_name":"Doe","#
                + #""picture":"https://lh3.googleusercontent.com/a","email":"jane@example.com","email_verified":true,"#
                + #""hd":"example.com"}"#, headers: headers),
        refusals: [
            said(
                "a wrong secret", 401, "invalid_client", "Unauthorized", .configuration, .configuration,
                probe: "Clients"),
            said(
                "a client that there is not", 401, "invalid_client", "The OAuth client was not found.", .configuration,
                .configuration, probe: "Cloud console"),
            said(
                "a client that was deleted", 401, "deleted_client", "The OAuth client was deleted.", .configuration,
                .configuration, probe: "was deleted"),
            said(
                "a secret that is not sent", 400, "invalid_request", "client_secret is missing.", .configuration,
                .configuration, probe: "give it clientSecret"),
            said(
                "a code that is no good", 400, "invalid_grant", "Malformed auth code.", .over, nil,
                probe: "as it should"),
            said("a code that was used", 400, "invalid_grant", "Bad Request", .over, nil),
            said("a wrong verifier", 400, "invalid_grant", "Invalid code verifier.", .over, nil),
            said(
                "a code of another client", 401, "unauthorized_client", "Unauthorized", .configuration, nil,
                probe: "another OAuth client"),
            said(
                "another redirect URI", 400, "redirect_uri_mismatch", "Bad Request", .configuration, nil,
                probe: "to the letter"),
            said(
                "a refresh token that is over", 400, "invalid_grant", "Token has been expired or revoked.", nil, .over),
            SpokenAnswer(
                "an account that has to be looked at again", 400,
                #"{"error":"invalid_grant","error_subtype":"invalid_rapt","error_description":"reauth related error "#
                    + #"(invalid_rapt)","error_uri":"https://support.google.com/a/answer/9368756"}"#,
                headers: headers, [.refresh: .userMustAct]),
            said(
                "an administrator who says no", 400, "admin_policy_enforced",
                "The Google Account is unable to authorize one or more scopes requested due to the policies of their "
                    + "Google Workspace administrator.", .denied, .userMustAct, probe: "API controls"),
            said("an app for one organization", 403, "org_internal", "Error 403: org_internal", .denied, .userMustAct),
            said(
                "a fault of its own", 500, "internal_failure", "Backend Error", .broken, .broken),
            said(
                "too many requests", 403, "rate_limit_exceeded", "Rate Limit Exceeded", .unavailable, .unavailable),
            SpokenAnswer(
                "a token that is over at the revocation", 400,
                "{\n  \"error\": \"invalid_token\",\n  \"error_description\": \"Token expired or revoked\"\n}",
                headers: headers, [.revocation: .good]),
            SpokenAnswer(
                "an access token that is over", 401,
                "{\n  \"error\": \"invalid_request\",\n  \"error_description\": \"Invalid Credentials\"\n}",
                headers: headers + [(name: "WWW-Authenticate", value: #"Bearer realm="https://accounts.google.com/""#)],
                [.userinfo: .broken]),
        ],
        authorization: [
            ("access_denied", .accessDenied), ("admin_policy_enforced", .accessDenied),
            ("org_internal", .accessDenied), ("redirect_uri_mismatch", .requestFault),
        ])

    private static let headers = [
        (name: "Content-Type", value: "application/json; charset=utf-8"),
        (name: "X-Frame-Options", value: "SAMEORIGIN"),
    ]

    private static func said(
        _ situation: String, _ status: Int, _ error: String, _ description: String, _ code: SpokenAnswer.Outcome?,
        _ refresh: SpokenAnswer.Outcome?, probe: String? = nil
    ) -> SpokenAnswer {
        var outcomes: [SpokenAnswer.Place: SpokenAnswer.Outcome] = [:]
        outcomes[.code] = code
        outcomes[.refresh] = refresh
        return SpokenAnswer(
            situation, status, "{\n  \"error\": \"\(error)\",\n  \"error_description\": \"\(description)\"\n}",
            headers: headers, outcomes, probe: probe)
    }
}
