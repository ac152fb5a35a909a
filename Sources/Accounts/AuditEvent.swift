/// One line of the audit trail: who, what, when. It names rows and holds no personal data.
///
/// The trail tells what changed hands: an ordinary sign-in of a known user is not in it, since the session and the
/// identity's last sign-in tell that already.
public struct AuditEvent: Equatable, Sendable {
    /// What happened, by the name that is stored. A wing brings its own.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let userCreated = Kind(rawValue: "user_created")
        /// The user was brought from elsewhere.
        public static let userImported = Kind(rawValue: "user_imported")
        public static let identityImported = Kind(rawValue: "identity_imported")
        /// The user and everything that was kept about the user is gone but the trail itself.
        public static let userErased = Kind(rawValue: "user_erased")
        /// The new identity took the place of the old one; the user's other sessions were revoked.
        public static let identityMigrated = Kind(rawValue: "identity_migrated")
        /// The sign-in of an unknown subject came with a port token that proved nothing; the user is the one it made.
        public static let portTokenRefused = Kind(rawValue: "port_token_refused")
        /// The user signed in with a port token that names the old identity, another user's: both may be one person.
        public static let mergeOffered = Kind(rawValue: "merge_offered")
        /// A sign-in was refused because its port tokens belong to different users.
        public static let migrationConflict = Kind(rawValue: "migration_conflict")
        /// The signed-in user added an identity, or signed in by one that has the cross-client key of another of
        /// theirs.
        public static let identityLinked = Kind(rawValue: "identity_linked")
        /// The issuer of the new identity has another name than it had, under which it was signed in by; it is stored
        /// under that now, and still the same.
        public static let identityRenamed = Kind(rawValue: "identity_renamed")
        // Of two accounts one is left: the one that stays, which the event tells from whom, and the one that is gone,
        // which the event tells into whom. Each identity that has come with it is in an event of its own; it keeps its
        // number.
        public static let usersMerged = Kind(rawValue: "users_merged")
        public static let userAbsorbed = Kind(rawValue: "user_absorbed")
        public static let identityMerged = Kind(rawValue: "identity_merged")
        public static let identityUnlinked = Kind(rawValue: "identity_unlinked")
        /// An operator gave the user an identity; the old one, if any, was another user's, whose sessions were revoked.
        public static let identityRepointed = Kind(rawValue: "identity_repointed")
        /// An unknown subject came with a cross-client key that several users have, so it was nobody's; the user is the
        /// one it made, if it made one.
        public static let crossClientKeyAmbiguous = Kind(rawValue: "cross_client_key_ambiguous")
        /// A user wanted to add an identity, the old one, which is another user's.
        public static let linkConflict = Kind(rawValue: "link_conflict")
        /// The user said something else than before about themselves; the event names the attributes.
        public static let profileEdited = Kind(rawValue: "profile_edited")
        /// An operator has locked the user, or let them in again.
        public static let userLocked = Kind(rawValue: "user_locked")
        public static let userUnlocked = Kind(rawValue: "user_unlocked")
        /// What somebody typed in an app was compared with what providers have said of the user; the event names the
        /// attributes, and never a value or what came of it.
        public static let attributesMatched = Kind(rawValue: "attributes_matched")
        public static let sessionRevoked = Kind(rawValue: "session_revoked")
        /// All of a user's sessions, or all but the one that asked; where it names no user, everybody's.
        public static let sessionsRevoked = Kind(rawValue: "sessions_revoked")
        /// The user has agreed to what an app of ours asks for; the event names what, by permission.
        public static let consentGiven = Kind(rawValue: "consent_given")
        /// The user has taken that back; the sessions with the app ended.
        public static let consentWithdrawn = Kind(rawValue: "consent_withdrawn")
        /// The provider said that the user has signed out there; the sessions that had come of it ended. The old
        /// identity is the one that had opened them.
        public static let providerLogout = Kind(rawValue: "provider_logout")
        // What else a provider has told of one of its users, who is the old identity. What it ends has ended.
        public static let providerConsentRevoked = Kind(rawValue: "provider_consent_revoked")
        public static let providerAccountDeleted = Kind(rawValue: "provider_account_deleted")
        public static let providerAccountHijacked = Kind(rawValue: "provider_account_hijacked")
        public static let providerAccountDisabled = Kind(rawValue: "provider_account_disabled")
        public static let providerAccountEnabled = Kind(rawValue: "provider_account_enabled")
        public static let providerCredentialChangeRequired = Kind(rawValue: "provider_credential_change_required")
        public static let providerSessionsRevoked = Kind(rawValue: "provider_sessions_revoked")
        public static let providerTokensRevoked = Kind(rawValue: "provider_tokens_revoked")
        public static let providerEmailDisabled = Kind(rawValue: "provider_email_disabled")
        public static let providerEmailEnabled = Kind(rawValue: "provider_email_enabled")
        public static let providerDeauthorized = Kind(rawValue: "provider_deauthorized")
        /// The user wants to be forgotten; only the user's own word to us erases anybody.
        public static let providerDeletionRequested = Kind(rawValue: "provider_deletion_requested")
        /// The provider has said that what it granted for the old identity is over.
        public static let providerGrantEnded = Kind(rawValue: "provider_grant_ended")
        /// A provider that was asked again has said so, and the sessions of the old identity ended.
        public static let providerCheckRefused = Kind(rawValue: "provider_check_refused")
        /// A provider that was asked again has refused too many to be believed; the event names it.
        public static let providerChecksStopped = Kind(rawValue: "provider_checks_stopped")
        // What ended here, of the old identity, was told its provider; or it never could be told, and may be good there
        // still.
        public static let providerRevocationDone = Kind(rawValue: "provider_revocation_done")
        public static let providerRevocationGivenUp = Kind(rawValue: "provider_revocation_given_up")
        public static let providerLogoutDone = Kind(rawValue: "provider_logout_done")
        public static let providerLogoutGivenUp = Kind(rawValue: "provider_logout_given_up")
        /// Somebody signed up for an account in a provider's directory, and a user was made who has no identity yet.
        public static let userSignedUp = Kind(rawValue: "user_signed_up")
        /// A provider's directory was asked to mail the user a way to a new credential.
        public static let directoryMailed = Kind(rawValue: "directory_mailed")
        /// The app got the link by which the user gets a credential.
        public static let bindingLinkReturned = Kind(rawValue: "binding_link_returned")
        /// A sign-up or a recovery could not be passed on to a provider's directory, and will not be.
        public static let directoryGivenUp = Kind(rawValue: "directory_given_up")
        /// The new identity is that of the user's account in a provider's directory.
        public static let directoryJoined = Kind(rawValue: "directory_joined")
        /// The user had signed up and never in, and was erased.
        public static let signUpExpired = Kind(rawValue: "sign_up_expired")
        /// A backup took the place of the store; what came before this event is as old as the backup, but for what the
        /// ledger told.
        public static let storeRestored = Kind(rawValue: "store_restored")
        /// The store went on in a new epoch, after a database was put back in time or promoted; the field names it.
        public static let storeRecovered = Kind(rawValue: "store_recovered")
        /// A sign-in was sent again just after it, by the one who can prove what it takes, and got the same answer.
        public static let signInAnswerRepeated = Kind(rawValue: "sign_in_answer_repeated")
        /// A refresh token was presented again just after it had been replaced, and got the same answer.
        public static let refreshAnswerRepeated = Kind(rawValue: "refresh_answer_repeated")
        /// The same long after, while the one that had replaced it was not presented by anybody.
        public static let refreshAnswerRepeatedLate = Kind(rawValue: "refresh_answer_repeated_late")
        /// A refresh token that is not replaced was used once more.
        public static let reusableRefreshTokenUsed = Kind(rawValue: "reusable_refresh_token_used")
        /// A refresh token was presented after it had been replaced; its session family was revoked.
        public static let refreshTokenReused = Kind(rawValue: "refresh_token_reused")
        /// An app's one-time code was presented again with the right verifier; its session was revoked.
        public static let appCodeReused = Kind(rawValue: "app_code_reused")
        /// The session of a server-initiated sign-in was fetched again, too late for an app that has lost the answer;
        /// it was revoked.
        public static let pushReused = Kind(rawValue: "push_reused")
        // What operators look at, and take away.
        /// An operator looked at a user: identities and sessions, and nothing personal.
        public static let userViewed = Kind(rawValue: "user_viewed")
        /// An operator was given everything that is kept about a user.
        public static let userExported = Kind(rawValue: "user_exported")
        /// An operator looked for users by what is theirs; the event names by what, and never its value.
        public static let usersSearched = Kind(rawValue: "users_searched")
        /// An operator read a user's part of this trail.
        public static let auditViewed = Kind(rawValue: "audit_viewed")
        /// An operator was given a part of this trail as a file.
        public static let auditExported = Kind(rawValue: "audit_exported")
        // What was done to the service's keys and its store. The event names which keys, by purpose.
        public static let keyRotated = Kind(rawValue: "key_rotated")
        public static let keyRetired = Kind(rawValue: "key_retired")
        public static let masterKeyChanged = Kind(rawValue: "master_key_changed")
        public static let storeBackedUp = Kind(rawValue: "store_backed_up")
        /// The users of this store were written into another one.
        public static let storeCopied = Kind(rawValue: "store_copied")
        /// A file of users was read into this store; each user has an event of their own.
        public static let storeImported = Kind(rawValue: "store_imported")
        /// A provider's names for its users were asked for, or read in, since an app moves to another team.
        public static let usersTransferred = Kind(rawValue: "users_transferred")
    }

    /// Grows with every event.
    public var id: Int64
    /// Seconds since 1970.
    public var at: Int64
    public var kind: Kind
    public var user: UserID?
    public var oldIdentity: IdentityID?
    public var newIdentity: IdentityID?
    /// Of an edit, the attributes by name. Their values are personal and never in the trail.
    public var fields: [String]
    /// Who did it, and through what; nil in what an earlier version has written.
    public var origin: AuditOrigin?
    /// How often it happened again since it was last told of; nil for what happened once.
    public var count: Int64?

    public init(
        id: Int64, at: Int64, kind: Kind, user: UserID?, oldIdentity: IdentityID?, newIdentity: IdentityID?,
        fields: [String] = [], origin: AuditOrigin?, count: Int64? = nil
    ) {
        (self.id, self.at, self.kind, self.user, self.oldIdentity) = (id, at, kind, user, oldIdentity)
        (self.newIdentity, self.fields, self.origin, self.count) = (newIdentity, fields, origin, count)
    }
}
