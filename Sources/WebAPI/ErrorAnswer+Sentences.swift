internal import HTTPServer
internal import Providers
internal import SignIn

/// What errors are told by where one kind has many.
extension ErrorAnswer {
    static func sentence(_ problem: ServiceError.GrantProblem) -> String {
        switch problem {
        case .refusedByProvider: "The provider refused the code or its verifier."
        case .codeAlreadyUsed: "The code was used before."
        case .codeSentElsewhere: "The code was sent to another issuer before."
        case .unknownRefreshToken: "The refresh token is not valid."
        case .locked: "The user is locked, and has no sessions any more."
        case .invalidTicket: "The link ticket is unknown, expired, used, or another client's."
        case .reusedRefreshToken: "The refresh token was used before; its sessions are revoked."
        case .invalidAppCode: "The code is unknown, expired, or bound to another client, redirect_uri or code_verifier."
        case .reusedAppCode: "The code was used before; its session is revoked."
        }
    }
}

extension AuthorizationRefusal {
    var code: String { self == .requestFault ? "provider_error" : rawValue }

    /// What happened and what helps, as the guides of the carriers have it.
    var sentence: String {
        switch self {
        case .accessDenied, .requestDenied: "The user or the carrier said no; offer another way to sign in."
        case .authenticationTimedOut: "The user did not answer in time; offer to try again."
        case .userNotFound: "The carrier does not know the user any more; let the user choose a carrier again."
        case .userUnsupported: "The carrier does not serve this user; offer another way to sign in."
        case .deviceUnavailable: "The user's phone can't be reached; ask to switch it on and to try again."
        case .networkFailure: "The carrier's network failed; offer to try again in a moment."
        case .invalidLoginHint, .invalidLoginHintToken: "The hint about the user was refused; begin again without it."
        case .loginRequired: "The user has to sign in at the provider; ask again without prompt=none."
        case .interactionRequired: "The user has to do something at the provider; ask again without prompt=none."
        case .consentRequired: "The user has to consent, here or at the provider; ask again without prompt=none."
        case .accountSelectionRequired: "The user has to choose an account; ask again without prompt=none."
        case .unmetAuthenticationRequirements: "The user can't be authenticated at the level that was asked for."
        case .expiredLineToken: "The aloha_token has expired: authenticate the line again, and begin anew."
        case .temporarilyUnavailable, .serverError: "The provider can't answer now; offer to try again in a moment."
        case .requestFault: "The provider refused the request; its section in the configuration may be wrong."
        }
    }
}

extension EventTokenError {
    /// The code of RFC 8935 §2.4.
    var code: String {
        switch self {
        case .issuer: "invalid_issuer"
        case .audience: "invalid_audience"
        case .algorithm, .unknownKey: "invalid_key"
        case .signature: "authentication_failed"
        default: "invalid_request"
        }
    }
}
