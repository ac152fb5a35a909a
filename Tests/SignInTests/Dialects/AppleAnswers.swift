import Providers
import TestSupport

extension ProviderTable {
    static let apple = ProviderTable(
        dialect: "apple",
        tokens: SpokenAnswer(
            "tokens", 200,
            #"{"access_token":"a0996b16","token_type":"Bearer","expires_in":3600,"refresh_token":"rca7.0.s","#
                + #""id_token":"{id_token}"}"#, headers: headers),
        refreshed: SpokenAnswer(
            "a refresh", 200, #"{"access_token":"beg510","token_type":"Bearer","expires_in":3600}"#, headers: headers),
        revoked: SpokenAnswer("a revocation", 200, "", headers: []),
        userinfo: nil,
        refusals: [
            SpokenAnswer(
                "a wrong secret", 400, #"{"error":"invalid_client"}"#, headers: headers,
                [.code: .configuration, .refresh: .configuration, .revocation: .unavailable],
                probe: "the client secret does not hold"),
            SpokenAnswer(
                "a code that is no good", 400,
                #"{"error":"invalid_grant","error_description":"The code has expired or has been revoked."}"#,
                headers: headers, [.code: .over], probe: "as it should"),
            SpokenAnswer(
                "a code that was used", 400,
                #"{"error":"invalid_grant","error_description":"The code has already been used."}"#, headers: headers,
                [.code: .over]),
            SpokenAnswer(
                "a code of another client", 400,
                #"{"error":"invalid_grant","error_description":"client_id mismatch. The code was not issued to com.example."}"#,
                headers: headers, [.code: .over]),
            SpokenAnswer(
                "a client of another group", 400, #"{"error":"unauthorized_client"}"#, headers: headers,
                [.code: .configuration], probe: "App ID"),
            SpokenAnswer(
                "a refresh token that is over", 400,
                #"{"error":"invalid_grant","error_description":"The token has expired or has been revoked."}"#,
                headers: headers, [.refresh: .over]),
            SpokenAnswer(
                "a token of another kind at the revocation", 400, #"{"error":"unsupported_token_type"}"#,
                headers: headers, [.revocation: .never]),
            SpokenAnswer(
                "a page", 503, "<html><body>Service Unavailable</body></html>",
                headers: [(name: "Content-Type", value: "text/html")],
                [.code: .broken, .refresh: .broken, .revocation: .unavailable]),
        ],
        authorization: [
            ("user_cancelled_authorize", .accessDenied), ("invalid_scope", .requestFault),
            ("invalid_request", .requestFault),
        ])

    private static let headers = [
        (name: "Content-Type", value: "application/json;charset=ISO-8859-1"), (name: "Pragma", value: "no-cache"),
        (name: "Cache-Control", value: "no-store"),
    ]
}
