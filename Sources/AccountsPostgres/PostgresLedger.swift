public import Accounts
public import AccountsSQL
public import EventLoop
public import Postgres

/// A ledger in a database of another server than the store's.
public final class PostgresLedger: StoreLedger {
    private static let timeout = Duration.seconds(5)
    private static let make = [
        """
        CREATE TABLE IF NOT EXISTS gatehouse_ledger (
            number int8 NOT NULL, line text COLLATE "C" NOT NULL, PRIMARY KEY (number, line))
        """,
        """
        CREATE TABLE IF NOT EXISTS gatehouse_ledger_mark (
            is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only), mark text NOT NULL)
        """,
        "INSERT INTO gatehouse_ledger_mark (mark) VALUES ('') ON CONFLICT DO NOTHING",
    ].map(Postgres.Statement.once)
    private static let isMade = Postgres.Statement(
        "SELECT 1 WHERE to_regclass('gatehouse_ledger') IS NOT NULL AND to_regclass('gatehouse_ledger_mark') IS NOT NULL"
    )
    private static let add = Postgres.Statement(
        "INSERT INTO gatehouse_ledger (number, line) VALUES ($1::int8, $2::text) ON CONFLICT DO NOTHING")
    private static let find = Postgres.Statement("SELECT mark FROM gatehouse_ledger_mark FOR UPDATE")
    private static let set = Postgres.Statement("UPDATE gatehouse_ledger_mark SET mark = $1::text")
    private static let read = Postgres.Statement("SELECT line FROM gatehouse_ledger WHERE number > $1::int8")

    private let pool: PostgresPool

    /// Nothing is connected before it is used.
    public init(_ address: ConnectionString, loop: EventLoop) {
        pool = PostgresPool(loop: loop, string: address, limits: PoolLimits(connections: 1))
    }

    /// Makes the tables that are missing.
    public func open() async throws(RepositoryError) {
        do throws(PostgresError) {
            guard try await pool.query(Self.isMade, timeout: Self.timeout).isEmpty else { return }
            for statement in Self.make { _ = try await pool.query(statement, timeout: Self.timeout) }
        } catch {
            throw RepositoryError(error)
        }
    }

    public func append(_ lines: [(number: Int64, line: String)]) async throws(RepositoryError) {
        guard !lines.isEmpty else { return }
        do throws(PostgresError) {
            _ = try await pool.run(
                lines.map { Command(Self.add, .integer($0.number), .text($0.line)) }, timeout: Self.timeout)
        } catch {
            throw RepositoryError(error)
        }
    }

    public func note(_ change: @escaping @Sendable (String?) -> String?) async throws(RepositoryError) -> String? {
        do throws(PostgresError) {
            return try await pool.transaction(timeout: Self.timeout) { transaction throws(PostgresError) in
                let text = try await transaction.query(Self.find).first?.text(0) ?? ""
                let former = text.isEmpty ? nil : text
                guard let next = change(former), next != former else { return former }
                _ = try await transaction.query(Self.set, .text(next))
                return next
            }
        } catch {
            throw RepositoryError(error)
        }
    }

    public func lines(after number: Int64) async throws(RepositoryError) -> [String] {
        do throws(PostgresError) {
            var lines: [String] = []
            for row in try await pool.query(Self.read, .integer(number), timeout: .seconds(60)) {
                lines.append(try row.text(0))
            }
            return lines
        } catch {
            throw RepositoryError(error)
        }
    }

    public func close() async { await pool.close() }
}
