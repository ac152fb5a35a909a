import Providers
import TestSupport

extension ProviderTable {
    static let facebook = ProviderTable(
        dialect: "facebook",
        tokens: SpokenAnswer(
            "tokens", 200,
            #"{"access_token":"EAAG","token_type":"bearer","expires_in":5183944,"id_token":"{id_token}"}"#,
            headers: headers),
        refreshed: SpokenAnswer(
            "a refresh", 200, #"{"access_token":"EAAH","token_type":"bearer","expires_in":5183944}"#, headers: headers),
        revoked: SpokenAnswer("a revocation", 200, #"{"success":true}"#, headers: headers),
        userinfo: nil,
        refusals: [
            SpokenAnswer(
                "a wrong secret", 400, error("Error validating client secret.", 1), headers: headers,
                [.code: .configuration, .refresh: .configuration, .revocation: .unavailable], probe: "App Secret"),
            SpokenAnswer(
                "an app that there is not", 400,
                error("Error validating application. Cannot get application info due to a system error.", 101),
                headers: headers, [.code: .configuration, .refresh: .configuration], probe: "no app of this clientID"),
            SpokenAnswer(
                "a code that is no good", 400, error("Invalid verification code format.", 100), headers: headers,
                [.code: .over], probe: "as it should"),
            SpokenAnswer(
                "a code that was used", 400, error("This authorization code has been used.", 100, 36_009),
                headers: headers, [.code: .over]),
            SpokenAnswer(
                "another redirect URI", 400,
                error(
                    "Error validating verification code. Please make sure your redirect_uri is identical to the one you "
                        + "used in the OAuth dialog request", 100, 36_008),
                headers: headers, [.code: .configuration], probe: "to the letter"),
            SpokenAnswer(
                "a token that is over", 400,
                error("Error validating access token: Session has expired on Thursday, 26-Nov-26.", 190, 463),
                headers: headers, [.refresh: .over]),
            SpokenAnswer(
                "a user who changed the password", 400,
                error("Error validating access token: The session has been invalidated", 190, 460), headers: headers,
                [.refresh: .over]),
            SpokenAnswer(
                "a permission that was not given", 403, error("Permissions error", 200), headers: headers,
                [.code: .denied, .refresh: .userMustAct]),
            SpokenAnswer(
                "too many requests", 400, error("(#4) Application request limit reached", 4), headers: headers,
                [.code: .unavailable, .refresh: .unavailable, .revocation: .unavailable]),
            SpokenAnswer(
                "a fault of its own", 500, error("An unexpected error has occurred. Please retry later.", 2),
                headers: headers, [.code: .broken, .refresh: .broken, .revocation: .unavailable]),
        ],
        authorization: [("access_denied", .accessDenied)])

    private static let headers = [
        (name: "Content-Type", value: "application/json; charset=UTF-8"), (name: "x-fb-trace-id", value: "Dq1"),
    ]

    private static func error(_ message: String, _ code: Int, _ subcode: Int? = nil) -> String {
        let subcode = subcode.map { #""error_subcode":\#($0),"# } ?? ""
        return
            #"{"error":{"message":"\#(message)","type":"OAuthException","code":\#(code),\#(subcode)"fbtrace_id":"AYg"}}"#
    }
}
