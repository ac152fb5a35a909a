/// What a provider has granted us for one identity, and how far it has come.
public struct ProviderGrant: Equatable, Sendable {
    public var identity: IdentityID
    public var user: UserID
    /// The configured name of the provider.
    public var provider: String
    public var subject: Subject
    /// Counts up with every change, so that a change can demand what it was decided on.
    public var version: Int64
    /// Nil when the provider has said that it is over, or a sign-in has brought nothing since.
    public var tokens: ProviderTokens?
    /// In seconds since 1970.
    public var obtainedAt: Int64

    public init(
        identity: IdentityID, user: UserID, provider: String, subject: Subject, version: Int64,
        tokens: ProviderTokens?, obtainedAt: Int64
    ) {
        (self.identity, self.user, self.provider, self.subject) = (identity, user, provider, subject)
        (self.version, self.tokens, self.obtainedAt) = (version, tokens, obtainedAt)
    }
}

/// The right to refresh one grant, which one holder has at a time, also among several servers.
///
/// It is on disk before the refresh token is sent. A holder who is killed leaves it behind: when its time is over the
/// next one tries with the same token, of which nobody knows whether it was used.
public struct GrantLease: Equatable, Sendable {
    /// As it was found.
    public var grant: ProviderGrant
    /// A random name of the process.
    public var holder: [UInt8]
    /// In seconds since 1970.
    public var expiresAt: Int64

    public init(grant: ProviderGrant, holder: [UInt8], expiresAt: Int64) {
        (self.grant, self.holder, self.expiresAt) = (grant, holder, expiresAt)
    }
}

public enum GrantLeaseOutcome: Equatable, Sendable {
    case leased
    /// Somebody else has it until then.
    case held(until: Int64)
    /// It is not the grant any more that was found.
    case changed
}

/// What became of tokens that a refresh has brought.
public enum GrantRenewal: Equatable, Sendable {
    /// They are on disk.
    case stored
    /// A sign-in, or another refresh, has brought others meanwhile, which stay.
    case superseded
    /// The grant was given up meanwhile: these are to be revoked like those before them.
    case over
}

/// What a provider says about a user, asked for after the sign-in.
public struct ProfileRefresh: Sendable {
    public var session: SessionID
    public var identity: IdentityID
    public var attributes: Attributes
    public var claims: TypedClaims
    /// Seconds since 1970.
    public var now: Int64

    public init(
        session: SessionID, identity: IdentityID, attributes: Attributes, claims: TypedClaims, now: Int64
    ) {
        (self.session, self.identity, self.attributes, self.claims) = (session, identity, attributes, claims)
        self.now = now
    }
}

/// What the store has counted of grants since it was made.
public struct GrantCounts: Equatable, Sendable {
    /// Those that brought tokens.
    public var refreshes: Int64
    /// Those that failed and may be tried again.
    public var failures: Int64
    /// Grants that their providers have said are over.
    public var ended: Int64

    public init(refreshes: Int64, failures: Int64, ended: Int64) {
        (self.refreshes, self.failures, self.ended) = (refreshes, failures, ended)
    }
}
