internal import Providers

/// Why a sign-in failed, in a sentence for who answers the user that could not sign in.
package enum SignInFailure {
    /// - Parameter reason: the error's stable code, with the rule behind it where it has one, as counts have it.
    package static func sentence(_ reason: String) -> String {
        let parts = reason.split(separator: ":", maxSplits: 1)
        let code = parts.first.map(String.init) ?? ""
        if code == "invalid_id_token", parts.count == 2,
            let rule = IDTokenError(rawValue: String(parts[1].drop { $0 == " " }))
        {
            return sentence(rule)
        }
        return sentences[code] ?? "It was refused; /docs says what the code \(code) means."
    }

    private static let sentences = [
        "access_denied": "The user or the provider said no.",
        "authentication_timed_out": "The user did not answer in time.",
        "challenge_required": "The app sent no nonce of ours, which the provider's section demands.",
        "identity_in_use": "The identity is another user's already.",
        "insufficient_user_authentication": "The user had authenticated too long ago for what they wanted to do.",
        "interaction_required":
            "The provider wants the user to do something there first: the app began without asking.",
        "invalid_api_key": "The app sent no API key, or one that is not configured.",
        "invalid_challenge": "The nonce was none of ours, had expired, or was used before: the user waited too long.",
        "invalid_client": "The app's secret, or ours at the provider, is wrong.",
        "invalid_grant": "The code was wrong, too old or used before, or its verifier was another: begin again.",
        "invalid_request": "The app left a parameter out, or sent one that can't be read.",
        "issuer_mismatch":
            "The answer came from another issuer than the app asked: the app mixed up two, or was made to.",
        "locked": "The account is locked, by an operator or by its provider.",
        "migration_conflict": "Two accounts claim to be the one that the user moved from: an operator has to decide.",
        "other": "Several ways to fail, counted together.",
        "overloaded": "There was no room for it: the service or the provider had too much to do.",
        "provider_error": "The provider's answer was none that can be used; the log names what was wrong.",
        "provider_not_found": "No carrier serves the user's network, or the user has changed carriers.",
        "provider_timeout": "The provider did not answer in time.",
        "provider_unavailable": "The provider could not be reached, or said that it is out of order.",
        "rate_limited": "Too many came from that address at once.",
        "redirect_uri_not_allowed": "The app's redirect URI is not one of the provider's section.",
        "storage_unavailable": "The store could not be written to.",
        "unknown_client": "No provider is configured with the client ID that the app sent.",
        "unknown_provider": "No provider has the name that the app sent.",
        "userinfo_mismatch": "The provider's userinfo was about somebody else than its ID token.",
    ]

    private static func sentence(_ rule: IDTokenError) -> String {
        switch rule {
        case .signature: "The ID token's signature is wrong: the provider changed a key, or somebody made it up."
        case .algorithm: "The ID token was signed in a way that the provider's section does not allow."
        case .issuer: "The ID token names another issuer than the provider's section."
        case .audience: "The ID token is for another client than the one in the provider's section."
        case .authorizedParty: "The ID token was given to another client."
        case .expired: "The ID token had expired: a clock is wrong, or it came very late."
        case .issuedAt: "The ID token was issued too long ago, or in the future: a clock is wrong."
        case .nonce: "The ID token's nonce is not the app's: it belongs to another sign-in."
        case .subject: "The ID token names no user."
        case .acr: "The user authenticated less strongly than was asked for."
        case .authenticationTime: "The ID token does not show that the user authenticated recently enough."
        case .context: "The ID token is about another transaction than the app asked for."
        case .accessTokenHash: "The ID token belongs to another access token."
        case .codeHash: "The ID token belongs to another code."
        case .malformed: "What the provider sent is no ID token."
        case .unknownKey: "The ID token was signed with a key that the provider does not publish."
        }
    }
}
