public import Accounts

/// A statement with its values, made by an engine, which answers all that stands here. While it stands on a row, it
/// reads that row's columns.
public protocol Statement: AnyObject {
    /// - Returns: whether there is a row to read.
    func step() throws(RepositoryError) -> Bool

    /// Makes it ready for the next use.
    func reset()

    // MARK: Binding, the first place being 1

    func bindNull(at index: Int32) throws(RepositoryError)
    func bindInteger(_ value: Int64, at index: Int32) throws(RepositoryError)
    func bindText(_ value: String, at index: Int32) throws(RepositoryError)
    func bindBlob(_ value: UnsafeRawBufferPointer, at index: Int32) throws(RepositoryError)

    // MARK: Columns of the row it stands on, the first being 0

    func isNull(_ column: Int32) -> Bool
    /// Whether a text or blob has nothing in it, or is NULL.
    func isEmpty(_ column: Int32) -> Bool
    /// A number; 1 and 0 for what is true and what is not.
    func integer(_ column: Int32) -> Int64
    func text(_ column: Int32) -> String
    func blob(_ column: Int32) -> [UInt8]
    /// - Throws: `.unavailable(.corrupt)` when the column holds no digest.
    func hash(_ column: Int32) throws(RepositoryError) -> TokenHash
}

extension Statement {
    package func bind(_ value: some Bindable, at index: Int32) throws(RepositoryError) {
        try value.bind(to: self, at: index)
    }

    package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// - Throws: `.unavailable(.corrupt)` when the column holds no session id.
    package func sessionID(_ column: Int32) throws(RepositoryError) -> SessionID {
        guard let session = SessionID(blob(column)) else { throw .unavailable(.corrupt) }
        return session
    }
}
