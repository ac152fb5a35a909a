extension Schema {
    // What a provider has said last of whether mail reaches the address that it gives, and when that was. The defaults
    // are in the table's description, so that no row is written again; a sign-in reads and writes neither.
    static let tenth = """
        ALTER TABLE identities ADD COLUMN email_stopped INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE identities ADD COLUMN email_said INTEGER;
        """
}

extension Schema {
    // Sign-ins that our server begins on users' phones, found by the hash of what the app asks by and by that of what
    // the carrier shows; all that would tell whose they are is sealed under those. As with pending sign-ins, numbers
    // tell how many there are. They are forgotten an hour after they have ended, so that an app learns that, and not
    // that there never was one.
    static let eleventh = """
        CREATE TABLE pushes (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            handle BLOB NOT NULL UNIQUE,
            notification BLOB NOT NULL UNIQUE,
            request BLOB NOT NULL,
            expectation BLOB NOT NULL,
            carrier_id BLOB,
            state INTEGER NOT NULL,
            session_id BLOB,
            ticket BLOB,
            notified BLOB,
            fetched INTEGER,
            expires INTEGER NOT NULL,
            forgotten INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX pushes_forgotten ON pushes (forgotten);
        """
}

extension Schema {
    // What providers have given us for their users, sealed: tokens for an identity, and for a session the ID token that
    // says at the provider which session ends. Both go with what they belong to. `due` and `leased_by` tell who may
    // call the provider for a row; what waits in `outbox` refers to nothing, for what it is about may be gone.
    // `cross_client_keys` finds identities by a claim that names one person at all clients of an issuer, hashed.
    static let twelfth = """
        CREATE TABLE grants (
            identity_id INTEGER PRIMARY KEY REFERENCES identities (id) ON DELETE CASCADE,
            version INTEGER NOT NULL,
            tokens BLOB,
            expires INTEGER,
            obtained INTEGER NOT NULL,
            leased_by BLOB,
            leased_until INTEGER,
            ended INTEGER
        ) STRICT;
        CREATE INDEX grants_leased ON grants (identity_id) WHERE leased_by IS NOT NULL;

        CREATE TABLE kept_id_tokens (
            session_id BLOB PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
            token BLOB NOT NULL
        ) STRICT;

        CREATE TABLE outbox (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL,
            provider TEXT NOT NULL,
            issuer TEXT NOT NULL,
            content BLOB NOT NULL,
            user_id INTEGER NOT NULL,
            identity_id INTEGER NOT NULL,
            created INTEGER NOT NULL,
            due INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX outbox_due ON outbox (due);

        ALTER TABLE tickets ADD COLUMN tokens BLOB;

        CREATE TABLE cross_client_keys (
            issuer TEXT NOT NULL,
            hash BLOB NOT NULL,
            identity_id INTEGER NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
            PRIMARY KEY (issuer, hash, identity_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX cross_client_keys_identity ON cross_client_keys (identity_id);
        """
}

extension Schema {
    // `unlock_keys` holds the keys that TIM's clients encrypt with, each sealed together with what its password and its
    // long secret are checked by; of one that is locked nothing is left but its row. `directory_users` tells which
    // users a provider's directory has an account for, or is to get one for, and by which names they have signed up,
    // hashed.
    static let thirteenth = """
        CREATE TABLE unlock_keys (
            id BLOB PRIMARY KEY,
            content BLOB,
            failures INTEGER NOT NULL DEFAULT 0,
            created INTEGER NOT NULL,
            used INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX unlock_keys_used ON unlock_keys (used);

        CREATE TABLE directory_users (
            user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            provider TEXT NOT NULL,
            name_hash BLOB,
            email_hash BLOB,
            external_id TEXT NOT NULL,
            external_hash BLOB NOT NULL,
            directory_id TEXT,
            directory_hash BLOB,
            created INTEGER NOT NULL,
            joined INTEGER,
            mails INTEGER NOT NULL DEFAULT 0,
            mailed_since INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (user_id, provider)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX directory_users_name ON directory_users (provider, name_hash) WHERE name_hash IS NOT NULL;
        CREATE INDEX directory_users_email ON directory_users (provider, email_hash) WHERE email_hash IS NOT NULL;
        CREATE UNIQUE INDEX directory_users_external ON directory_users (provider, external_hash);
        CREATE UNIQUE INDEX directory_users_directory ON directory_users (provider, directory_hash)
            WHERE directory_hash IS NOT NULL;
        CREATE INDEX directory_users_unfinished ON directory_users (provider, created) WHERE joined IS NULL;
        """

    // By what users will be known once an app has moved to another team at Apple, hashed, with the team that it is for:
    // what is shown to us is a team's own, and what was told for one team says nothing of another. A row goes with its
    // identity, by whatever that goes: unlinked, erased, or moved by this very row, which is how a row is used up. One
    // identity has one row, and the index of that serves the deletion of identities too.
    static let fourteenth = """
        CREATE TABLE transfer_subjects (
            hash BLOB PRIMARY KEY,
            identity_id INTEGER NOT NULL UNIQUE REFERENCES identities (id) ON DELETE CASCADE,
            team TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    // Whom an app's tokens are made out to. And that the store is older than the rules of who may do what: sections of
    // the configuration that say nothing of what came with those mean there what they meant before. A store that is
    // made by this very run of the steps has no key yet.
    static let fifteenth = """
        ALTER TABLE sessions ADD COLUMN audience TEXT;

        INSERT INTO meta (name, value) SELECT 'older_defaults', 1 WHERE EXISTS (SELECT 1 FROM key_ring);
        """

    // When the provider answered a nonce of ours, which shows something of users whose provider tells no time of
    // authentication. `authenticated` of rows from before counts only beside an `auth_time` (``SessionColumn``).
    static let sixteenth = """
        ALTER TABLE sessions ADD COLUMN challenged INTEGER;
        ALTER TABLE tickets ADD COLUMN challenged INTEGER;
        """

    // What has opened a session; each source has room of its own (``SessionRoom``). Those from before count as
    // sign-ins'. The defaults are in the tables' descriptions, so that no row is written again.
    static let seventeenth = """
        ALTER TABLE sessions ADD COLUMN source INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE tickets ADD COLUMN source INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE identities ADD COLUMN exchange_room INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE identities ADD COLUMN exchange_room_of INTEGER NOT NULL DEFAULT 0;
        """

    // Which attributes an event is about, by name, with blanks between; no event of before has any.
    static let eighteenth = """
        ALTER TABLE audit ADD COLUMN fields TEXT;
        """

    // The lines in time, and the locks. What a sign-in compares of a known user stands in the row that it reads anyway:
    // in milliseconds since 1970, in seconds since 1970 for good, and until when it is locked. `not_before` has what is
    // of no identity: everybody, an app, a provider, a session at a provider, a subject that is nobody's. Tickets tell
    // when they were made, and `seen_tokens` which logout tokens were acted on.
    static let nineteenth = """
        ALTER TABLE identities ADD COLUMN not_before INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE identities ADD COLUMN authenticated_after INTEGER;
        ALTER TABLE identities ADD COLUMN locked_until INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE tickets ADD COLUMN created INTEGER NOT NULL DEFAULT 0;

        CREATE TABLE not_before (
            key TEXT PRIMARY KEY,
            at INTEGER NOT NULL,
            authenticated_after INTEGER,
            sessions_before BLOB,
            user_id INTEGER,
            expires INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX not_before_expires ON not_before (expires) WHERE expires IS NOT NULL;
        CREATE INDEX not_before_user ON not_before (user_id) WHERE user_id IS NOT NULL;

        CREATE TABLE locks (
            user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            identity_id INTEGER NOT NULL,
            cause TEXT NOT NULL,
            reason TEXT,
            since INTEGER NOT NULL,
            until INTEGER,
            PRIMARY KEY (user_id, identity_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE seen_tokens (
            hash BLOB PRIMARY KEY,
            expires INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX seen_tokens_expires ON seen_tokens (expires);
        """

    // Who has done it, through what, and why; of what happened again, how often; nothing of it in events of before.
    // What nearly every event has is left out of the indexes: for that, any row will do. `audit_repeats` counts what
    // goes on, beside the number of the last event that tells of it.
    static let twentieth = """
        ALTER TABLE audit ADD COLUMN actor TEXT;
        ALTER TABLE audit ADD COLUMN app TEXT;
        ALTER TABLE audit ADD COLUMN session_id BLOB;
        ALTER TABLE audit ADD COLUMN request TEXT;
        ALTER TABLE audit ADD COLUMN reason TEXT;
        ALTER TABLE audit ADD COLUMN count INTEGER;
        CREATE INDEX audit_at ON audit (at);
        CREATE INDEX audit_event ON audit (event) WHERE event <> 'user_created';
        CREATE INDEX audit_actor ON audit (actor) WHERE actor <> 'user';

        CREATE TABLE audit_repeats (
            thing TEXT PRIMARY KEY,
            since INTEGER NOT NULL,
            row_id INTEGER NOT NULL,
            count INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX audit_repeats_since ON audit_repeats (since);
        """

    // Whose a pending sign-in is, and what it takes. The index has all that a look at who holds how much needs: the
    // columns lie behind the content, whose pages would be read for them.
    static let twentyFirst = """
        ALTER TABLE pending_sign_ins ADD COLUMN narrow INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE pending_sign_ins ADD COLUMN wide INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE pending_sign_ins ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX pending_sign_ins_holder ON pending_sign_ins (wide, narrow, number, size);
        """

    // What was done of late of what may be done only so often; whose a key of the KeyService is, where that is known;
    // whom mails to an account in a directory are counted for; and the name that is wanted for it, which is its own
    // with the first sign-in by it.
    static let twentySecond = """
        CREATE TABLE budgets (
            hash BLOB PRIMARY KEY,
            taken INTEGER NOT NULL,
            expires INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX budgets_expires ON budgets (expires);

        ALTER TABLE unlock_keys ADD COLUMN user_id INTEGER REFERENCES users (id) ON DELETE CASCADE;
        CREATE INDEX unlock_keys_user ON unlock_keys (user_id) WHERE user_id IS NOT NULL;

        ALTER TABLE directory_users ADD COLUMN recipient_hash BLOB;
        ALTER TABLE directory_users ADD COLUMN wanted_hash BLOB;
        UPDATE directory_users SET wanted_hash = name_hash;
        UPDATE directory_users SET name_hash = NULL WHERE joined IS NULL;
        CREATE INDEX directory_users_wanted ON directory_users (provider, wanted_hash) WHERE wanted_hash IS NOT NULL;
        """

    // When a provider was asked last whether what it has granted is still good; and who has asked for a mail.
    static let twentyThird = """
        ALTER TABLE outbox ADD COLUMN network INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE outbox ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX outbox_turn ON outbox (turn, due);
        CREATE INDEX outbox_network ON outbox (network) WHERE network <> 0;
        ALTER TABLE grants ADD COLUMN asked INTEGER NOT NULL DEFAULT 0;
        UPDATE grants SET asked = obtained;
        CREATE INDEX grants_asked ON grants (asked) WHERE ended IS NULL;
        """

    // What users have agreed that apps may do.
    static let twentyFourth = """
        CREATE TABLE consents (
            user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            client TEXT NOT NULL,
            scope TEXT NOT NULL,
            agreed INTEGER NOT NULL,
            PRIMARY KEY (user_id, client)
        ) STRICT, WITHOUT ROWID;
        """

    // How often a refresh token was given again late; and what the use of a code or a ticket came to, for the request
    // that is sent again.
    static let twentyFifth = """
        ALTER TABLE sessions ADD COLUMN late_repeats INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE sessions ADD COLUMN late_generations INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE used_codes ADD COLUMN answer BLOB;
        ALTER TABLE tickets ADD COLUMN answer BLOB;
        ALTER TABLE app_codes ADD COLUMN answer BLOB;
        """

    // What the session may do, and whom its tokens are made out to, that an app of ours gets for a ticket.
    static let twentySixth = """
        ALTER TABLE tickets ADD COLUMN scope TEXT;
        ALTER TABLE tickets ADD COLUMN audience TEXT;
        """

    // What the user of a session has declined of what was asked for; and what failed sign-ins were called in
    // logs, hashed.
    static let twentySeventh = """
        ALTER TABLE sessions ADD COLUMN declined TEXT;
        ALTER TABLE failed_sign_ins ADD COLUMN correlations TEXT;
        """

    // Whether the sign-in of a session came with a port token that names another user.
    static let twentyEighth = "ALTER TABLE sessions ADD COLUMN merge_offered INTEGER"

    // A list of one provider's users looks at these alone, however many others there are.
    static let twentyNinth = "CREATE INDEX identities_provider ON identities (provider, user_id)"

    // Apps know users by their numbers where there are any by now. A version that knows nothing else must not open a
    // file where that is otherwise: to backends everybody would be somebody else.
    static let thirtieth = """
        INSERT INTO meta (name, value) SELECT 'subject_form', 0 WHERE EXISTS (SELECT 1 FROM users)
        """

    // Operators find users by what apps know them as.
    static let thirtyFirst = "CREATE INDEX users_reference ON users (reference)"
}
