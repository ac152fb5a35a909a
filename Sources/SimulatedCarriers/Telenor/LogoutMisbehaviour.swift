/// How a `custom_logout_endpoint` may refuse what is right.
public enum LogoutMisbehaviour: String, Sendable, CaseIterable {
    case refused = "logout_400"
    case unauthorized = "logout_401"
    /// What lies behind the endpoint has failed.
    case upstreamFailed = "logout_424"
}
