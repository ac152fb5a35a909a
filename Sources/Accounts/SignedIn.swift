/// Who is signed in.
public struct SignedIn: Equatable, Sendable {
    public var user: UserID
    public var identity: IdentityID
    public var isNewUser: Bool
    /// Whether this sign-in moved the user here from another carrier.
    public var migrated: Bool
    public var reference: String
    /// The profile with this sign-in merged in.
    public var profile: Profile
    /// Whether the user has to be asked before the app gets its code (``ConsentDemand``).
    public var lacksConsent = false
    /// Whether a port token names another user: the same person seems to have two accounts, which they may make one.
    public var isMergeOffered = false
    /// How many verified port tokens had moved somebody before, and so proved nothing.
    public var usedPortTokens = 0

    public init(
        user: UserID, identity: IdentityID, isNewUser: Bool, migrated: Bool, reference: String, profile: Profile
    ) {
        (self.user, self.identity, self.isNewUser, self.migrated) = (user, identity, isNewUser, migrated)
        (self.reference, self.profile) = (reference, profile)
    }
}

public enum SignInOutcome: Equatable, Sendable {
    /// A session is open. It has much to tell, and passes through many hands.
    indirect case signedIn(SignedIn)
    /// Nobody has the subject; the ticket is stored, and nothing else but the used code.
    case unlinked
    case refused(Refusal)
}
