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
