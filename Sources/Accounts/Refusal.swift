/// Why what was asked of a repository may not be. What the refused call has used up, such as a code, stays used up.
public enum Refusal: Equatable, Sendable {
    /// This authorization code was presented before.
    case codeAlreadyUsed
    /// This challenge was used before.
    case challengeAlreadyUsed
    /// The subject and its port tokens belong to different users.
    case migrationConflict
    /// That subject belongs to another user.
    case identityInUse
    /// The user of the session authenticated longer ago than so many seconds, which this does not allow.
    case authenticationTooOld(maximumAgeSeconds: Int64)
    /// The identity was added to its user too recently for this; in so many seconds it may.
    case identityTooNew(waitSeconds: Int64)
    /// The session in whose name something was to be done is not live any more.
    case sessionGone
    /// The push is not pending any more.
    case pushOver
    /// The user has not agreed to what the app asks for, and may not be asked.
    case consentRequired
    /// The user, or the identity, is locked.
    case locked
    /// The link ticket is unknown, expired, used, or another client's.
    case invalidTicket
}

/// What became of an edit of a profile.
public enum EditOutcome: Equatable, Sendable {
    /// The user as stored then.
    case edited(User)
    case refused(Refusal)
}

/// What became of a user's request to end sessions.
public enum SignOutOutcome: Equatable, Sendable {
    /// So many live ones.
    case ended(Int)
    /// The user has no such session.
    case notFound
    case refused(Refusal)
}

/// What became of a user's request to be erased.
public enum ErasureOutcome: Equatable, Sendable {
    case erased
    case refused(Refusal)
}
