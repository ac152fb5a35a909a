/// Whose SQL the database takes.
public enum Dialect: Sendable {
    /// PostgreSQL's.
    case postgresql
    /// That of distributed engines which speak its protocol, such as CockroachDB and YugabyteDB. By their documentation
    /// they have no numbers of transactions that tell their order, take no collation by the name of C, since theirs is
    /// that one anyway, and have no use for room on a page.
    case distributed

    /// The number of an event's transaction, behind that of its epoch.
    static let writerWithEpoch = """
        ALTER TABLE audit ALTER COLUMN writer SET DEFAULT (
            (coalesce(pg_sequence_last_value('audit_epochs'::regclass), 0) << 48)
                + pg_current_xact_id()::text::int8)::text::xid8
        """

    /// The parts of `code_uses`. Half of a page is free, for what a claim becomes when its code is used.
    static let codeSlots =
        " PARTITION BY LIST (slot);\n"
        + (0..<CodeSlot.turns).map {
            "CREATE TABLE code_uses_\($0) PARTITION OF code_uses FOR VALUES IN (\($0)) WITH (fillfactor = 50);\n"
        }.joined()
            + """
            CREATE TABLE code_uses_lasting PARTITION OF code_uses FOR VALUES IN (\(CodeSlot.lasting.number)) WITH (fillfactor = 50);
            CREATE INDEX code_uses_lasting_expires ON code_uses_lasting (expires);

            """
    /// The same without parts, whose rows go one by one.
    private static let codesWithoutSlots = ";\nCREATE INDEX code_uses_expires ON code_uses (expires);\n"

    /// When the server cleans up tables that every sign-in writes to: what is dead there is few rows of many.
    static let tableSettings = ["identities", "sessions", "users"].map {
        ";\nALTER TABLE \($0) SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, "
            + "autovacuum_vacuum_insert_scale_factor = 0.1)"
    }.joined()

    // Of each pair the second takes the place of the first.
    private static let replacements = [
        // A number is a way to another machine, so each session takes some at a time.
        (" MAXVALUE 9007199254740991", " MAXVALUE 9007199254740991 CACHE 64"), (" COLLATE \"C\"", ""),
        (" WITH (fillfactor = 85)", ""),
        ("    writer xid8 NOT NULL DEFAULT pg_current_xact_id(),\n", ""),
        (writerWithEpoch, ""), (codeSlots, codesWithoutSlots), (tableSettings, ""),
        ("ON audit (writer, id)", "ON audit (at, id)"),
        ("ON audit (user_id, writer, id)", "ON audit (user_id, at, id)"),
        ("ON audit (event, writer, id)", "ON audit (event, at, id)"),
        ("ON audit (actor, writer, id)", "ON audit (actor, at, id)"),
    ]

    /// A step of the schema, as the database takes it.
    func step(_ text: String) -> String {
        guard self == .distributed else { return text }
        return Self.replacements.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
}
