import Accounts
import AccountsSQL
import Postgres

/// One row of what a statement has given back. A column is named by its place, the first being 0.
///
/// Each reader throws `.unavailable(.corrupt)` where the column holds something else.
struct StoredRow: ReadableRow, Sendable {
    private let row: Row

    init(_ row: Row) {
        self.row = row
    }

    func integer(_ column: Int) throws(RepositoryError) -> Int64 { try read(column, Row.integer) }

    func optionalInteger(_ column: Int) throws(RepositoryError) -> Int64? { try read(column, Row.optionalInteger) }

    func bool(_ column: Int) throws(RepositoryError) -> Bool { try read(column, Row.bool) }

    func text(_ column: Int) throws(RepositoryError) -> String { try read(column, Row.text) }

    func optionalText(_ column: Int) throws(RepositoryError) -> String? { try read(column, Row.optionalText) }

    func bytes(_ column: Int) throws(RepositoryError) -> [UInt8] { try read(column, Row.bytes) }

    func optionalBytes(_ column: Int) throws(RepositoryError) -> [UInt8]? { try read(column, Row.optionalBytes) }

    func hash(_ column: Int) throws(RepositoryError) -> TokenHash { try present(TokenHash(bytes(column))) }

    func optionalHash(_ column: Int) throws(RepositoryError) -> TokenHash? {
        guard let bytes = try optionalBytes(column) else { return nil }
        return try present(TokenHash(bytes))
    }

    func sessionID(_ column: Int) throws(RepositoryError) -> SessionID { try present(SessionID(bytes(column))) }

    func optionalSessionID(_ column: Int) throws(RepositoryError) -> SessionID? {
        try optionalBytes(column) == nil ? nil : try sessionID(column)
    }

    func user(_ column: Int) throws(RepositoryError) -> UserID { UserID(rawValue: try integer(column)) }

    func optionalUser(_ column: Int) throws(RepositoryError) -> UserID? {
        try optionalInteger(column).map(UserID.init(rawValue:))
    }

    func identity(_ column: Int) throws(RepositoryError) -> IdentityID { IdentityID(rawValue: try integer(column)) }

    func optionalIdentity(_ column: Int) throws(RepositoryError) -> IdentityID? {
        try optionalInteger(column).map(IdentityID.init(rawValue:))
    }

    private func read<Result>(
        _ column: Int, _ reader: (Row) -> (Int) throws(PostgresError) -> Result
    ) throws(RepositoryError) -> Result {
        do throws(PostgresError) { return try reader(row)(column) } catch { throw .unavailable(.corrupt) }
    }

    private func present<Result>(_ value: Result?) throws(RepositoryError) -> Result {
        guard let value else { throw .unavailable(.corrupt) }
        return value
    }
}
