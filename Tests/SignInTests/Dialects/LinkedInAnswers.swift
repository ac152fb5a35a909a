import Providers
import TestSupport

extension ProviderTable {
    static let linkedIn = ProviderTable(
        dialect: "linkedin",
        tokens: SpokenAnswer(
            "tokens", 200,
            #"{"access_token":"AQXdSP","expires_in":5183999,"refresh_token":"AQWAft","refresh_token_expires_in":31536059,"#
                + #""scope":"email,openid,profile","token_type":"Bearer","id_token":"{id_token}"}"#),
        refreshed: SpokenAnswer(
            "a refresh", 200,
            #"{"access_token":"BBBB2kXI","expires_in":86400,"refresh_token":"AQWAft","refresh_token_expires_in":439200,"#
                + #""token_type":"Bearer"}"#),
        revoked: SpokenAnswer("a revocation", 200, "", headers: []),
        userinfo: SpokenAnswer(
            "userinfo", 200,
            #"{"sub":"310260-subject","name":"Jane Doe","given_name":"Jane","family_name":"Doe","#
                + #""picture":"https://media.licdn-ei.com/image","locale":{"country":"US","language":"en"},"#
                + #""email":"jane@example.com","email_verified":true}"#),
        refusals: [
            SpokenAnswer(
                "a wrong secret", 401,
                #"{"error":"invalid_client","error_description":"Client authentication failed"}"#,
                [.code: .configuration, .refresh: .configuration, .revocation: .unavailable], probe: "its tab Auth"),
            SpokenAnswer(
                "a secret that is not sent", 400,
                #"{"error":"invalid_request","error_description":"A required parameter \"client_secret\" is missing"}"#,
                [.code: .configuration, .refresh: .configuration], probe: "clientAuthentication post"),
            SpokenAnswer(
                "a code that is no good", 400,
                #"{"error":"invalid_request","error_description":"\#(mismatch)"}"#, [.code: .over],
                probe: "as it should"),
            SpokenAnswer(
                "a code that is no good, as it was said before", 400,
                #"{"error":"invalid_redirect_uri","error_description":"\#(mismatch)"}"#, [.code: .over],
                probe: "as it should"),
            SpokenAnswer(
                "a redirect URI that is not registered", 400,
                #"{"error":"invalid_redirect_uri","error_description":"The redirect_uri does not match the registered value"}"#,
                [.code: .configuration], probe: "authorized ones"),
            SpokenAnswer(
                "a refresh token that was revoked", 400,
                #"{"error":"invalid_request","error_description":"The token used in the request has been revoked by the user"}"#,
                [.refresh: .over]),
            SpokenAnswer(
                "a refresh token that is over", 400,
                #"{"error":"invalid_grant","error_description":"The provided authorization grant or refresh token is "#
                    + #"invalid, expired or revoked."}"#, [.refresh: .over]),
            SpokenAnswer(
                "an access token that is over", 401,
                #"{"status":401,"serviceErrorCode":65600,"code":"INVALID_ACCESS_TOKEN","message":"Invalid access token"}"#,
                [.userinfo: .broken]),
            SpokenAnswer(
                "an app without the product", 403,
                #"{"status":403,"serviceErrorCode":100,"code":"ACCESS_DENIED","message":"Not enough permissions to access: "#
                    + #"userinfo.GET.NO_VERSION"}"#, [.userinfo: .configuration]),
        ],
        authorization: [
            ("user_cancelled_login", .accessDenied), ("user_cancelled_authorize", .accessDenied),
            ("unauthorized_scope_error", .requestFault),
        ])

    private static let mismatch =
        "Unable to retrieve access token: appid/redirect uri/code verifier does not match authorization code. Or "
        + "authorization code expired. Or external member binding exists"
}
