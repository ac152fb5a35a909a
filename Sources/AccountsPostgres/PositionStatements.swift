import Accounts
import AccountsSQL
import Postgres

/// What a server is asked of how far it has come.
enum PositionStatements {
    // The timeline is the first third of a segment's name. Where it was left is noted as "system timeline position".
    private static let log = """
        (SELECT system_identifier FROM pg_control_system())::int8,
        ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int8,
        (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::int8,
        (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::int8,
        floor(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::int8
        """
    private static let store = """
        coalesce((SELECT value FROM meta WHERE name = 'epoch'), 0), beat.value,
        coalesce((SELECT max(number) FROM ledger), 0), (SELECT word FROM meta WHERE name = 'timeline')
        """
    private static let logPlace = 4

    static let look = Postgres.Statement(
        "SELECT \(store), \(log) FROM (SELECT max(value) AS value FROM meta WHERE name = 'beat') AS beat")
    /// The same of an engine that hides its log.
    static let lookAtStore = Postgres.Statement(
        "SELECT \(store) FROM (SELECT max(value) AS value FROM meta WHERE name = 'beat') AS beat")
    // The position is one that the commit of this statement comes behind: once that is acknowledged, so is all before.
    static let beat = Postgres.Statement("\(count) RETURNING \(store), \(log)")
    static let beatOfStore = Postgres.Statement("\(count) RETURNING \(store)")
    private static let count = """
        INSERT INTO meta AS beat (name, value) VALUES ('beat', 1) ON CONFLICT (name) DO UPDATE SET value = beat.value + 1
        """

    /// What a commit is known by: the number of its transaction, and where the log stood after its first record; both
    /// null in one that has written nothing.
    static let commitColumns = """
        pg_current_xact_id_if_assigned()::text::int8, (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::int8
        """
    static let commit = Postgres.Statement("SELECT \(commitColumns)")

    static let lost = Postgres.Statement(
        """
        SELECT count(*) FROM unnest(string_to_array($1::text, ' ')) AS asked (number)
        WHERE pg_xact_status(number::xid8) IS DISTINCT FROM 'committed'
        """)

    // Numbers that are passed over are nobody's: what was given on another timeline may have been lost with it. Events
    // that come now stand behind all that were written before. Which records of the ledger were there is noted before
    // others come: they have numbers behind those of what was lost. Of several timelines within a day the first counts.
    static let noteTimeline = Postgres.Statement(
        """
        WITH noted AS (
            INSERT INTO meta (name, word) VALUES ('timeline', $1)
            ON CONFLICT (name) DO UPDATE SET word = excluded.word
            WHERE meta.word IS NULL OR meta.word NOT LIKE $2
            RETURNING 1
        ), moved AS (
            INSERT INTO meta (name, value) SELECT 'epoch', 1 FROM noted WHERE $4::int8 > 0
            ON CONFLICT (name) DO UPDATE SET value = meta.value + 1
            RETURNING 1
        ), fork AS (
            INSERT INTO meta (name, value, word)
            SELECT 'ledger_before', coalesce((SELECT max(number) FROM ledger), 0), extract(epoch FROM now())::int8::text
            FROM noted WHERE $3::int8 > 0
            ON CONFLICT (name) DO UPDATE SET value = excluded.value, word = excluded.word
            WHERE meta.word::int8 < excluded.word::int8 - 86400
        )
        SELECT (SELECT count(*) FROM moved), \(passing("$3"))
        FROM noted WHERE $3::int8 > 0
        """)

    /// Has every sequence go on so far behind its last number.
    static func passing(_ margin: String) -> String {
        ["user_ids", "identity_ids", "audit_id_seq", "secret_keys_number_seq", "ledger_number_seq"].map { sequence in
            "setval('\(sequence)', (SELECT last_value FROM \(sequence)) + \(margin)::int8)"
        }.joined(separator: ", ") + ", setval('audit_epochs', (SELECT last_value FROM audit_epochs) + 1)"
    }

    static func position(_ row: StoredRow, hasLog: Bool) throws(RepositoryError) -> ServerPosition {
        let noted = (try row.optionalText(3) ?? "").split(separator: " ").compactMap { Int64($0) }
        return ServerPosition(
            epoch: try row.integer(0), beat: try row.optionalInteger(1) ?? 0, record: try row.integer(2),
            log: hasLog
                ? ServerPosition.Log(
                    system: try row.integer(logPlace), timeline: try row.integer(logPlace + 1),
                    end: try row.integer(logPlace + 2), recovered: try row.optionalInteger(logPlace + 3),
                    startedAt: try row.integer(logPlace + 4)) : nil,
            noted: noted.count == 3 ? (noted[0], noted[1], noted[2]) : (0, 0, 0))
    }
}
