public import Accounts

/// A statement with its values, made by an engine. While it stands on a row, it reads that row's columns.
open class Statement {
    public init() {}

    /// - Returns: whether there is a row to read.
    open func step() throws(RepositoryError) -> Bool { false }

    /// Makes it ready for the next use.
    open func reset() {}

    // MARK: Binding, the first place being 1

    open func bindNull(at index: Int32) throws(RepositoryError) {}
    open func bindInteger(_ value: Int64, at index: Int32) throws(RepositoryError) {}
    open func bindText(_ value: String, at index: Int32) throws(RepositoryError) {}
    open func bindBlob(_ value: UnsafeRawBufferPointer, at index: Int32) throws(RepositoryError) {}

    package final func bind(_ value: some Bindable, at index: Int32) throws(RepositoryError) {
        try value.bind(to: self, at: index)
    }

    // MARK: Columns of the row it stands on, the first being 0

    open func isNull(_ column: Int32) -> Bool { true }
    /// Whether a text or blob has nothing in it, or is NULL.
    open func isEmpty(_ column: Int32) -> Bool { true }
    /// A number; 1 and 0 for what is true and what is not.
    open func integer(_ column: Int32) -> Int64 { 0 }
    open func text(_ column: Int32) -> String { "" }
    open func blob(_ column: Int32) -> [UInt8] { [] }

    /// - Throws: `.unavailable(.corrupt)` when the column holds no digest.
    open func hash(_ column: Int32) throws(RepositoryError) -> TokenHash {
        guard let hash = TokenHash(blob(column)) else { throw .unavailable(.corrupt) }
        return hash
    }

    package final func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    package final func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// - Throws: `.unavailable(.corrupt)` when the column holds no session id.
    package final func sessionID(_ column: Int32) throws(RepositoryError) -> SessionID {
        guard let session = SessionID(blob(column)) else { throw .unavailable(.corrupt) }
        return session
    }
}
