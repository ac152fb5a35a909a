import Accounts
import AccountsPostgres
import Composition
import Crypto
import EventLoop
import Postgres
import Settings
internal import System

/// How the database server is that the store is in.
struct DatabaseCheckup: Sendable {
    private static let timeout = Duration.seconds(5)
    private static let facts = Statement(
        """
        SELECT current_setting('server_version_num')::int8, pg_is_in_recovery(), current_setting('fsync') = 'on',
            current_setting('synchronous_commit') <> 'off', current_setting('max_connections')::int8
                - current_setting('superuser_reserved_connections')::int8 - (SELECT count(*) FROM pg_stat_activity),
            has_schema_privilege(current_schema(), 'CREATE'), extract(epoch FROM clock_timestamp())::int8,
            current_setting('server_encoding')
        """)
    /// Beside those of each loop, whatever it does: for what waits for locks, and for the ledger.
    private static let further = 8

    let settings: Settings
    let address: Secret
    /// Seconds since 1970.
    let now: Int64

    func diagnoses() async -> [Diagnosis] {
        do {
            let string = try ConnectionString(
                address.revealedText, password: settings.storage.password?.revealedText)
            let loop = try EventLoop(label: "doctor")
            loop.start()
            defer { loop.stop() }
            let pool = PostgresPool(loop: loop, string: string, limits: PoolLimits(connections: 1))
            let began = MonotonicTime.now
            let rows = try await pool.query(Self.facts, timeout: Self.timeout)
            let took = MonotonicTime.now - began
            await pool.close()
            guard let row = rows.first else { return [] }
            return try judge(row, at: string.place, took)
        } catch {
            let reason = (error as? PostgresError).map { "\(Unavailability($0))" } ?? "\(error)"
            return [Diagnosis("database", .bad, "it can't be asked from here: \(reason)")]
        }
    }

    private func judge(_ row: Row, at place: String, _ took: Duration) throws(PostgresError) -> [Diagnosis] {
        let version = try row.integer(0)
        var found = [
            Diagnosis(
                "database", .good,
                "\(place) is PostgreSQL \(version / 10_000).\(version % 10_000), and answers in \(Int(took / .milliseconds(1))) ms"
            )
        ]
        if try row.bool(1) {
            found.append(
                Diagnosis(
                    "database, role", .bad, "it is a standby, which takes no writes",
                    remedy: "name the primary, or all hosts with target_session_attrs=read-write, in storage.url"))
        }
        if try !row.bool(2) {
            found.append(
                Diagnosis(
                    "database, fsync", .bad, "fsync is off: a power cut loses the store",
                    remedy: "set fsync = on in postgresql.conf"))
        }
        if try !row.bool(3) {
            found.append(
                Diagnosis(
                    "database, commits", .warning, "synchronous_commit is off for this role",
                    remedy: "leave it on: Gatehouse chooses itself what need not wait for the disk"))
        }
        found += [try connections(row), try rights(row), try clock(row), try encoding(row)]
        return found
    }

    private func connections(_ row: Row) throws(PostgresError) -> Diagnosis {
        let free = try row.integer(4)
        let loops = settings.http.loops ?? Processors.usable
        let wanted = Int64(2 * settings.storage.connections * loops + settings.storage.lockConnections + Self.further)
        let sentence = "\(free) are free; an instance takes up to \(wanted)"
        guard free < wanted else { return Diagnosis("database, connections", .good, sentence) }
        return Diagnosis(
            "database, connections", .warning, sentence,
            remedy: "where this instance does not run yet: raise max_connections, or lower storage.connections")
    }

    private func rights(_ row: Row) throws(PostgresError) -> Diagnosis {
        try row.bool(5)
            ? Diagnosis("database, rights", .good, "the role may make tables")
            : Diagnosis(
                "database, rights", .warning, "the role may make no tables in its schema",
                remedy:
                    "run gatehouse store migrate under one that may before each new version, or GRANT CREATE ON SCHEMA")
    }

    private func clock(_ row: Row) throws(PostgresError) -> Diagnosis {
        let difference = try row.integer(6) - WallClock.now.seconds
        let sentence = "the database's clock is \(difference) s ahead of this machine's"
        guard abs(difference) > 2 else { return Diagnosis("database, clock", .good, sentence) }
        let isBeyond = abs(difference) > Int64(settings.storage.clockSkewSeconds)
        return Diagnosis(
            "database, clock", isBeyond ? .bad : .warning,
            "\(sentence); beyond \(settings.storage.clockSkewSeconds) (storage.clockSkewSeconds) no instance is ready",
            remedy: "have both keep time by NTP")
    }

    private func encoding(_ row: Row) throws(PostgresError) -> Diagnosis {
        let encoding = try row.text(7)
        return encoding == "UTF8"
            ? Diagnosis("database, encoding", .good, "it is UTF8")
            : Diagnosis(
                "database, encoding", .bad, "it is \(encoding); expected UTF8",
                remedy: "make a database WITH ENCODING 'UTF8' TEMPLATE template0")
    }
}
