import Accounts
import AccountsSQL
import CSQLite
import Glibc
import System

/// A prepared statement; the only owner of its handle. While it stands on a row, it reads that row's columns.
// @safe: the handle lives as long as this object and never leaves it; a pointer SQLite gives is read at once.
@safe final class SQLiteStatement: Statement {
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

    private func check(_ code: Int32) throws(RepositoryError) {
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

    func bindNull(at index: Int32) throws(RepositoryError) {
        try check(unsafe sqlite3_bind_null(handle, index))
    }

    func bindInteger(_ value: Int64, at index: Int32) throws(RepositoryError) {
        try check(unsafe sqlite3_bind_int64(handle, index, value))
    }

    func bindText(_ value: String, at index: Int32) throws(RepositoryError) {
        var value = value
        let code: Int32? = value.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            // SQLite would take a NUL; PostgreSQL takes none, and a store that is copied there must go on.
            if let start = bytes.baseAddress, unsafe memchr(start, 0, bytes.count) != nil { return nil }
            let kept = unsafe keep(bytes)
            let text = unsafe (kept ?? bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
            return unsafe csqlite_bind_text(handle, index, text, UInt64(bytes.count), kept == nil ? 1 : 0)
        }
        guard let code else { throw .unstorableText }
        try check(code)
    }

    func bindBlob(_ value: UnsafeRawBufferPointer, at index: Int32) throws(RepositoryError) {
        let kept = unsafe keep(value)
        try check(
            unsafe csqlite_bind_blob(
                handle, index, kept ?? value.baseAddress, UInt64(value.count), kept == nil ? 1 : 0))
    }

    func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    func isEmpty(_ column: Int32) -> Bool {
        unsafe sqlite3_column_bytes(handle, column) == 0
    }

    func integer(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(handle, column)
    }

    func text(_ column: Int32) -> String {
        // As a blob: to end a text with a zero, which nobody here looks for, SQLite would copy it. The pointer must be
        // asked for before the length: asking may convert the value.
        guard let bytes = unsafe sqlite3_column_blob(handle, column) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func blob(_ column: Int32) -> [UInt8] {
        guard let bytes = unsafe sqlite3_column_blob(handle, column) else { return [] }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
    }

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
}

extension Unavailability {
    /// Names an extended result code of SQLite. The primary code is in its low byte.
    init(resultCode code: Int32) {
        switch code & 0xFF {
        case SQLITE_FULL: self = .diskFull
        case SQLITE_READONLY: self = .readOnly
        case SQLITE_BUSY, SQLITE_LOCKED: self = .locked
        case SQLITE_CORRUPT: self = .corrupt
        case SQLITE_NOTADB: self = .notADatabase
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: self = .cannotOpen
        case SQLITE_IOERR: self = .inputOutput
        case SQLITE_NOMEM: self = .outOfMemory
        default: self = .engine(code: code)
        }
    }

    /// Whether a connection that met this is still good when the cause goes. One that met anything worse may hold on
    /// to a file that was replaced, or to having found it read-only, so it is opened anew.
    var leavesConnectionUsable: Bool {
        switch self {
        case .diskFull, .locked, .overloaded, .brokenSeal: true
        case .readOnly, .corrupt, .notADatabase, .cannotOpen, .inputOutput, .outOfMemory, .closed, .engine,
            .cannotConnect, .settingsRefused,
            .tooManyConnections, .uncertain, .clock, .behind, .server:
            false
        }
    }
}
