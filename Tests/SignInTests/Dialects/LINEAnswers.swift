import Providers
import TestSupport

extension ProviderTable {
    static let line = ProviderTable(
        dialect: "line",
        tokens: SpokenAnswer(
            "tokens", 200,
            #"{"access_token":"bNl4YEFPI","expires_in":2592000,"id_token":"{id_token}","refresh_token":"Aa1FdeggRhT","#
                + #""scope":"profile openid","token_type":"Bearer"}"#),
        refreshed: SpokenAnswer(
            "a refresh", 200,
            #"{"token_type":"Bearer","scope":"profile","access_token":"bNl4YEFPJ","expires_in":2591977,"#
                + #""refresh_token":"8iFFRdyxNVNLWYeteMMJ"}"#),
        revoked: SpokenAnswer("a revocation", 200, "", headers: []),
        userinfo: SpokenAnswer(
            "userinfo", 200,
            #"{"sub":"310260-subject","name":"Taro Line","picture":"https://profile.line-scdn.net/0h8pWWE"}"#),
        refusals: [
            SpokenAnswer(
                "a wrong secret", 400, #"{"error":"invalid_client","error_description":"invalid client_secret"}"#,
                [.code: .configuration, .refresh: .configuration, .revocation: .unavailable],
                probe: "the secret of that channel"),
            SpokenAnswer(
                "a code that is no good", 400,
                #"{"error":"invalid_grant","error_description":"invalid authorization code"}"#, [.code: .over],
                probe: "as it should"),
            SpokenAnswer(
                "a wrong verifier", 400, #"{"error":"invalid_grant","error_description":"invalid code_verifier"}"#,
                [.code: .over]),
            SpokenAnswer(
                "another redirect URI", 400,
                #"{"error":"invalid_grant","error_description":"redirect_uri does not match"}"#, [.code: .over]),
            SpokenAnswer(
                "a refresh token that is over", 400,
                #"{"error":"invalid_grant","error_description":"invalid refresh token"}"#, [.refresh: .over]),
            SpokenAnswer(
                "the same in its other words", 400,
                #"{"error":"invalid_request","error_description":"invalid refresh token"}"#, [.refresh: .over]),
            SpokenAnswer(
                "a grant type that is none", 400, #"{"error":"unsupported_grant_type"}"#, [.code: .configuration]),
            SpokenAnswer(
                "a fault of its own", 500, #"{"error":"server_error"}"#,
                [.code: .broken, .refresh: .broken, .revocation: .unavailable]),
            SpokenAnswer(
                "an access token that is over", 401,
                #"{"error":"invalid_token","error_description":"The access token expired"}"#, [.userinfo: .broken]),
        ],
        authorization: [
            ("access_denied", .accessDenied), ("ACCESS_DENIED", .accessDenied), ("LOGIN_REQUIRED", .loginRequired),
            ("INTERACTION_REQUIRED", .interactionRequired), ("SERVER_ERROR", .serverError),
            ("INVALID_REQUEST", .requestFault),
        ])
}
