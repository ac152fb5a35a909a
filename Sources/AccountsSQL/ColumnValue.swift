package import Accounts

/// What a column gets, where the statement is made from a list of columns.
package enum ColumnValue: Bindable {
    case null
    case integer(Int64)
    case text(String)
    case session(SessionID)
    case hash(TokenHash)

    static func optional(_ number: Int64?) -> ColumnValue { number.map { .integer($0) } ?? .null }
    static func optional(_ text: String?) -> ColumnValue { text.map { .text($0) } ?? .null }
    static func optional(_ hash: TokenHash?) -> ColumnValue { hash.map { .hash($0) } ?? .null }

    package func bind(to statement: any Statement, at index: Int32) throws(RepositoryError) {
        switch self {
        case .null: try statement.bindNull(at: index)
        case .integer(let number): try statement.bindInteger(number, at: index)
        case .text(let text): try statement.bindText(text, at: index)
        case .session(let id): try id.bind(to: statement, at: index)
        case .hash(let hash): try hash.bind(to: statement, at: index)
        }
    }
}
