import Accounts
import CSQLite

/// A text of SQL, by its identity: connections prepare each once and find it again without looking at the text.
final class Query: Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}

/// A prepared statement; the only owner of its handle. While it stands on a row, it reads that row's columns.
// @safe: the handle lives as long as this object and never leaves it; a pointer SQLite gives is read at once.
@safe final class Statement {
    private let handle: OpaquePointer

    init(database: OpaquePointer, text: String) throws(RepositoryError) {
        var handle: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(
            database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle = unsafe handle else {
            throw .unavailable(Unavailability(resultCode: code))
        }
        unsafe self.handle = handle
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    func bind(_ value: some Bindable, at index: Int32) throws(RepositoryError) {
        let code = value.bind(to: self, at: index)
        guard code == SQLITE_OK else { throw .unavailable(Unavailability(resultCode: code)) }
    }

    /// - Returns: whether there is a row to read.
    func step() throws(RepositoryError) -> Bool {
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw .unavailable(Unavailability(resultCode: code))
        }
    }

    /// Makes it ready for the next use, and lets go of the snapshot it read from. What it returns is the error `step`
    /// has thrown already.
    func reset() {
        _ = unsafe sqlite3_reset(handle)
        _ = unsafe sqlite3_clear_bindings(handle)
    }
}

/// Binding, each with the result code. SQLite copies texts and blobs while it binds them: their storage is only promised
/// for the length of a closure, and copying a few dozen bytes costs less than the nesting that would avoid it.
extension Statement {
    func bindNull(at index: Int32) -> Int32 {
        unsafe sqlite3_bind_null(handle, index)
    }

    func bindInteger(_ value: Int64, at index: Int32) -> Int32 {
        unsafe sqlite3_bind_int64(handle, index, value)
    }

    func bindText(_ value: String, at index: Int32) -> Int32 {
        var value = value
        return value.withUTF8 { utf8 in
            unsafe UnsafeRawBufferPointer(utf8).withMemoryRebound(to: CChar.self) { text in
                unsafe csqlite_bind_text(handle, index, text.baseAddress, UInt64(text.count))
            }
        }
    }

    func bindBlob(_ value: UnsafeRawBufferPointer, at index: Int32) -> Int32 {
        unsafe csqlite_bind_blob(handle, index, value.baseAddress, UInt64(value.count))
    }
}

/// Columns of the row it stands on, the first being 0.
extension Statement {
    func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    /// Whether a text or blob has nothing in it, or is NULL.
    func isEmpty(_ column: Int32) -> Bool {
        unsafe sqlite3_column_bytes(handle, column) == 0
    }

    func integer(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(handle, column)
    }

    func optionalInteger(_ column: Int32) -> Int64? {
        isNull(column) ? nil : integer(column)
    }

    func text(_ column: Int32) -> String {
        // The pointer must be asked for before the length: asking converts the value.
        guard let bytes = unsafe sqlite3_column_text(handle, column) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? {
        isNull(column) ? nil : text(column)
    }

    func blob(_ column: Int32) -> [UInt8] {
        guard let bytes = unsafe sqlite3_column_blob(handle, column) else { return [] }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// - Throws: `.unavailable(.corrupt)` when the column holds no digest.
    func hash(_ column: Int32) throws(RepositoryError) -> TokenHash {
        // A blob of no bytes has no address.
        guard let bytes = unsafe sqlite3_column_blob(handle, column) else { throw .unavailable(.corrupt) }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
        guard let hash = unsafe TokenHash(buffer.assumingMemoryBound(to: UInt8.self).span) else {
            throw .unavailable(.corrupt)
        }
        return hash
    }

    /// - Throws: `.unavailable(.corrupt)` when the column holds no session id.
    func sessionID(_ column: Int32) throws(RepositoryError) -> SessionID {
        let bytes = blob(column)
        guard bytes.count == 16 else { throw .unavailable(.corrupt) }
        return SessionID(
            high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }, low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
    }
}
