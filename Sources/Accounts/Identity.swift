/// One way a user signs in: a subject at a provider, linked to the user.
public struct Identity: Equatable, Sendable {
    /// How the identity came to its user.
    public enum Origin: String, Sendable, CaseIterable {
        /// The user's first sign-in made it.
        case signIn = "sign-in"
        /// It took the place of the identity at the carrier the user left, or at the team that the app left.
        case migration
        /// The signed-in user added it, or an operator, or a sign-in that showed the user's cross-client key.
        case link
        /// It was brought from elsewhere.
        case imported = "import"
    }

    public var id: IdentityID
    public var user: UserID
    /// The configured name of the provider.
    public var provider: String
    public var subject: Subject
    public var origin: Origin
    /// Seconds since 1970.
    public var linkedAt: Int64
    /// Seconds since 1970; 0 for an imported one that nobody has signed in by yet.
    public var lastSignInAt: Int64
    /// Since when the provider passes no mail on to the address that it has given, in seconds since 1970; nil where it
    /// does, or has not said that it doesn't.
    public var emailStoppedAt: Int64?
    /// Until when nobody signs in by it, in seconds since 1970, by its user's lock or its own; 0 where it is free.
    public var lockedUntil: Int64

    public init(
        id: IdentityID, user: UserID, provider: String, subject: Subject, origin: Origin, linkedAt: Int64,
        lastSignInAt: Int64, emailStoppedAt: Int64?, lockedUntil: Int64 = 0
    ) {
        (self.id, self.user, self.provider, self.subject, self.origin) = (id, user, provider, subject, origin)
        (self.linkedAt, self.lastSignInAt, self.emailStoppedAt) = (linkedAt, lastSignInAt, emailStoppedAt)
        self.lockedUntil = lockedUntil
    }
}
