extension Schema {
    // What users and operators do with accounts beyond signing in. `meta.erased_users` counts, so that the number of
    // users needs no scan: user numbers have no gaps but the erased ones.
    static let second = """
        CREATE TABLE used_challenges (
            hash BLOB PRIMARY KEY,
            expires INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX used_challenges_expires ON used_challenges (expires);

        CREATE TABLE receipts (
            id TEXT PRIMARY KEY,
            user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            session_id BLOB NOT NULL,
            context_hash BLOB NOT NULL,
            acr TEXT,
            auth_time INTEGER,
            provider TEXT NOT NULL,
            client TEXT NOT NULL,
            created INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX receipts_user ON receipts (user_id);

        CREATE TABLE reseal (
            target INTEGER PRIMARY KEY,
            area INTEGER NOT NULL,
            position ANY NOT NULL
        ) STRICT;

        ALTER TABLE tickets ADD COLUMN acr TEXT;
        ALTER TABLE tickets ADD COLUMN amr TEXT NOT NULL DEFAULT '';
        ALTER TABLE tickets ADD COLUMN auth_time INTEGER;
        CREATE INDEX tickets_subject ON tickets (subject, issuer);
        CREATE INDEX audit_user ON audit (user_id);
        INSERT INTO meta (name, value) VALUES ('erased_users', 0);
        ALTER TABLE signing_keys ADD COLUMN signs_from INTEGER NOT NULL DEFAULT 0;
        """
}

extension Schema {
    // Sessions know by which identity they were opened, so that unlinking ends that identity's sessions and no others,
    // and when the user proved who he is. Of older sessions the identity is known where the user has one identity at the
    // session's provider that was there when the session was opened; elsewhere it is NULL. No foreign key: whatever takes
    // an identity away ends its sessions itself, and a key would take an index that every sign-in pays for.
    // The room for sessions is explained at ``SessionRoom``.
    static let third = """
        ALTER TABLE sessions ADD COLUMN identity_id INTEGER;
        ALTER TABLE sessions ADD COLUMN authenticated INTEGER NOT NULL DEFAULT 0;
        UPDATE sessions SET authenticated = min(coalesce(auth_time, created), created), identity_id = (
            SELECT min(id) FROM identities
            WHERE identities.user_id = sessions.user_id AND identities.provider = sessions.provider
            HAVING count(*) = 1 AND min(linked) <= sessions.created
        );
        ALTER TABLE identities ADD COLUMN room INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE identities ADD COLUMN room_of INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE tickets ADD COLUMN authenticated INTEGER NOT NULL DEFAULT 0;
        UPDATE tickets SET authenticated = coalesce(auth_time, 0);
        """
}

extension Schema {
    // Users are found by address and number, which lie sealed in their profiles, by keyed hashes: without the key nobody
    // can try numbers through. A user's rows lie together, for they are replaced and erased together; another index
    // finds them by hash, the most believable first. `contact_walk` tells how far the walk is that puts everybody's hashes
    // under a key. Failed sign-ins are counts, never one row an attempt.
    static let fourth = """
        CREATE TABLE contacts (
            user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            hash BLOB NOT NULL,
            standing INTEGER NOT NULL,
            provider TEXT NOT NULL,
            PRIMARY KEY (user_id, hash, standing, provider)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX contacts_hash ON contacts (hash, standing DESC, user_id);

        CREATE TABLE contact_walk (
            key_number INTEGER PRIMARY KEY,
            position INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE failed_sign_ins (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            provider TEXT,
            reason TEXT NOT NULL,
            network TEXT,
            count INTEGER NOT NULL,
            expires INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX failed_sign_ins_expires ON failed_sign_ins (expires);
        """
}

extension Schema {
    // Keys know what they are for, and when they were retired. A key from before may have signed receipts, which are
    // proof for years, wherever there are any: then it lasts. A receipt tells what it answers, and by which methods its
    // user was recognised. A secret key's number names it for good, so it is never given twice.
    static let fifth = """
        ALTER TABLE signing_keys ADD COLUMN purpose TEXT NOT NULL DEFAULT 'session';
        ALTER TABLE signing_keys ADD COLUMN lasting INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE signing_keys ADD COLUMN retired INTEGER;
        UPDATE signing_keys SET lasting = 1 WHERE EXISTS (SELECT 1 FROM receipts);

        ALTER TABLE receipts ADD COLUMN amr TEXT NOT NULL DEFAULT '';
        ALTER TABLE receipts ADD COLUMN nonce TEXT;

        CREATE TABLE secret_keys (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            purpose TEXT NOT NULL,
            sealed_key BLOB NOT NULL,
            created INTEGER NOT NULL
        ) STRICT;
        """
}

extension Schema {
    // Refresh tokens are signed and carry their generation: a session knows which is current, and nothing of those before.
    // 0 stands for a token of the earlier form, whose hashes stay where they are until it is replaced; new sessions have an
    // empty refresh_hash. Nothing goes into `retired_refresh_tokens` any more; sweeping empties it. The default is in the
    // table's description, so that no row is written again.
    static let sixth = """
        ALTER TABLE sessions ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
        """
}

extension Schema {
    // What must never be undone waits here for its place in the ledger's file. The numbers of records are never given twice.
    static let seventh = """
        CREATE TABLE ledger (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            line TEXT NOT NULL
        ) STRICT;
        """
}

extension Schema {
    // Sign-ins through the browser. The numbers of pending ones tell how many have begun since the oldest that is left, so that
    // nothing has to be counted. No foreign key for codes: a session that has ended is not found, and nothing else is
    // made of a code. Sessions of apps know what those may learn. Expired ones are found by a walk (``SessionSweep``), which
    // saves each sign-in and each refresh a page.
    static let eighth = """
        CREATE TABLE pending_sign_ins (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            handle BLOB NOT NULL UNIQUE,
            browser BLOB NOT NULL,
            content BLOB NOT NULL,
            expires INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX pending_sign_ins_expires ON pending_sign_ins (expires);

        CREATE TABLE app_codes (
            hash BLOB PRIMARY KEY,
            session_id BLOB NOT NULL,
            client TEXT NOT NULL,
            redirect_uri TEXT NOT NULL,
            code_challenge TEXT NOT NULL,
            nonce TEXT,
            redeemed INTEGER NOT NULL DEFAULT 0,
            expires INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX app_codes_expires ON app_codes (expires);

        ALTER TABLE sessions ADD COLUMN scope TEXT;
        DROP INDEX sessions_expires;
        """
}

extension Schema {
    // A session, and a ticket that becomes one, knows which session at the provider it came of, where the ID token named one.
    // The indexes have these rows only: at providers that name none a sign-in writes no page more.
    static let ninth = """
        ALTER TABLE sessions ADD COLUMN upstream_sid BLOB;
        CREATE INDEX sessions_upstream_sid ON sessions (upstream_sid) WHERE upstream_sid IS NOT NULL;
        ALTER TABLE tickets ADD COLUMN upstream_sid BLOB;
        CREATE INDEX tickets_upstream_sid ON tickets (upstream_sid) WHERE upstream_sid IS NOT NULL;
        """
}

extension Schema {
    // What a provider has said last of whether mail reaches the address that it gives, and when that was. The defaults are in the
    // table's description, so that no row is written again; a sign-in reads and writes neither.
    static let tenth = """
        ALTER TABLE identities ADD COLUMN email_stopped INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE identities ADD COLUMN email_said INTEGER;
        """
}

extension Schema {
    // Sign-ins that our server begins on users' phones, found by the hash of what the app asks by and by that of what the carrier
    // shows; all that would tell whose they are is sealed under those. As with pending sign-ins, numbers tell how many there are.
    // They are forgotten an hour after they have ended, so that an app learns that, and not that there never was one.
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
    // What providers have given us for their users, sealed: tokens for an identity, and for a session the ID token that says at the
    // provider which session ends. Both go with what they belong to. `due` and `leased_by` tell who may call the provider for a row;
    // what waits in `outbox` refers to nothing, for what it is about may be gone. `cross_client_keys` finds identities by a claim
    // that names one person at all clients of an issuer, hashed.
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
    // `unlock_keys` holds the keys that TIM's clients encrypt with, each sealed together with what its password and its long secret
    // are checked by; of one that is locked nothing is left but its row. `directory_users` tells which users a provider's directory
    // has an account for, or is to get one for, and by which names they have signed up, hashed.
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
}
