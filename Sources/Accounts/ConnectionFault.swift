/// Why there is no connection to the database server, and what to do about it.
public enum ConnectionFault: String, Sendable, CaseIterable {
    case nameNotFound =
        "the database server's name has no address: look at the host of storage.url, and whether this machine resolves it"
    case nobodyThere =
        "nobody listens at the database server's address: start it, or correct host and port of storage.url"
    case timedOut =
        "the database server has not answered in time (storage.connectSeconds): a firewall may be between, or it is too busy"
    case tlsFailed =
        "there is no TLS with the database server: look at sslmode and sslrootcert of storage.url, and at its certificate"
    case passwordMissing = "the database server asks for a password: set storage.password, or storage.passwordFile"
    case otherRole = "none of the database servers of storage.url takes writes: is one of them the primary?"
    /// It was there, and has gone.
    case lost = "the connection to the database server has ended, and there is no other yet"
    case unreachable = "the database server can't be reached"
}

/// What the database server's codes (SQLSTATE) mean for who runs it.
enum ServerState {
    private static let sentences = [
        "28P01": "the database server refuses the password (28P01): correct storage.password",
        "28000":
            "the database server does not let this role in from here (28000): its pg_hba.conf needs a line for it, or asks "
            + "for TLS (sslmode=require)",
        "3D000": "the database server has no database of that name (3D000): make it, or correct storage.url",
        "3F000": "there is no such schema (3F000): make it, or correct search_path",
        "42501":
            "the database server does not allow the role to do that (42501): it needs to own the tables, or GRANT USAGE, "
            + "CREATE ON SCHEMA, and GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES and USAGE, SELECT, UPDATE ON "
            + "ALL SEQUENCES",
        "57P03": "the database server is starting or recovers, and takes nobody in yet (57P03)",
        "57P02": "the database server restarts after a crash (57P02)",
    ]

    static func sentence(of state: String) -> String { sentences[state] ?? "the database server reports \(state)" }
}
