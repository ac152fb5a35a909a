extension Schema {
    // By what users will be known once an app has moved to another team at Apple, hashed, with the team that it is for: what is
    // shown to us is a team's own, and what was told for one team says nothing of another. A row goes with its identity, by
    // whatever that goes: unlinked, erased, or moved by this very row, which is how a row is used up. One identity has one row,
    // and the index of that serves the deletion of identities too.
    static let fourteenth = """
        CREATE TABLE transfer_subjects (
            hash BLOB PRIMARY KEY,
            identity_id INTEGER NOT NULL UNIQUE REFERENCES identities (id) ON DELETE CASCADE,
            team TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}
