internal import SignIn

extension ServiceError {
    /// What somebody who watches over the service must hear of, about anyone: something may have been stolen,
    /// or somebody tries doors. Nil for everything else.
    var securityMessage: String? {
        switch self {
        case .invalidGrant(.reusedRefreshToken):
            "a refresh token was used again after its successor: its session has ended"
        case .invalidGrant(.reusedAppCode): "an authorization code of ours was used again: its session has ended"
        case .invalidAdminToken: "an operator's token was refused"
        case .expiredAdminToken: "an operator's token was refused: its time is over"
        case .insufficientRole: "an operator was refused: none of their roles allows it"
        case .migrationConflict: "a subscriber who has moved has an account at either carrier"
        case .mergeConflict: "two accounts can't become one"
        case .locked, .invalidGrant(.locked): "somebody was refused who is locked"
        default: nil
        }
    }
}
