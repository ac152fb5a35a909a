internal import Accounts

/// What can be compared with what providers have said of a user, without telling what that is.
///
/// The raw value is the attribute's name (OpenID Connect Core §5.1, and `postal_code` of ZenKey's carriers).
public enum MatchedAttribute: String, ParameterNames {
    case name
    case givenName = "given_name"
    case familyName = "family_name"
    case postalCode = "postal_code"
    case address
    case birthdate
    case phoneNumber = "phone_number"
    case email

    /// What comparing comes to, as CAMARA's KYC Match has it: "true", "false", "not_available".
    public enum Outcome: String, Sendable, CaseIterable {
        case yes
        case no
        /// No provider has said it, or not enough of it.
        case unknown
    }

    /// What is wrong with a value that is to be compared, as it completes "The parameter … ".
    ///
    /// A part of a value is refused, where parts could be guessed one after the other.
    ///
    /// - Returns: nil for one that can be compared.
    public func fault(of value: String) -> String? {
        switch self {
        case .birthdate:
            guard value.utf8.count == 10, !value.utf8.starts(with: "0000".utf8) else {
                return "must be a whole date, YYYY-MM-DD"
            }
            return AttributeRule.fault(of: value, named: rawValue)
        case .phoneNumber, .email:
            let contact = Contact(rawValue: rawValue)
            return contact?.normalized(value) == nil ? "has nothing that can be compared" : nil
        case .name, .givenName, .familyName, .postalCode, .address:
            return normalized(value).isEmpty ? "has nothing that can be compared" : nil
        }
    }

    /// Names without case, accents, blanks and punctuation; the rest with its accents.
    func normalized(_ text: String) -> String {
        switch self {
        case .name, .givenName, .familyName: ComparableText.of(text, hasAccents: false)
        case .postalCode, .address: ComparableText.of(text, hasAccents: true)
        case .birthdate, .phoneNumber, .email: text
        }
    }
}
