package import Accounts

/// A row that a statement has found, of whatever engine. A column is named by its place, the first being 0.
///
/// Each reader throws `.unavailable(.corrupt)` where the column holds something else, as far as the engine tells.
package protocol ReadableRow {
    func integer(_ column: Int) throws(RepositoryError) -> Int64
    func optionalInteger(_ column: Int) throws(RepositoryError) -> Int64?
    func text(_ column: Int) throws(RepositoryError) -> String
    func optionalText(_ column: Int) throws(RepositoryError) -> String?
    func sessionID(_ column: Int) throws(RepositoryError) -> SessionID
    func optionalSessionID(_ column: Int) throws(RepositoryError) -> SessionID?
}

/// The row that a statement stands on.
struct StatementRow: ReadableRow {
    let statement: any Statement

    init(_ statement: any Statement) {
        self.statement = statement
    }

    func integer(_ column: Int) -> Int64 { statement.integer(Int32(column)) }
    func optionalInteger(_ column: Int) -> Int64? { statement.optionalInteger(Int32(column)) }
    func text(_ column: Int) -> String { statement.text(Int32(column)) }
    func optionalText(_ column: Int) -> String? { statement.optionalText(Int32(column)) }
    func sessionID(_ column: Int) throws(RepositoryError) -> SessionID { try statement.sessionID(Int32(column)) }
    func optionalSessionID(_ column: Int) throws(RepositoryError) -> SessionID? {
        statement.isNull(Int32(column)) ? nil : try sessionID(column)
    }
}
