internal import HTTPServer

/// What can be the matter with a carrier that asks its subscribers: its answer to the request, or its notification.
public enum PushMisbehaviour: String, Sendable, CaseIterable {
    // The answer, asked for at the endpoint `push`.
    case userNotFound = "push_user_not_found"
    case deviceUnavailable = "push_device_unavailable"
    case invalidClient = "push_invalid_client"
    case withoutID = "push_without_auth_req_id"
    /// It asks for a minute only, whatever was wished.
    case expiresSoon = "push_expires_in_a_minute_valid"
    /// The subscriber approves, and the notification comes, before the request is answered.
    case notifiedFirst = "push_notified_before_the_answer_valid"

    // The notification, asked for where the subscriber answers.
    case wrongBearer = "notification_wrong_bearer"
    case wrongState = "notification_wrong_state"
    case wrongID = "notification_wrong_auth_req_id"
    case withoutIDToken = "notification_without_id_token"
    /// The same one two times.
    case twice = "notification_twice_valid"
    /// Somebody else approves, with an ID token and userinfo of their own.
    case otherSubscriber = "notification_of_another_subscriber"

    /// The error that a request is refused with; nil for one that is taken.
    var error: OAuthError? {
        let description = "The simulation was asked for this error."
        return switch self {
        case .userNotFound: OAuthError("user_not_found", description)
        case .deviceUnavailable: OAuthError("device_unavailable", description)
        case .invalidClient: OAuthError("invalid_client", description, status: .unauthorized)
        default: nil
        }
    }
}
