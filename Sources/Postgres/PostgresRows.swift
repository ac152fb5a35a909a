internal import CPostgres

/// What a statement has given: rows, of which a column is read by its number, the first being 0; none for a statement that
/// returns nothing.
// @safe: the result lives as long as this object and never leaves it; what a pointer into it shows is copied at once.
@safe public final class PostgresRows: @unchecked Sendable {
    // Unchecked: a result is never changed once libpq has given it, and what reads it changes nothing.
    private let result: OpaquePointer

    public let count: Int
    private let columns: Int32

    /// Takes over a result of libpq's.
    init(owning result: OpaquePointer) {
        unsafe self.result = result
        count = Int(unsafe PQntuples(result))
        columns = unsafe PQnfields(result)
    }

    deinit {
        unsafe PQclear(result)
    }

    /// How many rows an INSERT, UPDATE or DELETE has touched, or a SELECT has given.
    public var affected: Int {
        guard let text = unsafe PQcmdTuples(result) else { return 0 }
        return Int(unsafe String(cString: text)) ?? 0
    }

    /// - Throws: `PostgresError.unreadable` for a row that is not there.
    public subscript(row: Int) -> Row {
        get throws(PostgresError) {
            guard row >= 0, row < count else { throw .unreadable }
            return Row(rows: self, index: Int32(row))
        }
    }

    public var first: Row? { count > 0 ? Row(rows: self, index: 0) : nil }

    /// The bytes of a value; nil where it is null.
    fileprivate func bytes(_ row: Int32, _ column: Int32) throws(PostgresError) -> [UInt8]? {
        guard column >= 0, column < columns else { throw .unreadable }
        if unsafe PQgetisnull(result, row, column) == 1 { return nil }
        let count = unsafe Int(PQgetlength(result, row, column))
        guard let start = unsafe PQgetvalue(result, row, column) else { throw .unreadable }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// One row. Each of its readers throws `PostgresError.unreadable` for a column that is not there, is null where that is not
    /// asked for, or has a value of another type.
    public struct Row: Sendable {
        let rows: PostgresRows
        let index: Int32

        public func isNull(_ column: Int32) throws(PostgresError) -> Bool { try rows.bytes(index, column) == nil }

        public func bytes(_ column: Int32) throws(PostgresError) -> [UInt8] { try present(optionalBytes(column)) }

        public func optionalBytes(_ column: Int32) throws(PostgresError) -> [UInt8]? { try rows.bytes(index, column) }

        public func text(_ column: Int32) throws(PostgresError) -> String { try present(optionalText(column)) }

        public func optionalText(_ column: Int32) throws(PostgresError) -> String? {
            guard let bytes = try rows.bytes(index, column) else { return nil }
            return try present(String(validating: bytes, as: UTF8.self))
        }

        /// Of `int8`, `int4` or `int2`.
        public func integer(_ column: Int32) throws(PostgresError) -> Int64 { try present(optionalInteger(column)) }

        public func optionalInteger(_ column: Int32) throws(PostgresError) -> Int64? {
            guard let bytes = try rows.bytes(index, column) else { return nil }
            guard [2, 4, 8].contains(bytes.count), let first = bytes.first else { throw .unreadable }
            // The first bit is the sign.
            let sign: Int64 = first & 0x80 == 0 ? 0 : -1
            return bytes.reduce(sign) { $0 << 8 | Int64($1) }
        }

        public func boolean(_ column: Int32) throws(PostgresError) -> Bool {
            let bytes = try present(rows.bytes(index, column))
            guard bytes.count == 1 else { throw .unreadable }
            return bytes[0] != 0
        }

        private func present<Value>(_ value: Value?) throws(PostgresError) -> Value {
            guard let value else { throw .unreadable }
            return value
        }
    }
}
