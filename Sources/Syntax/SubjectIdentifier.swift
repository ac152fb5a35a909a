/// What an issuer knows a user by, the `sub` of its tokens, as a text that may be stored (OpenID Connect Core §2). It
/// is opaque: whatever else stands in it is the issuer's business.
public enum SubjectIdentifier {
    /// In bytes.
    public static let maximumBytes = 255

    /// Whether a text can be one. A control character can't be in it: PostgreSQL stores no NUL, and nobody could be
    /// found by hand by what can't be typed.
    public static func isValid(_ text: String) -> Bool {
        (1...maximumBytes).contains(text.utf8.count) && !text.hasControlCharacters
    }
}
