/// What a provider tells of a user that can lock the whole user, and not the provider's own identity alone.
enum LockingEvent: String, Sendable, CaseIterable {
    /// Somebody else has got hold of the account (RISC 1.0 §2.3, `account-disabled` for `hijacking`).
    case hijacking
}
