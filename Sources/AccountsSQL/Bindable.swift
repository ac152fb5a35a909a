package import Accounts

/// A value that a statement takes.
package protocol Bindable {
    func bind(to statement: any Statement, at index: Int32) throws(RepositoryError)
}

extension Int64: Bindable {
    package func bind(to statement: any Statement, at index: Int32) throws(RepositoryError) {
        try statement.bindInteger(self, at: index)
    }
}

extension String: Bindable {
    package func bind(to statement: any Statement, at index: Int32) throws(RepositoryError) {
        try statement.bindText(self, at: index)
    }
}

extension [UInt8]: Bindable {
    package func bind(to statement: any Statement, at index: Int32) throws(RepositoryError) {
        unsafe try span.withUnsafeBytes { bytes throws(RepositoryError) in
            unsafe try statement.bindBlob(bytes, at: index)
        }
    }
}

extension TokenHash: Bindable {
    package func bind(to statement: any Statement, at index: Int32) throws(RepositoryError) {
        let bytes = (
            words.0.littleEndian, words.1.littleEndian, words.2.littleEndian, words.3.littleEndian
        )
        unsafe try withUnsafeBytes(of: bytes) { bytes throws(RepositoryError) in
            unsafe try statement.bindBlob(bytes, at: index)
        }
    }
}

extension SessionID: Bindable {
    // The time's bytes come first, so that the order of the keys on disk is the order of making.
    package func bind(to statement: any Statement, at index: Int32) throws(RepositoryError) {
        unsafe try withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes throws(RepositoryError) in
            unsafe try statement.bindBlob(bytes, at: index)
        }
    }
}

extension UserID: Bindable {
    package func bind(to statement: any Statement, at index: Int32) throws(RepositoryError) {
        try statement.bindInteger(rawValue, at: index)
    }
}

extension IdentityID: Bindable {
    package func bind(to statement: any Statement, at index: Int32) throws(RepositoryError) {
        try statement.bindInteger(rawValue, at: index)
    }
}

extension Optional: Bindable where Wrapped: Bindable {
    package func bind(to statement: any Statement, at index: Int32) throws(RepositoryError) {
        switch self {
        case let value?: try value.bind(to: statement, at: index)
        case nil: try statement.bindNull(at: index)
        }
    }
}

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
