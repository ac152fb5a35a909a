import Accounts
import AccountsSQL
import Dispatch
import EventLoop
import Postgres
import Synchronization
import Telemetry

/// An open transaction as the work that all engines share sees it: each statement waits for its answer.
///
/// Only on a thread that may wait, never on a loop's: there nobody would be left to bring the answer.
final class WaitingConnection: StoreConnection {
    private let work: Work
    private let loop: EventLoop
    /// Of the request that it works for: the thread knows nothing of it.
    private let scope: StepScope?
    let formerIssuers: FormerIssuers
    private var lastChanges = 0
    /// What is recorded stays in the database: there is no file.
    var ledger = LedgerProgress()
    var notedEvents: [NewAuditEvent]?
    var auditContext: AuditContext?

    init(_ work: Work, _ loop: EventLoop, _ scope: StepScope?) {
        (self.work, self.loop, self.scope) = (work, loop, scope)
        formerIssuers = work.store.settings.formerIssuers
    }

    var changes: Int { lastChanges }

    func statement(_ query: Query) throws(RepositoryError) -> any AccountsSQL.Statement {
        WaitingStatement(self, query)
    }

    /// Those of one transaction in any case, where one is open; each by itself sees what was committed before it.
    func snapshot<Value>(_ body: () throws(RepositoryError) -> Value) throws(RepositoryError) -> Value {
        try body()
    }

    /// The server's vacuum overwrites what is left of rows that are gone.
    func noteErasure() {}

    func userCount() throws(RepositoryError) -> Int {
        let about = try first(Self.aboutUsers) { $0.integer(0) } ?? 0
        if about > Self.countedUsers { return Int(about) }
        return Int(try first(Self.users) { $0.integer(0) } ?? 0)
    }

    // Counting reads every row, so of many it is the server's own estimate that is told, which its vacuum keeps.
    private static let countedUsers: Int64 = 200_000
    private static let aboutUsers = Query(
        "SELECT coalesce(reltuples, 0)::int8 FROM pg_class WHERE oid = 'users'::regclass")
    private static let users = Query("SELECT count(*) FROM users")

    func lastNumber(of table: String, _ column: String) throws(RepositoryError) -> Int64 {
        try first(Self.lastNumber, Self.sequence(of: table, column)) { $0.integer(0) } ?? 0
    }

    func setLastNumber(_ number: Int64, of table: String, _ column: String) throws(RepositoryError) {
        try run(Self.setLastNumber, Self.sequence(of: table, column), number)
    }

    private static let lastNumber = Query(
        "SELECT coalesce(last_value, 0) FROM pg_sequences WHERE schemaname = current_schema() AND sequencename = ?")
    private static let setLastNumber = Query("SELECT setval(?::regclass, ?)")

    /// Two have names of our own; of the others the server has made the name.
    private static func sequence(of table: String, _ column: String) -> String {
        switch table {
        case "users": "user_ids"
        case "identities": "identity_ids"
        default: "\(table)_\(column)_seq"
        }
    }

    fileprivate func rows(_ command: Command) throws(RepositoryError) -> Rows {
        let answer = Answer()
        Task(executorPreference: loop) { [work, scope] in
            func rows() async -> Result<Rows, RepositoryError> {
                await Result { () async throws(RepositoryError) in try await work.rows(command) }
            }
            guard let scope else { return answer.give(await rows()) }
            answer.give(await StepScope.$current.withValue(scope) { await rows() })
        }
        let rows = try answer.take().get()
        lastChanges = rows.affected
        return rows
    }
}

/// What a thread waits for.
private final class Answer: Sendable {
    private let result = Mutex<Result<Rows, RepositoryError>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    func give(_ answer: Result<Rows, RepositoryError>) {
        result.withLock { $0 = answer }
        isThere.signal()
    }

    func take() -> Result<Rows, RepositoryError> {
        isThere.wait()
        return result.withLock(\.self) ?? .failure(.unavailable(.closed))
    }
}

extension Result where Success: Sendable {
    /// The outcome of what takes its time.
    fileprivate init(_ body: () async throws(Failure) -> Success) async {
        do throws(Failure) { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

/// The statements of the queries that were run so far, by their identity.
final class KnownStatements: Sendable {
    static let shared = KnownStatements()

    /// The queries are kept too: an identity is only good while its object lives.
    private let known = Mutex<[ObjectIdentifier: (query: Query, statement: Postgres.Statement)]>([:])

    /// - Parameter values: of its first use, which tell the server what they are: else it would take `$1 - 1` for an
    ///   `int4`.
    func statement(of query: Query, _ values: [Value]) -> Postgres.Statement {
        known.withLock { known in
            if let found = known[ObjectIdentifier(query)] { return found.statement }
            let statement = Postgres.Statement(query.postgres, types: values.map(\.type))
            known[ObjectIdentifier(query)] = (query, statement)
            return statement
        }
    }
}

/// A statement whose values are gathered, and which is run at its first step.
private final class WaitingStatement: AccountsSQL.Statement {
    private let connection: WaitingConnection
    private let query: Query
    private var values: [Value] = []
    private var rows: Rows?
    private var position = -1

    init(_ connection: WaitingConnection, _ query: Query) {
        (self.connection, self.query) = (connection, query)
    }

    func step() throws(RepositoryError) -> Bool {
        if rows == nil { rows = try connection.rows(command) }
        position += 1
        return position < rows?.count ?? 0
    }

    /// It is made anew for each use.
    func reset() {}

    private var command: Command { Command(KnownStatements.shared.statement(of: query, values), values) }

    func bindNull(at index: Int32) { values.append(.null) }
    func bindInteger(_ value: Int64, at index: Int32) { values.append(.integer(value)) }
    func bindText(_ value: String, at index: Int32) { values.append(.text(value)) }
    func bindBlob(_ value: UnsafeRawBufferPointer, at index: Int32) {
        // Safe: the bytes are copied while their lender waits.
        unsafe values.append(.bytes([UInt8](value)))
    }

    func isNull(_ column: Int32) -> Bool { bytes(column) == nil }
    func isEmpty(_ column: Int32) -> Bool { bytes(column)?.isEmpty ?? true }
    func text(_ column: Int32) -> String { String(decoding: blob(column), as: UTF8.self) }
    func blob(_ column: Int32) -> [UInt8] { bytes(column) ?? [] }

    func hash(_ column: Int32) throws(RepositoryError) -> TokenHash {
        guard let hash = TokenHash(blob(column)) else { throw .unavailable(.corrupt) }
        return hash
    }

    func integer(_ column: Int32) -> Int64 {
        let bytes = blob(column)
        // Of two bytes and more the first bit is the sign; one byte is a truth value.
        let isNegative = bytes.count > 1 && bytes[0] & 0x80 != 0
        return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
    }

    private func bytes(_ column: Int32) -> [UInt8]? {
        guard let rows, rows.indices.contains(position) else { return nil }
        return rows[position].rawValue(Int(column))
    }
}
