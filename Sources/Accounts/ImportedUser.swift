/// A user from elsewhere.
public struct ImportedUser: Equatable, Sendable {
    /// A subject at a configured provider.
    public struct Identity: Equatable, Sendable {
        public var provider: String
        public var subject: Subject
        /// As ``Accounts/Identity/emailStoppedAt``.
        public var emailStoppedAt: Int64?

        public init(provider: String, subject: Subject, emailStoppedAt: Int64?) {
            (self.provider, self.subject, self.emailStoppedAt) = (provider, subject, emailStoppedAt)
        }
    }

    /// The random reference, for the case that the user is new here.
    public var reference: String
    public var profile: Profile
    /// Seconds since 1970.
    public var createdAt: Int64
    /// By which the user signs in; at least one.
    public var identities: [Identity]
    /// That they may not sign in, as it was where they come from; only for who is new here.
    public var lock: Lock?

    public init(
        reference: String, profile: Profile, createdAt: Int64, identities: [Identity], lock: Lock? = nil
    ) {
        (self.reference, self.profile, self.createdAt, self.identities) = (reference, profile, createdAt, identities)
        self.lock = lock
    }
}

/// What became of an imported user.
public enum ImportResult: Equatable, Sendable {
    case created(UserID)
    /// All of the identities are this user's already; nothing changed.
    case alreadyThere(UserID)
    /// Some of the identities were this user's, and has got the others; the profile stays as it was.
    case completed(UserID)
    /// The identities belong to several users; nothing changed.
    case conflict
    /// Nobody could ever sign in as this user, and importing it again could not find it; nothing was stored.
    case noIdentity
}
