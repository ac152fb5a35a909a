/// How somebody can be reached, and with it what accounts elsewhere are found by. Whoever may put such a value into
/// another's mouth could be taken for him, so what a provider gave is told apart from what the user says himself.
///
/// The raw value is the attribute's name (OpenID Connect Core §5.1).
public enum Contact: String, Sendable, CaseIterable {
    case email
    case phoneNumber = "phone_number"

    /// The attribute in which a provider says that it has verified this one.
    public var verifiedName: String {
        switch self {
        case .email: "email_verified"
        case .phoneNumber: "phone_number_verified"
        }
    }
}
