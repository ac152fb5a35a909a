/// What apps see as a user's `sub` (OpenID Connect Core §5.7). It is the store's for good: a backend that knows its
/// users by one of them would take everybody for somebody new, or for somebody else.
public enum SubjectForm: String, CaseIterable, Sendable {
    /// ``User/reference``, which is random: whatever becomes of the store, nobody else ever has it.
    case reference
    /// The user's number, as versions before had it.
    case number

    fileprivate func subject(_ user: UserID, _ reference: String) -> String {
        switch self {
        case .reference: reference
        case .number: user.description
        }
    }
}

extension Session {
    /// The `sub` of its user.
    public func subject(as form: SubjectForm) -> String { form.subject(user, userReference) }
}

extension SignedIn {
    /// The `sub` of the user.
    public func subject(as form: SubjectForm) -> String { form.subject(user, reference) }
}
