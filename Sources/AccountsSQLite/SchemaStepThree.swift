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
