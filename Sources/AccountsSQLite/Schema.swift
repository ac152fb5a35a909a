import Accounts
import AccountsSQL

/// That a store of an earlier version was brought up to date.
public struct SchemaUpdate: Sendable, Equatable {
    /// How many steps had been taken before, and how many have been now.
    public let (from, to): (Int, Int)
    /// Until it was on disk.
    public let took: Duration
    /// Where the store is as it was before; nil where no copy was to be made.
    public let copy: String?
}

/// The tables, as numbered steps that only go forward. A step that was released never changes; what comes later is
/// another step.
enum Schema {
    /// Marks the file as ours (`PRAGMA application_id`): "GATE".
    static let applicationID: Int64 = 0x4741_5445

    static let steps = [
        first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth, eleventh, twelfth, thirteenth,
        fourteenth, fifteenth, sixteenth, seventeenth, eighteenth, nineteenth, twentieth, twentyFirst, twentySecond,
        twentyThird, twentyFourth, twentyFifth, twentySixth,
        twentySeventh, twentyEighth, twentyNinth, thirtieth, thirtyFirst,
    ]

    private static let version = Query("PRAGMA user_version")
    private static let application = Query("PRAGMA application_id")
    private static let anyTable = Query("SELECT 1 FROM sqlite_schema LIMIT 1")

    /// Refuses a file that is another program's, or a later version's, before anything in it is touched.
    ///
    /// - Throws: `.unavailable(.notADatabase)`, `.newerSchema`.
    static func check(_ connection: SQLiteConnection) throws(RepositoryError) {
        let isFresh = try connection.first(anyTable) { _ in true } == nil
        let owner = try connection.first(application) { $0.integer(0) }
        guard isFresh || owner == applicationID else { throw .unavailable(.notADatabase) }
        let found = try current(connection)
        guard found <= steps.count else {
            throw .notOpened(.newerSchema(found: Int64(found), known: Int64(steps.count)))
        }
    }

    /// Whether no step is missing.
    ///
    /// - Throws: `.noStore` when there is nothing yet.
    static func isCurrent(_ connection: SQLiteConnection) throws(RepositoryError) -> Bool {
        let found = try current(connection)
        guard found > 0 else { throw .notOpened(.noStore) }
        return found == steps.count
    }

    /// Whether there is something already, and steps are missing.
    static func isBehind(_ connection: SQLiteConnection) throws(RepositoryError) -> Bool {
        (1..<steps.count).contains(try current(connection))
    }

    /// Whether there is nothing yet, or all of it.
    static func isFreshOrCurrent(_ connection: SQLiteConnection) throws(RepositoryError) -> Bool {
        try [0, steps.count].contains(current(connection))
    }

    /// Takes the steps that are missing. Inside the caller's transaction.
    ///
    /// - Returns: how many had been taken before.
    static func migrate(_ connection: SQLiteConnection) throws(RepositoryError) -> Int {
        let found = try current(connection)
        for step in steps[found...] { try connection.execute(step) }
        try connection.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(steps.count);")
        return found
    }

    /// Makes the tables that are added and not there. Inside the caller's transaction.
    static func add(_ tables: StoreTables, _ connection: SQLiteConnection) throws(RepositoryError) {
        for table in tables.added {
            for statement in table.creation(.sqlite) { try connection.execute(statement) }
        }
    }

    static func current(_ connection: SQLiteConnection) throws(RepositoryError) -> Int {
        Int(try connection.first(version) { $0.integer(0) } ?? 0)
    }

    // Rows made together lie together wherever that can be had (used codes by expiry, sessions by an id that starts
    // with the time): a commit writes whole pages, so a sign-in is the cheaper the more of its pages it shares with
    // others. Numbers of users, identities and events are never given twice (AUTOINCREMENT): tokens and the audit trail
    // name them long after their rows have gone. The unique key of identities starts with the subject, whose first
    // bytes tell more than the issuer's.
    private static let first = """
        CREATE TABLE meta (
            name TEXT PRIMARY KEY,
            value ANY NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE key_ring (
            number INTEGER PRIMARY KEY,
            sealed_key BLOB NOT NULL,
            created INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE signing_keys (
            kid TEXT PRIMARY KEY,
            private_key BLOB NOT NULL,
            created INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE users (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            reference TEXT NOT NULL,
            profile BLOB NOT NULL,
            created INTEGER NOT NULL,
            updated INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE identities (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            provider TEXT NOT NULL,
            issuer TEXT NOT NULL,
            subject TEXT NOT NULL,
            origin TEXT NOT NULL,
            linked INTEGER NOT NULL,
            last_sign_in INTEGER NOT NULL,
            UNIQUE (subject, issuer)
        ) STRICT;
        CREATE INDEX identities_user ON identities (user_id);

        CREATE TABLE sessions (
            id BLOB PRIMARY KEY,
            user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            family BLOB NOT NULL,
            refresh_hash BLOB NOT NULL,
            previous_hash BLOB,
            next_wrapped BLOB,
            rotated INTEGER,
            expires INTEGER NOT NULL,
            created INTEGER NOT NULL,
            user_agent TEXT,
            acr TEXT,
            amr TEXT NOT NULL,
            auth_time INTEGER,
            provider TEXT NOT NULL,
            client TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX sessions_user ON sessions (user_id);
        CREATE INDEX sessions_expires ON sessions (expires);

        CREATE TABLE retired_refresh_tokens (
            session_id BLOB NOT NULL,
            hash BLOB NOT NULL,
            expires INTEGER NOT NULL,
            PRIMARY KEY (session_id, hash)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX retired_refresh_tokens_expires ON retired_refresh_tokens (expires);

        CREATE TABLE used_codes (
            expires INTEGER NOT NULL,
            hash BLOB NOT NULL,
            PRIMARY KEY (expires, hash)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE used_port_tokens (
            hash BLOB PRIMARY KEY,
            expires INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX used_port_tokens_expires ON used_port_tokens (expires);

        CREATE TABLE tickets (
            hash BLOB PRIMARY KEY,
            provider TEXT NOT NULL,
            issuer TEXT NOT NULL,
            subject TEXT NOT NULL,
            client TEXT NOT NULL,
            profile BLOB NOT NULL,
            expires INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX tickets_expires ON tickets (expires);

        CREATE TABLE audit (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            event TEXT NOT NULL,
            user_id INTEGER,
            old_identity INTEGER,
            new_identity INTEGER
        ) STRICT;
        """
}
