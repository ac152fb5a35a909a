import Accounts
import AccountsSQL
import Postgres

/// The tables, as numbered steps that only go forward. A step that was released never changes; what comes later is
/// another step.
///
/// A step may only add to what instances of the version before use, for these go on meanwhile. What takes something
/// away raises `leastCompatible`, and comes a version after the last one that used it.
enum Schema {
    /// Of what is in the database after all steps, the least number of steps that a binary must know to work with it.
    static let leastCompatible: Int64 = 1
    static let steps = [
        FirstTables.tables, FirstTables.secondStep, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth,
        eleventh, twelfth, thirteenth,
        fourteenth, fifteenth, sixteenth, seventeenth, eighteenth, nineteenth,
    ]
    // When the provider answered a nonce of ours. An instance of the version before leaves it out, and stores the ID
    // token's time as that of the authentication, which counts only beside an `auth_time` (``SessionColumn``).
    private static let third = """
        ALTER TABLE sessions ADD COLUMN challenged int8;
        ALTER TABLE tickets ADD COLUMN challenged int8;
        """
    // What has opened a session; each source has room of its own (``SessionRoom``).
    private static let fourth = """
        ALTER TABLE sessions ADD COLUMN source int8 NOT NULL DEFAULT 0;
        ALTER TABLE tickets ADD COLUMN source int8 NOT NULL DEFAULT 0;
        ALTER TABLE identities ADD COLUMN exchange_room int8 NOT NULL DEFAULT 0;
        ALTER TABLE identities ADD COLUMN exchange_room_of int8 NOT NULL DEFAULT 0;
        """
    // Which attributes an event is about, by name, with blanks between; no event of before has any.
    private static let fifth = "ALTER TABLE audit ADD COLUMN fields text"
    // Who has done it, through what, and why; of what happened again, how often. What nearly every event has is left
    // out of the indexes: for that, any row will do. `audit_repeats` counts what goes on.
    private static let sixth = """
        ALTER TABLE audit ADD COLUMN actor text COLLATE "C";
        ALTER TABLE audit ADD COLUMN app text;
        ALTER TABLE audit ADD COLUMN session_id bytea;
        ALTER TABLE audit ADD COLUMN request text;
        ALTER TABLE audit ADD COLUMN reason text;
        ALTER TABLE audit ADD COLUMN count int8;
        CREATE INDEX audit_at ON audit (at);
        CREATE INDEX audit_event ON audit (event, writer, id) WHERE event <> 'user_created';
        CREATE INDEX audit_actor ON audit (actor, writer, id) WHERE actor <> 'user';

        CREATE TABLE audit_repeats (
            thing text COLLATE "C" PRIMARY KEY,
            since int8 NOT NULL,
            row_id int8 NOT NULL,
            count int8 NOT NULL
        ) WITH (fillfactor = 85);
        CREATE INDEX audit_repeats_since ON audit_repeats (since);
        """

    // The lines in time, and the locks, as in the other engine. An instance of the version before draws none, and opens
    // sessions without a look at them.
    private static let seventh = """
        ALTER TABLE identities ADD COLUMN not_before int8 NOT NULL DEFAULT 0;
        ALTER TABLE identities ADD COLUMN authenticated_after int8;
        ALTER TABLE identities ADD COLUMN locked_until int8 NOT NULL DEFAULT 0;
        ALTER TABLE tickets ADD COLUMN created int8 NOT NULL DEFAULT 0;
        CREATE TABLE not_before (
            key text COLLATE "C" PRIMARY KEY,
            at int8 NOT NULL,
            authenticated_after int8,
            sessions_before bytea,
            user_id int8,
            expires int8
        );
        CREATE INDEX not_before_expires ON not_before (expires) WHERE expires IS NOT NULL;
        CREATE INDEX not_before_user ON not_before (user_id) WHERE user_id IS NOT NULL;
        CREATE TABLE locks (
            user_id int8 NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            identity_id int8 NOT NULL,
            cause text COLLATE "C" NOT NULL,
            reason text,
            since int8 NOT NULL,
            until int8,
            PRIMARY KEY (user_id, identity_id)
        );
        CREATE TABLE seen_tokens (
            hash bytea PRIMARY KEY,
            expires int8 NOT NULL
        );
        CREATE INDEX seen_tokens_expires ON seen_tokens (expires);
        """

    // Whose a pending sign-in is, and what it takes; the index has all that a look at who holds how much needs.
    private static let eighth = """
        ALTER TABLE pending_sign_ins ADD COLUMN narrow int8 NOT NULL DEFAULT 0;
        ALTER TABLE pending_sign_ins ADD COLUMN wide int8 NOT NULL DEFAULT 0;
        ALTER TABLE pending_sign_ins ADD COLUMN size int8 NOT NULL DEFAULT 0;
        CREATE INDEX pending_sign_ins_holder ON pending_sign_ins (wide, narrow, number, size)
        """

    // What was done of late of what may be done only so often; whose a key of the KeyService is, where that is known;
    // whom mails to an account in a directory are counted for; and the name that is wanted for it, which is its own
    // with the first sign-in by it.
    private static let ninth = """
        CREATE TABLE budgets (
            hash bytea PRIMARY KEY,
            taken int8 NOT NULL,
            expires int8 NOT NULL
        );
        CREATE INDEX budgets_expires ON budgets (expires);
        ALTER TABLE unlock_keys ADD COLUMN user_id int8 REFERENCES users (id) ON DELETE CASCADE;
        CREATE INDEX unlock_keys_user ON unlock_keys (user_id) WHERE user_id IS NOT NULL;
        ALTER TABLE directory_users ADD COLUMN recipient_hash bytea;
        ALTER TABLE directory_users ADD COLUMN wanted_hash bytea;
        UPDATE directory_users SET wanted_hash = name_hash;
        UPDATE directory_users SET name_hash = NULL WHERE joined IS NULL;
        CREATE INDEX directory_users_wanted ON directory_users (provider, wanted_hash) WHERE wanted_hash IS NOT NULL
        """

    // When a provider was asked last whether what it has granted is still good; and who has asked for a mail.
    private static let tenth = """
        ALTER TABLE outbox ADD COLUMN network int8 NOT NULL DEFAULT 0;
        ALTER TABLE outbox ADD COLUMN turn int8 NOT NULL DEFAULT 0;
        CREATE INDEX outbox_turn ON outbox (turn, due);
        CREATE INDEX outbox_network ON outbox (network) WHERE network <> 0;
        ALTER TABLE grants ADD COLUMN asked int8 NOT NULL DEFAULT 0;
        UPDATE grants SET asked = obtained;
        CREATE INDEX grants_asked ON grants (asked) WHERE ended IS NULL
        """

    // What users have agreed that apps may do. An instance of the version before asks nobody.
    private static let eleventh = """
        CREATE TABLE consents (
            user_id int8 NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            client text COLLATE "C" NOT NULL,
            scope text NOT NULL,
            agreed int8 NOT NULL,
            PRIMARY KEY (user_id, client)
        )
        """

    // How often a refresh token was given again late, and what the use of a code or a ticket came to. An instance of
    // the version before counts and keeps none of it, so that what it has answered is not given again.
    private static let twelfth = """
        ALTER TABLE sessions ADD COLUMN late_repeats int8 NOT NULL DEFAULT 0;
        ALTER TABLE sessions ADD COLUMN late_generations int8 NOT NULL DEFAULT 0;
        ALTER TABLE used_codes ADD COLUMN answer bytea;
        ALTER TABLE tickets ADD COLUMN answer bytea;
        ALTER TABLE app_codes ADD COLUMN answer bytea
        """
    // What the session may do, and whom its tokens are made out to, that an app of ours gets for a ticket.
    private static let thirteenth = """
        ALTER TABLE tickets ADD COLUMN scope text COLLATE "C";
        ALTER TABLE tickets ADD COLUMN audience text COLLATE "C"
        """
    // What the user of a session has declined of what was asked for; and what failed sign-ins were called in logs,
    // hashed. An instance of the version before writes neither.
    private static let fourteenth = """
        ALTER TABLE sessions ADD COLUMN declined text;
        ALTER TABLE failed_sign_ins ADD COLUMN correlations text
        """
    // Whether the sign-in of a session came with a port token that names another user. An instance of the version
    // before writes none.
    private static let fifteenth = "ALTER TABLE sessions ADD COLUMN merge_offered int8"
    // A list of one provider's users looks at these alone. Writes wait while it is made, unless an operator has made it
    // beforehand, CONCURRENTLY.
    private static let sixteenth = "CREATE INDEX IF NOT EXISTS identities_provider ON identities (provider, user_id)"

    // The number of a transaction orders events within one history of one cluster. `audit_epochs` counts these, and
    // stands in the upper sixteen bits, so that every event of a later one comes behind all of an earlier one.
    private static let seventeenth = """
        CREATE SEQUENCE audit_epochs MINVALUE 0 START 0 MAXVALUE 32767;
        \(Dialect.writerWithEpoch)
        """

    // The uses of codes, in parts that are emptied as a whole (``CodeSlot``). `used_codes` stays, for instances of the
    // version before, as a store has that had keys by then: what they have claimed is looked at there, and for an hour
    // claims are made there, too. Tables that every sign-in writes to are cleaned up long before a fifth of them is
    // dead.
    private static let eighteenth = """
        CREATE TABLE code_uses (
            slot int8 NOT NULL,
            hash bytea NOT NULL,
            owner int8 NOT NULL,
            state int8 NOT NULL,
            expires int8 NOT NULL,
            issuer text COLLATE "C",
            answer bytea,
            PRIMARY KEY (hash, slot)
        )\(Dialect.codeSlots)
        INSERT INTO meta (name, value) SELECT 'code_uses_since', extract(epoch FROM now())::int8
            WHERE EXISTS (SELECT 1 FROM key_ring)\(Dialect.tableSettings)
        """

    // Operators find users by what apps know them as. Writes wait while it is made, unless an operator has made it
    // beforehand, CONCURRENTLY.
    private static let nineteenth = "CREATE INDEX IF NOT EXISTS users_reference ON users (reference)"

    private static let makeMeta = Postgres.Statement.once(
        """
        CREATE TABLE IF NOT EXISTS gatehouse_schema (
            is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
            version int8 NOT NULL,
            min_compatible int8 NOT NULL
        )
        """)
    private static let start = Postgres.Statement.once(
        "INSERT INTO gatehouse_schema (version, min_compatible) VALUES (0, 0) ON CONFLICT DO NOTHING")
    private static let isThere = Postgres.Statement("SELECT 1 WHERE to_regclass('gatehouse_schema') IS NOT NULL")
    private static let found = Postgres.Statement("SELECT version, min_compatible FROM gatehouse_schema")
    // A second instance waits here, and finds nothing left to do.
    private static let locked = Postgres.Statement("SELECT version, min_compatible FROM gatehouse_schema FOR UPDATE")
    private static let isOfPostgres = Postgres.Statement(
        """
        SELECT 1 FROM pg_attribute
        WHERE attrelid = to_regclass(quote_ident(current_schema()) || '.audit') AND attname = 'writer'
        """)
    private static let set = Postgres.Statement(
        "UPDATE gatehouse_schema SET version = $1, min_compatible = greatest(min_compatible, $2)")

    /// Keeps versions away that know users by their numbers alone: to backends everybody would be somebody else.
    static let keepAwayWhoKnowsNumbersAlone = Query(
        "UPDATE gatehouse_schema SET min_compatible = greatest(min_compatible, 18)")

    /// How many steps have been taken; nil where there are no tables of ours.
    ///
    /// - Throws: `.newerSchema` for a store that needs a later binary.
    static func stepsTaken(_ work: Work) async throws(RepositoryError) -> Int64? {
        guard try await work.any(isThere), let row = try await work.first(found), try row.integer(0) > 0 else {
            return nil
        }
        return try known(row)
    }

    /// Whether there is nothing yet, or all of it.
    static func isFreshOrCurrent(_ work: Work) async throws(RepositoryError) -> Bool {
        guard try await work.any(isThere), let row = try await work.first(found) else { return true }
        return try [0, Int64(steps.count)].contains(known(row))
    }

    /// The oldest whose statements are ours; the documentation says so too.
    private static let leastServer: Int64 = 140_000
    private static let leastServerName = "14"
    private static let server = Postgres.Statement(
        """
        SELECT current_setting('server_version_num')::int8, current_setting('server_version'),
            current_setting('server_encoding')
        """)

    /// Before anything is made there. What other engines say of their versions is not PostgreSQL's to compare.
    ///
    /// - Throws: `.olderServer`, `.otherEncoding`.
    static func checkServer(_ store: PostgresAccounts) async throws(RepositoryError) {
        guard store.settings.dialect == .postgresql, let row = try await Work(store).first(server) else { return }
        if let fault = fault(ofServer: try row.integer(0), try row.text(1), try row.text(2)) { throw .notOpened(fault) }
    }

    /// What is wrong with a server by what it says of itself.
    ///
    /// - Parameter number: its version as a number, such as 150006.
    static func fault(ofServer number: Int64, _ version: String, _ encoding: String) -> StoreOpenError? {
        guard number >= leastServer else { return .olderServer(found: version, least: leastServerName) }
        return encoding == "UTF8" ? nil : .otherEncoding(found: encoding)
    }

    /// - Throws: `.otherDialect` for tables that were made for another kind of engine.
    static func checkDialect(_ store: PostgresAccounts) async throws(RepositoryError) {
        let found: Dialect = try await Work(store).any(isOfPostgres) ? .postgresql : .distributed
        if found != store.settings.dialect { throw .notOpened(.otherDialect) }
    }

    /// Takes the steps that are missing, each a transaction of its own.
    static func migrate(_ store: PostgresAccounts) async throws(RepositoryError) {
        if let taken = try await stepsTaken(Work(store)), taken >= steps.count { return }
        try await store.transact { work throws(RepositoryError) in
            try await work.run(makeMeta)
            try await work.run(start)
        }
        var isDone = false
        while !isDone {
            isDone = try await store.transact(.readCommitted) { work throws(RepositoryError) in
                guard let row = try await work.first(locked) else { throw .unavailable(.corrupt) }
                let taken = try known(row)
                guard taken < steps.count else { return true }
                for statement in store.settings.dialect.step(steps[Int(taken)]).split(separator: ";\n") {
                    try await work.run(.once(String(statement)))
                }
                try await work.run(set, .integer(taken + 1), .integer(leastCompatible))
                return false
            }
        }
    }

    private static let isTable = Postgres.Statement(
        "SELECT 1 WHERE to_regclass(quote_ident(current_schema()) || '.' || quote_ident($1::text)) IS NOT NULL")

    /// Makes the tables that are added and not there.
    static func addTables(_ store: PostgresAccounts) async throws(RepositoryError) {
        for table in store.tables.added {
            if try await Work(store).any(isTable, .text(table.table.name)) { continue }
            try await store.transact(.readCommitted) { work throws(RepositoryError) in
                // As with the steps: of two that begin at once the second finds it made.
                _ = try await work.first(locked)
                for statement in table.creation(.postgres) {
                    try await work.run(.once(store.settings.dialect.step(statement)))
                }
            }
        }
    }

    private static func known(_ row: StoredRow) throws(RepositoryError) -> Int64 {
        guard try row.integer(1) <= steps.count else {
            throw .notOpened(.newerSchema(found: try row.integer(0), known: Int64(steps.count)))
        }
        return try row.integer(0)
    }
}
