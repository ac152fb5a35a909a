extension Schema {
    // Refresh tokens are signed and carry their generation: a session knows which is current, and nothing of those before.
    // 0 stands for a token of the earlier form, whose hashes stay where they are until it is replaced; new sessions have an
    // empty refresh_hash. Nothing goes into `retired_refresh_tokens` any more; sweeping empties it. The default is in the
    // table's description, so that no row is written again.
    static let sixth = """
        ALTER TABLE sessions ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
        """
}
