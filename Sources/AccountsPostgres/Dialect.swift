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

    // Of each pair the second takes the place of the first.
    private static let replacements = [
        // A number is a way to another machine, so each session takes some at a time.
        (" MAXVALUE 9007199254740991", " MAXVALUE 9007199254740991 CACHE 64"), (" COLLATE \"C\"", ""),
        (" WITH (fillfactor = 85)", ""),
        ("    writer xid8 NOT NULL DEFAULT pg_current_xact_id(),\n", ""),
        (writerWithEpoch, ""),
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
