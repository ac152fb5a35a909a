import Providers
import TestSupport

/// By Twitch's own documents: a sentence and a status, and no name for what is wrong.
extension ProviderTable {
    static let twitch = ProviderTable(
        dialect: "twitch",
        // Its scope is a list, and no text.
        tokens: SpokenAnswer(
            "tokens", 200,
            #"{"access_token":"rfx2uswqe8l4g1mkagrvg5tv0ks3","expires_in":14124,"id_token":"{id_token}","#
                + #""refresh_token":"5b93chm6hdve3mycz05zfzatkfdenfspp1h1ar2xxdalen01","scope":["openid"],"#
                + #""token_type":"bearer"}"#, headers: headers),
        refreshed: SpokenAnswer(
            "a refresh", 200,
            #"{"access_token":"1ssjqsqfy6bads1ws7m03gras79zfr","refresh_token":"eyJfMzUtNDU0OC4MWYwLTQ5MDY5ODY4","#
                + #""scope":["openid"],"token_type":"bearer"}"#, headers: headers),
        revoked: nil,
        userinfo: SpokenAnswer(
            "userinfo", 200,
            #"{"aud":"hof5gwx0su6owfnys0nyan9c87zr6t","exp":1644426281,"iat":1644425381,"#
                + #""iss":"https://id.twitch.tv/oauth2","sub":"310260-subject","email":"jane@example.com","#
                + #""email_verified":true,"preferred_username":"jane"}"#, headers: headers),
        refusals: [
            said(
                "a wrong secret", 403, "invalid client secret", .configuration, .configuration,
                probe: "developer console"),
            said(
                "a client that there is not", 400, "invalid client", .configuration, .configuration, probe: "clientID"),
            said("a code that is no good", 400, "Invalid authorization code", .over, probe: "as it should"),
            said(
                "another redirect URI", 400, "Parameter redirect_uri does not match registered URI", .configuration,
                probe: "OAuth Redirect URLs"),
            SpokenAnswer(
                "a refresh token that is over", 400,
                #"{"error":"Bad Request","status":400,"message":"Invalid refresh token"}"#, headers: headers,
                [.refresh: .over]),
            said("an access token that is over", 401, "invalid access token", nil, userinfo: .broken),
            SpokenAnswer(
                "a fault of its own", 503, #"{"error":"Service Unavailable","status":503,"message":"try again"}"#,
                headers: headers, [.code: .unavailable, .refresh: .unavailable, .userinfo: .unavailable]),
        ],
        authorization: [("access_denied", .accessDenied), ("redirect_mismatch", .requestFault)])

    private static let headers = [(name: "Content-Type", value: "application/json")]

    private static func said(
        _ situation: String, _ status: Int, _ sentence: String, _ code: SpokenAnswer.Outcome?,
        _ refresh: SpokenAnswer.Outcome? = nil, userinfo: SpokenAnswer.Outcome? = nil, probe: String? = nil
    ) -> SpokenAnswer {
        var outcomes: [SpokenAnswer.Place: SpokenAnswer.Outcome] = [:]
        outcomes[.code] = code
        outcomes[.refresh] = refresh
        outcomes[.userinfo] = userinfo
        return SpokenAnswer(
            situation, status, #"{"status":\#(status),"message":"\#(sentence)"}"#, headers: headers, outcomes,
            probe: probe)
    }
}
