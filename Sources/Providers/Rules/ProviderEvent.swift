/// What a provider says has happened to one of its users, of its own accord.
public struct ProviderEvent: Sendable, Equatable {
    /// What has happened. The raw value is our own word for it, whatever the provider's is.
    public enum Kind: String, Sendable, CaseIterable {
        /// The user has taken back what was granted to our client (Apple's `consent-revoked`).
        case consentRevoked = "consent_revoked"
        /// The account at the provider is gone (Apple's `account-delete`, RISC's `account-purged`).
        case accountDeleted = "account_deleted"
        /// Somebody else has got hold of the account, and it is closed (RISC's `account-disabled`, reason `hijacking`).
        case accountHijacked = "account_hijacked"
        /// The account is closed for another reason, or none that is told.
        case accountDisabled = "account_disabled"
        case accountEnabled = "account_enabled"
        case credentialChangeRequired = "credential_change_required"
        case sessionsRevoked = "sessions_revoked"
        /// All tokens that our client has of the user.
        case tokensRevoked = "tokens_revoked"
        /// One token, which is named by a part of it or by its hash; the user is not named.
        case tokenRevoked = "token_revoked"
        /// Mail is not passed on to the user any more, or is again (Apple's private addresses).
        case emailDisabled = "email_disabled"
        case emailEnabled = "email_enabled"
        /// The user has removed our app (Facebook).
        case deauthorized
        /// The user wants to be forgotten by our app (Facebook).
        case deletionRequested = "deletion_requested"
        /// The provider tries whether it is heard (RISC).
        case verification
    }

    public let kind: Kind
    /// Whom it has happened to, as the provider calls its users; nil where it names nobody whom we could know.
    public let subject: String?
    /// When it has happened, in seconds since 1970.
    public let time: Int64

    public init(kind: Kind, subject: String?, time: Int64) {
        (self.kind, self.subject, self.time) = (kind, subject, time)
    }
}

/// What one message of a provider tells, after it was verified.
public struct ProviderEvents: Sendable, Equatable {
    /// The issuer, or for what has none the signed text itself: with ``identifier``, what a message that comes again is
    /// known by.
    public let issuer: String
    public let identifier: String
    /// Those of kinds that are known here.
    public let events: [ProviderEvent]
    /// How many there were of kinds that are not.
    public let unknown: Int
}

/// How a provider tells us of events.
public enum EventDialect: String, Sendable, CaseIterable {
    /// Apple's server-to-server notifications.
    case apple
    /// Security event tokens (RFC 8417) of RISC, as Google sends them, pushed as RFC 8935 has it.
    case risc
    /// Facebook's signed requests.
    case facebook
}
