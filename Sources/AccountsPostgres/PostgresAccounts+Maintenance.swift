public import Accounts
import AccountsSQL
import Postgres
public import System

/// Expired rows, integrity.
extension PostgresAccounts {
    /// Also looks whether this version may still work with the tables, and whether our clock is the database's.
    public func probe(now: Int64) async throws(RepositoryError) {
        _ = try await Schema.stepsTaken(Work(self))
        let (there, before, after) = try await clockReading()
        let (limit, took) = (settings.clockSkewSeconds * 1000, Int64((after - before) / .milliseconds(1)))
        guard abs(WallClock.now.milliseconds - there / 1000) <= limit + took else { throw .unavailable(.clock) }
        try await Work(self).run(Self.setProbe, .integer(now))
    }

    public func look(at clock: CommonClock) async throws(RepositoryError) {
        let (there, before, after) = try await clockReading()
        clock.take(there, between: before, and: after)
    }

    /// What the server's clock says, in microseconds since 1970, and between which instants it was asked.
    func clockReading() async throws(RepositoryError) -> (Int64, MonotonicTime, MonotonicTime) {
        let before = MonotonicTime.now
        guard let there = try await Work(self).first(Self.clock)?.integer(0) else { throw .unavailable(.corrupt) }
        return (there, before, .now)
    }

    private static let clock = Postgres.Statement("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::int8")
    private static let setProbe = Postgres.Statement(
        "INSERT INTO meta (name, value) VALUES ('probed', $1) ON CONFLICT (name) DO UPDATE SET value = $1")

    public func subjectForm(_ wanted: SubjectForm?) async throws(RepositoryError) -> SubjectForm {
        try await write(.serializable) { connection throws(RepositoryError) in
            let form = try SubjectFormRow(connection: connection).settle(wanted)
            if form == .reference { try connection.run(Schema.keepAwayWhoKnowsNumbersAlone) }
            return form
        }
    }

    /// Nothing is left to do: what the server keeps of rows that are gone, its vacuum overwrites.
    public func scrub() async throws(RepositoryError) -> Bool { true }

    public func check(
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws(RepositoryError) -> [String] {
        try await read { [sealer, tables] connection throws(RepositoryError) in
            try SealCheck(connection: connection, sealer: sealer, tables: tables, progress: progress).run()
        }
    }
}
