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
    // and when the user proved who they are. Of older sessions the identity is known where the user has one identity at
    // the session's provider that was there when the session was opened; elsewhere it is NULL. No foreign key: whatever
    // takes an identity away ends its sessions itself, and a key would take an index that every sign-in pays for. The
    // room for sessions is explained at ``SessionRoom``.
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
    // Users are found by address and number, which lie sealed in their profiles, by keyed hashes: without the key
    // nobody can try numbers through. A user's rows lie together, for they are replaced and erased together; another
    // index finds them by hash, the most believable first. `contact_walk` tells how far the walk is that puts
    // everybody's hashes under a key. Failed sign-ins are counts, never one row an attempt.
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
    // Refresh tokens are signed and carry their generation: a session knows which is current, and nothing of those
    // before. 0 stands for a token of the earlier form, whose hashes stay where they are until it is replaced; new
    // sessions have an empty refresh_hash. Nothing goes into `retired_refresh_tokens` any more; sweeping empties it.
    // The default is in the table's description, so that no row is written again.
    static let sixth = """
        ALTER TABLE sessions ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
        """
}

extension Schema {
    // What must never be undone waits here for its place in the ledger's file. The numbers of records are never given
    // twice.
    static let seventh = """
        CREATE TABLE ledger (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            line TEXT NOT NULL
        ) STRICT;
        """
}

extension Schema {
    // Sign-ins through the browser. The numbers of pending ones tell how many have begun since the oldest that is left,
    // so that nothing has to be counted. No foreign key for codes: a session that has ended is not found, and nothing
    // else is made of a code. Sessions of apps know what those may learn. Expired ones are found by a walk
    // (``SessionSweep``), which saves each sign-in and each refresh a page.
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
    // A session, and a ticket that becomes one, knows which session at the provider it came of, where the ID token
    // named one. The indexes have these rows only: at providers that name none a sign-in writes no page more.
    static let ninth = """
        ALTER TABLE sessions ADD COLUMN upstream_sid BLOB;
        CREATE INDEX sessions_upstream_sid ON sessions (upstream_sid) WHERE upstream_sid IS NOT NULL;
        ALTER TABLE tickets ADD COLUMN upstream_sid BLOB;
        CREATE INDEX tickets_upstream_sid ON tickets (upstream_sid) WHERE upstream_sid IS NOT NULL;
        """
}

extension Schema {
}
