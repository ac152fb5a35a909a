import Accounts

/// A value that a statement takes.
protocol Bindable {
    /// - Returns: the result code.
    func bind(to statement: Statement, at index: Int32) -> Int32
}

extension Int64: Bindable {
    func bind(to statement: Statement, at index: Int32) -> Int32 {
        statement.bindInteger(self, at: index)
    }
}

extension String: Bindable {
    func bind(to statement: Statement, at index: Int32) -> Int32 {
        statement.bindText(self, at: index)
    }
}

extension [UInt8]: Bindable {
    func bind(to statement: Statement, at index: Int32) -> Int32 {
        unsafe withUnsafeBytes { unsafe statement.bindBlob($0, at: index) }
    }
}

extension TokenHash: Bindable {
    func bind(to statement: Statement, at index: Int32) -> Int32 {
        let bytes = (
            words.0.littleEndian, words.1.littleEndian, words.2.littleEndian, words.3.littleEndian
        )
        return unsafe withUnsafeBytes(of: bytes) { unsafe statement.bindBlob($0, at: index) }
    }
}

extension SessionID: Bindable {
    // The time's bytes come first, so that the order of the keys on disk is the order of making.
    func bind(to statement: Statement, at index: Int32) -> Int32 {
        unsafe withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { unsafe statement.bindBlob($0, at: index) }
    }
}

extension UserID: Bindable {
    func bind(to statement: Statement, at index: Int32) -> Int32 {
        statement.bindInteger(rawValue, at: index)
    }
}

extension IdentityID: Bindable {
    func bind(to statement: Statement, at index: Int32) -> Int32 {
        statement.bindInteger(rawValue, at: index)
    }
}

extension Optional: Bindable where Wrapped: Bindable {
    func bind(to statement: Statement, at index: Int32) -> Int32 {
        switch self {
        case let value?: value.bind(to: statement, at: index)
        case nil: statement.bindNull(at: index)
        }
    }
}
