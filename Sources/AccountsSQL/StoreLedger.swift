public import Accounts

/// What outlives a database: the records that one which is put back in time would undo, and how far it had come.
///
/// All instances of a store have the same ledger. It lies where nothing that befalls the database befalls it too.
public protocol StoreLedger: Sendable {
    /// Adds the lines that are not there, and returns when all of them are on disk.
    ///
    /// - Parameter lines: with the numbers that they begin with.
    func append(_ lines: [(number: Int64, line: String)]) async throws(RepositoryError)

    /// Changes how far the store had come, as nobody else does meanwhile.
    ///
    /// - Parameter change: makes what is noted of what was noted; nil leaves it as it is.
    /// - Returns: what is noted now; nil where nothing is.
    func note(_ change: @escaping @Sendable (String?) -> String?) async throws(RepositoryError) -> String?

    /// The lines of records behind a number, in no order, some of them perhaps twice.
    func lines(after number: Int64) async throws(RepositoryError) -> [String]

    func close() async
}
