import Providers
import TestSupport

extension ProviderTable {
    static let okta = ProviderTable(
        dialect: "okta",
        tokens: SpokenAnswer(
            "tokens", 200,
            #"{"token_type":"Bearer","expires_in":3600,"access_token":"eyJraWQiOiJ.a","scope":"offline_access openid","#
                + #""refresh_token":"gOSWBkFIz","id_token":"{id_token}"}"#),
        refreshed: SpokenAnswer(
            "a refresh", 200,
            #"{"token_type":"Bearer","expires_in":3600,"access_token":"eyJraWQiOiJ.b","scope":"offline_access openid","#
                + #""refresh_token":"a9VpZDRCeFh3","id_token":"e.y.J"}"#),
        revoked: SpokenAnswer("a revocation", 200, "", headers: []),
        userinfo: SpokenAnswer(
            "userinfo", 200,
            #"{"sub":"310260-subject","name":"Jane Doe","locale":"en-US","email":"jane@example.com","#
                + #""preferred_username":"jane@example.com","zoneinfo":"America/Los_Angeles","updated_at":1790000000,"#
                + #""email_verified":true}"#),
        refusals: [
            SpokenAnswer(
                "a wrong secret", 401,
                #"{"error":"invalid_client","error_description":"The client secret supplied for a confidential client is "#
                    + #"invalid."}"#,
                [.code: .configuration, .refresh: .configuration, .revocation: .unavailable], probe: "app integration"),
            SpokenAnswer(
                "a client that there is not", 401,
                #"{"errorCode":"invalid_client","errorSummary":"Invalid value for 'client_id' parameter.","#
                    + #""errorLink":"invalid_client","errorId":"oaeS1WCm9sfRZiWy4NwK2z-bg","errorCauses":[]}"#,
                [.code: .configuration, .refresh: .configuration, .revocation: .unavailable],
                probe: "invalid_client: Invalid value for 'client_id' parameter."),
            SpokenAnswer(
                "a code that is no good", 400,
                #"{"error":"invalid_grant","error_description":"The authorization code is invalid or has expired."}"#,
                [.code: .over], probe: "as it should"),
            SpokenAnswer(
                "a wrong verifier", 400, #"{"error":"invalid_grant","error_description":"PKCE verification failed."}"#,
                [.code: .over]),
            SpokenAnswer(
                "a refresh token that is over", 400,
                #"{"error":"invalid_grant","error_description":"The refresh token is invalid or expired."}"#,
                [.refresh: .over]),
            SpokenAnswer(
                "a policy that lets nobody in", 400,
                #"{"error":"access_denied","error_description":"Policy evaluation failed for this request, please check the "#
                    + #"policy configurations."}"#,
                [.code: .denied, .refresh: .userMustAct], probe: "Access Policies"),
            SpokenAnswer(
                "a user who is not assigned", 400,
                #"{"error":"access_denied","error_description":"User is not assigned to the client application."}"#,
                [.code: .denied, .refresh: .userMustAct], probe: "Assignments"),
            SpokenAnswer(
                "too many requests", 429,
                #"{"errorCode":"E0000047","errorSummary":"API call exceeded rate limit due to too many requests.","#
                    + #""errorLink":"E0000047","errorId":"oaeA","errorCauses":[]}"#,
                [.code: .unavailable, .refresh: .unavailable, .revocation: .unavailable]),
            SpokenAnswer(
                "a fault of its own", 500,
                #"{"errorCode":"E0000009","errorSummary":"Internal Server Error","errorLink":"E0000009","errorId":"oaeB","#
                    + #""errorCauses":[]}"#,
                [.code: .broken, .refresh: .broken, .revocation: .unavailable]),
            SpokenAnswer(
                "an access token that is over", 401, "",
                headers: [
                    (
                        name: "WWW-Authenticate",
                        value:
                            #"Bearer authorization_uri="http://x.okta.com/oauth2/v1/authorize", error="invalid_token""#
                    )
                ], [.userinfo: .broken]),
        ],
        authorization: [
            ("access_denied", .accessDenied), ("login_required", .loginRequired),
            ("temporarily_unavailable", .temporarilyUnavailable),
        ])
}
