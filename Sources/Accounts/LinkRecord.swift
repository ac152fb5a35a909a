/// A verified identity that a signed-in user adds.
public struct LinkRecord: Sendable {
    public var evidence: Evidence
    /// The server-issued nonce, where one was used.
    public var challenge: OneTimeUse?
    /// Whose session adds it. It must be live in the very transaction.
    public var session: SessionID
    /// What the session must show in the very transaction.
    public var demands: SensitiveDemands
    /// The configured name of the provider.
    public var provider: String
    public var subject: Subject
    /// What is compared with the lines in time (``NotBefore``).
    public var beginning: SignInBeginning
    /// The provider's `auth_time`, in seconds since 1970; nil where it tells none.
    public var authenticationTime: Int64?
    /// The provider's own session, where its ID token named one.
    public var upstreamSession: TokenHash?
    /// What the carrier said about the user this time.
    public var attributes: Attributes
    /// What the provider's configuration hands out besides.
    public var claims: TypedClaims
    /// The provider's tokens, where they are kept.
    public var kept: KeptTokens?
    /// Seconds since 1970.
    public var now: Int64

    public init(
        evidence: Evidence, challenge: OneTimeUse?, session: SessionID, demands: SensitiveDemands,
        provider: String, subject: Subject, beginning: SignInBeginning, authenticationTime: Int64?,
        upstreamSession: TokenHash?, attributes: Attributes, claims: TypedClaims, kept: KeptTokens?, now: Int64
    ) {
        (self.evidence, self.challenge, self.session, self.demands) = (evidence, challenge, session, demands)
        (self.provider, self.subject, self.beginning) = (provider, subject, beginning)
        (self.authenticationTime, self.upstreamSession) = (authenticationTime, upstreamSession)
        (self.attributes, self.claims, self.kept, self.now) = (attributes, claims, kept, now)
    }

    /// What is merged into the profile.
    public var statement: ProviderStatement {
        ProviderStatement(
            provider: provider, subject: subject.value, attributes: attributes, claims: claims, at: now)
    }
}

public enum LinkOutcome: Equatable, Sendable {
    /// - Parameter isNew: false when it was this user's already.
    case linked(Identity, isNew: Bool)
    case refused(Refusal)
}

public enum UnlinkOutcome: Equatable, Sendable {
    case unlinked
    /// The user has no such identity.
    case notFound
    /// Without it nobody could sign in as the user any more.
    case lastIdentity
    case refused(Refusal)
}

public enum RepointOutcome: Equatable, Sendable {
    case noSuchUser
    /// It is that user's already; nothing changed.
    case alreadyThere
    /// Nobody had it.
    case linked(Identity)
    /// It was another user's. A user with no identity left can't sign in any more.
    case moved(Identity, from: UserID, identitiesLeft: Int)
}
