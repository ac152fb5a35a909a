/// One line of the audit trail: who, what, when. It names rows and holds no personal data.
///
/// The trail tells what changed hands: an ordinary sign-in of a known user is not in it, since the session and the
/// identity's last sign-in tell that already.
public struct AuditEvent: Equatable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        case userCreated = "user_created"
        /// The user was brought from elsewhere.
        case userImported = "user_imported"
        case identityImported = "identity_imported"
        /// The user and everything that was kept about the user is gone but the trail itself.
        case userErased = "user_erased"
        /// The new identity took the place of the old one; the user's other sessions were revoked.
        case identityMigrated = "identity_migrated"
        /// The sign-in of an unknown subject came with a port token that proved nothing; the user is the one it made.
        case portTokenRefused = "port_token_refused"
        /// A sign-in was refused because its subject, or its port tokens, belong to different users.
        case migrationConflict = "migration_conflict"
        /// The signed-in user added an identity, or signed in by one that has the cross-client key of another of his.
        case identityLinked = "identity_linked"
        case identityUnlinked = "identity_unlinked"
        /// An operator gave the user an identity; the old one, if any, was another user's, whose sessions were revoked.
        case identityRepointed = "identity_repointed"
        /// An unknown subject came with a cross-client key that several users have, so it was nobody's; the user is the
        /// one it made, if it made one.
        case crossClientKeyAmbiguous = "cross_client_key_ambiguous"
        /// A user wanted to add an identity, the old one, which is another user's.
        case linkConflict = "link_conflict"
        case sessionRevoked = "session_revoked"
        /// All of a user's sessions, or all but the one that asked; where it names no user, everybody's.
        case sessionsRevoked = "sessions_revoked"
        /// The provider said that the user has signed out there; the sessions that had come of it ended. The old
        /// identity is the one that had opened them.
        case providerLogout = "provider_logout"
        // What else a provider has told of one of its users, who is the old identity. What it ends has ended.
        case providerConsentRevoked = "provider_consent_revoked"
        case providerAccountDeleted = "provider_account_deleted"
        case providerAccountHijacked = "provider_account_hijacked"
        case providerAccountDisabled = "provider_account_disabled"
        case providerAccountEnabled = "provider_account_enabled"
        case providerCredentialChangeRequired = "provider_credential_change_required"
        case providerSessionsRevoked = "provider_sessions_revoked"
        case providerTokensRevoked = "provider_tokens_revoked"
        case providerEmailDisabled = "provider_email_disabled"
        case providerEmailEnabled = "provider_email_enabled"
        case providerDeauthorized = "provider_deauthorized"
        /// The user wants to be forgotten; only the user's own word to us erases anybody.
        case providerDeletionRequested = "provider_deletion_requested"
        /// The provider has said that what it granted for the old identity is over.
        case providerGrantEnded = "provider_grant_ended"
        // What ended here, of the old identity, was told its provider; or it never could be told, and may be good there
        // still.
        case providerRevocationDone = "provider_revocation_done"
        case providerRevocationGivenUp = "provider_revocation_given_up"
        case providerLogoutDone = "provider_logout_done"
        case providerLogoutGivenUp = "provider_logout_given_up"
        /// Somebody signed up for an account in a provider's directory, and a user was made who has no identity yet.
        case userSignedUp = "user_signed_up"
        /// A provider's directory was asked to mail the user a way to a new credential.
        case directoryMailed = "directory_mailed"
        /// The app got the link by which the user gets a credential.
        case bindingLinkReturned = "binding_link_returned"
        /// A sign-up or a recovery could not be passed on to a provider's directory, and will not be.
        case directoryGivenUp = "directory_given_up"
        /// The new identity is that of the user's account in a provider's directory.
        case directoryJoined = "directory_joined"
        /// The user had signed up and never in, and was erased.
        case signUpExpired = "sign_up_expired"
        /// A backup took the place of the store; what came before this event is as old as the backup, but for what the
        /// ledger told.
        case storeRestored = "store_restored"
        /// A refresh token was presented again just after it had been replaced, and got the same answer.
        case refreshAnswerRepeated = "refresh_answer_repeated"
        /// A refresh token that is not replaced was used once more.
        case reusableRefreshTokenUsed = "reusable_refresh_token_used"
        /// A refresh token was presented after it had been replaced; its session family was revoked.
        case refreshTokenReused = "refresh_token_reused"
        /// An app's one-time code was presented again with the right verifier; its session was revoked.
        case appCodeReused = "app_code_reused"
        /// The session of a server-initiated sign-in was fetched again, too late for an app that has lost the answer;
        /// it was revoked.
        case pushReused = "push_reused"
        /// Of a key of the KeyService, which is nobody's, the password was wrong three times in a row: the key is
        /// destroyed.
        case unlockKeyLocked = "unlock_key_locked"
    }

    /// Grows with every event.
    public var id: Int64
    /// Seconds since 1970.
    public var at: Int64
    public var kind: Kind
    public var user: UserID?
    public var oldIdentity: IdentityID?
    public var newIdentity: IdentityID?

    public init(
        id: Int64, at: Int64, kind: Kind, user: UserID?, oldIdentity: IdentityID?, newIdentity: IdentityID?
    ) {
        self.id = id
        self.at = at
        self.kind = kind
        self.user = user
        self.oldIdentity = oldIdentity
        self.newIdentity = newIdentity
    }
}
