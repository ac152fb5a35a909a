/// A verified approval of one transaction by the user of a session.
public struct TransactionRecord: Sendable {
    public var evidence: Evidence
    /// The server-issued nonce, where one was used.
    public var challenge: OneTimeUse?
    /// Whose session asks. It must be live in the very transaction.
    public var session: SessionID
    /// Who approved; the receipt is stored only if this is an identity of the session's user.
    public var subject: Subject
    /// For how long the identity must have been the user's if it was added, in seconds; 0 for no time.
    public var minimumIdentityAgeSeconds: Int64
    /// The receipt's own random name: the `jti` of its token (RFC 7519 §4.1.7).
    public var receipt: String
    /// The SHA-256 digest of what was approved.
    public var contextHash: TokenHash
    /// The nonce that the app had put into its request; nil where there was none.
    public var nonce: String?
    public var authentication: Authentication
    /// The configured name of the provider.
    public var provider: String
    public var client: String
    /// Seconds since 1970.
    public var now: Int64

    public init(
        evidence: Evidence, challenge: OneTimeUse?, session: SessionID, subject: Subject,
        minimumIdentityAgeSeconds: Int64, receipt: String, contextHash: TokenHash, nonce: String?,
        authentication: Authentication, provider: String, client: String, now: Int64
    ) {
        (self.evidence, self.challenge, self.session, self.subject) = (evidence, challenge, session, subject)
        (self.minimumIdentityAgeSeconds, self.receipt) = (minimumIdentityAgeSeconds, receipt)
        (self.contextHash, self.nonce, self.authentication) = (contextHash, nonce, authentication)
        (self.provider, self.client, self.now) = (provider, client, now)
    }
}

/// An approval that comes with a sign-in, through the browser or on the phone: its receipt is stored with the session
/// that is opened. Where the identity is too new for approvals, the session is opened without one.
public struct SignInApproval: Sendable {
    /// As ``TransactionRecord/receipt``, and so on.
    public var receipt: String
    public var contextHash: TokenHash
    public var nonce: String?
    public var minimumIdentityAgeSeconds: Int64

    public init(receipt: String, contextHash: TokenHash, nonce: String?, minimumIdentityAgeSeconds: Int64) {
        (self.receipt, self.contextHash, self.nonce) = (receipt, contextHash, nonce)
        self.minimumIdentityAgeSeconds = minimumIdentityAgeSeconds
    }
}

/// A receipt as stored.
public struct Receipt: Equatable, Sendable {
    public var id: String
    public var user: UserID
    public var session: SessionID
    public var contextHash: TokenHash
    /// Nil for a receipt from before it was kept.
    public var nonce: String?
    public var authentication: Authentication
    public var provider: String
    public var client: String
    /// Seconds since 1970.
    public var createdAt: Int64

    public init(
        id: String, user: UserID, session: SessionID, contextHash: TokenHash, nonce: String?,
        authentication: Authentication, provider: String, client: String, createdAt: Int64
    ) {
        (self.id, self.user, self.session, self.contextHash, self.nonce) = (id, user, session, contextHash, nonce)
        (self.authentication, self.provider, self.client) = (authentication, provider, client)
        self.createdAt = createdAt
    }
}

public enum ReceiptOutcome: Equatable, Sendable {
    case stored(Receipt)
    /// Who approved is not the user of the session. The code counts as used.
    case notThisUser
    case refused(Refusal)
}
