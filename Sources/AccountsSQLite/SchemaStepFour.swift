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
