public import Accounts
public import AccountsPostgres
public import AccountsSQL
internal import EventLoop
internal import Foundation
internal import Postgres
public import Telemetry

/// Runs a test with a store in a database, on a loop of its own, and closes it.
///
/// - Parameter address: of the database, as libpq has it.
public func withStore(
    at address: String, statementTimeout: Duration = .seconds(60), requestTimeout: Duration? = nil,
    dialect: Dialect = .tested,
    tables: StoreTables = .tested, auditObserver: (any AuditObserver)? = nil,
    observers: Observers = .none, isFenced: Bool = true, ledger: (any StoreLedger)? = nil,
    _ body: (PostgresAccounts) async throws -> Void
) async throws {
    let loop = try EventLoop(label: "store")
    loop.start()
    defer { loop.stop() }
    // Many tests run at once, and the database has a share of the same processors. Each connection is a process there,
    // which costs more than most tests do with it.
    let settings = PostgresSettings(
        address: try ConnectionString(address), loops: [loop], dialect: dialect, mayCreate: true, tables: tables,
        formerIssuers: .tested,
        limits: PoolLimits(connections: 2, connectTimeout: .seconds(60)), statementTimeout: statementTimeout,
        transactionTimeout: statementTimeout * 2, requestTimeout: requestTimeout, isFenced: isFenced,
        ledger: ledger, auditObserver: auditObserver,
        observers: observers)
    let store = try await PostgresAccounts.open(
        settings, now: Sample.now, unlockKeyRing: TransparentSealer.unlocker())
    do { try await body(store) } catch {
        await store.close()
        throw error
    }
    await store.close()
}

extension Dialect {
    /// The one of the server that `DEV_TEST_PG_URL` names, by `DEV_TEST_PG_DIALECT`.
    public static var tested: Dialect {
        ProcessInfo.processInfo.environment["DEV_TEST_PG_DIALECT"] == "distributed" ? .distributed : .postgresql
    }
}
