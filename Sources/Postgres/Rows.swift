internal import CPostgres

/// What a statement has given back: rows, or how many it has changed.
// @safe: the handle lives as long as this object and never leaves it; each look at a value is inside of its bounds.
@safe
public final class Rows: RandomAccessCollection, @unchecked Sendable {
    // Unchecked: a result is never changed once it is here, and libpq reads one from any thread.
    private let result: OpaquePointer
    fileprivate let columns: Int32

    public let startIndex = 0
    public let endIndex: Int

    /// Takes ownership of a result.
    init(owning result: OpaquePointer) {
        unsafe self.result = unsafe result
        endIndex = Int(unsafe PQntuples(result))
        columns = unsafe PQnfields(result)
    }

    deinit {
        unsafe PQclear(result)
    }

    public subscript(index: Int) -> Row {
        precondition(indices.contains(index), "there is no such row")
        return Row(rows: self, index: Int32(index))
    }

    /// How many rows a statement has inserted, updated, deleted or returned; 0 for any other.
    public var affected: Int { unsafe PQcmdTuples(result).flatMap { unsafe Int(String(cString: $0)) } ?? 0 }

    /// What the server calls that which it has done, such as `COMMIT`.
    var tag: String { unsafe PQcmdStatus(result).map { unsafe String(cString: $0) } ?? "" }

    var status: ExecStatusType { unsafe PQresultStatus(result) }

    /// What the server has refused the statement with; nil for an error that libpq has made up.
    var state: SQLState? {
        field(cpostgres_sqlstate).map { SQLState(code: $0, constraint: field(cpostgres_constraint) ?? "") }
    }

    /// Whether the server has ended the session with it.
    var endsSession: Bool { ["FATAL", "PANIC"].contains(field(cpostgres_severity) ?? "") }

    private func field(_ code: Int32) -> String? {
        unsafe PQresultErrorField(result, code).map { unsafe String(cString: $0) }
    }

    /// Reads a value's bytes; `body` is not called for NULL.
    ///
    /// - Throws: `unexpectedResult` when there is no such column, it is of no such type, or `body` makes nothing of it.
    fileprivate func read<Result>(
        _ row: Int32, _ column: Int, _ types: [UInt32], _ body: (UnsafeRawBufferPointer) -> Result?
    ) throws(PostgresError) -> Result? {
        guard (0..<Int(columns)).contains(column), let column = Int32(exactly: column),
            types.contains(unsafe PQftype(result, column)), unsafe PQfformat(result, column) == 1
        else { throw .unexpectedResult }
        guard unsafe PQgetisnull(result, row, column) == 0 else { return nil }
        // Safe: row and column are there, and libpq tells how long the value is.
        let bytes = unsafe UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
        guard let value = unsafe body(bytes) else { throw .unexpectedResult }
        return value
    }
}

extension Rows {
    fileprivate func raw(_ row: Int32, _ column: Int) -> [UInt8]? {
        guard (0..<Int(columns)).contains(column), let column = Int32(exactly: column),
            unsafe PQgetisnull(result, row, column) == 0
        else { return nil }
        // Safe: row and column are there, and libpq tells how long the value is.
        return unsafe [UInt8](
            UnsafeRawBufferPointer(
                start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column))))
    }
}

/// One row of a result. A column is named by its place, the first being 0.
///
/// Each reader throws `unexpectedResult` when there is no such column, or something else in it; those that are not
/// optional also for NULL.
public struct Row: Sendable {
    fileprivate let rows: Rows
    fileprivate let index: Int32

    /// How many columns it has.
    public var columnCount: Int { Int(rows.columns) }

    /// An `int8`, `int4` or `int2`.
    public func optionalInteger(_ column: Int) throws(PostgresError) -> Int64? {
        try unsafe rows.read(index, column, [20, 23, 21]) { bytes in
            guard let first = unsafe bytes.first, [2, 4, 8].contains(bytes.count) else { return nil }
            let sign: Int64 = first & 0x80 == 0 ? 0 : -1
            return unsafe bytes.reduce(sign) { $0 << 8 | Int64($1) }
        }
    }

    /// A `text` or `varchar`, or a name.
    public func optionalText(_ column: Int) throws(PostgresError) -> String? {
        try unsafe rows.read(index, column, [25, 1043, 19]) { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// A `bytea`.
    public func optionalBytes(_ column: Int) throws(PostgresError) -> [UInt8]? {
        try unsafe rows.read(index, column, [17]) { unsafe [UInt8]($0) }
    }

    /// A `boolean`.
    public func optionalBool(_ column: Int) throws(PostgresError) -> Bool? {
        try unsafe rows.read(index, column, [16]) { unsafe $0.first.map { $0 != 0 } }
    }

    /// The bytes of a value as the protocol carries it, whatever its type; nil for NULL, and where there is no such
    /// column.
    public func rawValue(_ column: Int) -> [UInt8]? { rows.raw(index, column) }

    public func integer(_ column: Int) throws(PostgresError) -> Int64 { try present(optionalInteger(column)) }

    public func text(_ column: Int) throws(PostgresError) -> String { try present(optionalText(column)) }

    public func bytes(_ column: Int) throws(PostgresError) -> [UInt8] { try present(optionalBytes(column)) }

    public func bool(_ column: Int) throws(PostgresError) -> Bool { try present(optionalBool(column)) }

    private func present<Result>(_ value: Result?) throws(PostgresError) -> Result {
        guard let value else { throw .unexpectedResult }
        return value
    }
}
