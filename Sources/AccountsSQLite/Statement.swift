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
    /// How many bytes of bound values a statement keeps; SQLite copies what does not fit.
    private static let keptByteCount = 512

    private let handle: OpaquePointer
    /// The bytes of what is bound. SQLite would take memory anew for each, which costs more than the copy.
    private let kept: UnsafeMutableRawBufferPointer
    private var keptCount = 0

    init(database: OpaquePointer, text: String) throws(RepositoryError) {
        var handle: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(
            database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle = unsafe handle else {
            throw .unavailable(Unavailability(resultCode: code))
        }
        unsafe self.handle = handle
        unsafe kept = .allocate(byteCount: Self.keptByteCount, alignment: 1)
    }

    deinit {
        unsafe sqlite3_finalize(handle)
        unsafe kept.deallocate()
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
        keptCount = 0
    }

    /// A copy of those bytes that stays as it is until the bindings are cleared; nil when there is no room.
    private func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
        guard let room = unsafe kept.baseAddress, bytes.count <= Self.keptByteCount - keptCount else { return nil }
        defer { keptCount += bytes.count }
        // Safe: the copy ends inside `kept`, as the line above makes sure, and nothing bound before lies there.
        unsafe (room + keptCount).copyMemory(from: bytes.baseAddress ?? UnsafeRawPointer(room), byteCount: bytes.count)
        return unsafe UnsafeRawPointer(room + keptCount)
    }
}

/// Binding, each with the result code.
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
            let bytes = UnsafeRawBufferPointer(utf8)
            let kept = unsafe keep(bytes)
            let text = unsafe (kept ?? bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
            return unsafe csqlite_bind_text(handle, index, text, UInt64(bytes.count), kept == nil ? 1 : 0)
        }
    }

    func bindBlob(_ value: UnsafeRawBufferPointer, at index: Int32) -> Int32 {
        let kept = unsafe keep(value)
        return unsafe csqlite_bind_blob(
            handle, index, kept ?? value.baseAddress, UInt64(value.count), kept == nil ? 1 : 0)
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
        // As a blob: to end a text with a zero, which nobody here looks for, SQLite would copy it. The pointer must be
        // asked for before the length: asking may convert the value.
        guard let bytes = unsafe sqlite3_column_blob(handle, column) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
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
        guard let session = SessionID(blob(column)) else { throw .unavailable(.corrupt) }
        return session
    }
}

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
