internal import CPostgres

/// A connection of libpq's; the only owner of its handle. None of its functions blocks.
// @safe: the handle lives as long as this object and never leaves it; what is handed to libpq is copied before a call returns.
@safe final class ConnectionHandle {
    enum Poll { case wantsToRead, wantsToWrite, done, failed }

    enum Flush { case done, pending, failed }

    enum Outcome {
        case rows(PostgresRows)
        case failure(SQLState, constraint: String?)
        /// It came behind a failure.
        case skipped
        /// Everything up to a Sync has been answered.
        case synchronized
        /// Not the server's word, but libpq's: it has no more to say.
        case lost
    }

    private let handle: OpaquePointer

    /// Begins to connect.
    ///
    /// - Returns: nil where there is no memory for it.
    init?(_ address: PostgresAddress) {
        let handle = unsafe withCStrings(address.keywords) { keywords in
            unsafe withCStrings(address.values) { values in unsafe PQconnectStartParams(keywords, values, 0) }
        }
        guard let handle = unsafe handle else { return nil }
        unsafe self.handle = handle
        // What the server warns of is not for our standard error.
        unsafe PQsetNoticeReceiver(handle, { _, _ in }, nil)
    }

    deinit {
        unsafe PQfinish(handle)
    }

    /// Its descriptor, which may change while it connects; -1 where it has none.
    var descriptor: Int32 { unsafe PQsocket(handle) }

    var isBroken: Bool { unsafe PQstatus(handle) == CONNECTION_BAD }

    /// Goes on connecting.
    func poll() -> Poll {
        switch unsafe PQconnectPoll(handle) {
        case PGRES_POLLING_READING: .wantsToRead
        case PGRES_POLLING_WRITING: .wantsToWrite
        case PGRES_POLLING_OK: .done
        default: .failed
        }
    }

    /// Why it did not connect, in libpq's words, on one line.
    var reason: String {
        guard let text = unsafe PQerrorMessage(handle) else { return "" }
        return unsafe String(cString: text).split(whereSeparator: \.isNewline).joined(separator: "; ")
    }

    /// - Returns: whether statements can be sent now without waiting for each other's results.
    func enterPipeline() -> Bool {
        unsafe PQsetnonblocking(handle, 1) == 0 && PQenterPipelineMode(handle) == 1
    }

    /// Asks to have a statement prepared under a name.
    func prepare(_ text: String, as name: String) -> Bool {
        unsafe PQsendPrepare(handle, name, text, 0, nil) == 1
    }

    /// Sends a statement by the name that it was prepared under, or by its text, with binary parameters and results.
    func send(_ call: PostgresCall, preparedAs name: String?) -> Bool {
        unsafe withParameters(call.values) { count, values, lengths, formats in
            if let name {
                unsafe PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) == 1
            } else {
                unsafe PQsendQueryParams(handle, call.statement.text, count, nil, values, lengths, formats, 1) == 1
            }
        }
    }

    /// Ends what belongs together: one implicit transaction.
    func synchronize() -> Bool { unsafe PQpipelineSync(handle) == 1 }

    func flush() -> Flush {
        switch unsafe PQflush(handle) {
        case 0: .done
        case 1: .pending
        default: .failed
        }
    }

    /// Reads what has come.
    ///
    /// - Returns: false when the connection is lost.
    func read() -> Bool { unsafe PQconsumeInput(handle) == 1 }

    /// Whether the next result has not come yet.
    var isWaiting: Bool { unsafe PQisBusy(handle) == 1 }

    /// The next result; nil between those of two statements.
    func next() -> Outcome? {
        guard let result = unsafe PQgetResult(handle) else { return nil }
        switch unsafe PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK: return unsafe .rows(PostgresRows(owning: result))
        case PGRES_PIPELINE_SYNC:
            unsafe PQclear(result)
            return .synchronized
        case PGRES_PIPELINE_ABORTED:
            unsafe PQclear(result)
            return .skipped
        default:
            defer { unsafe PQclear(result) }
            // The text of an error may have a value in it; its code and the constraint's name have none.
            guard let state = unsafe field(result, "C") else { return .lost }
            return unsafe .failure(SQLState(state), constraint: field(result, "n"))
        }
    }

    /// - Parameter name: PG_DIAG_SQLSTATE is "C", and PG_DIAG_CONSTRAINT_NAME "n".
    private func field(_ result: OpaquePointer, _ name: Unicode.Scalar) -> String? {
        guard let text = unsafe PQresultErrorField(result, Int32(name.value)) else { return nil }
        return unsafe String(cString: text)
    }
}

/// Shows texts to C as an array that ends with null.
private func withCStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    var bytes: [CChar] = []
    var starts: [Int] = []
    for text in texts {
        starts.append(bytes.count)
        bytes += text.utf8CString
    }
    return unsafe bytes.withUnsafeBufferPointer { buffer in
        // Safe: every start lies in the buffer, which the closure outlives.
        let pointers = unsafe starts.map { start -> UnsafePointer<CChar>? in
            guard let first = buffer.baseAddress else { return nil }
            return unsafe first + start
        }
        return unsafe body(pointers + [nil])
    }
}

/// Shows values to C as libpq takes them: pointers, null for null, and lengths, all of them binary.
private func withParameters(
    _ values: [PostgresValue],
    _ body: (
        Int32, UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>, UnsafePointer<Int32>
    ) -> Bool
) -> Bool {
    var bytes: [UInt8] = []
    var starts: [Int?] = []
    var lengths: [Int32] = []
    for value in values {
        let start = bytes.count
        starts.append(value.write(into: &bytes) ? start : nil)
        lengths.append(Int32(clamping: bytes.count - start))
    }
    // No bytes would have no address, and that would be null.
    bytes.append(0)
    let formats = [Int32](repeating: 1, count: values.count)
    return unsafe bytes.withUnsafeBytes { buffer in
        let first = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
        // Safe: every start lies in the buffer, whose last byte is beyond all of them.
        let pointers = unsafe starts.map { start -> UnsafePointer<CChar>? in
            guard let start, let first = unsafe first else { return nil }
            return unsafe first + start
        }
        return unsafe body(Int32(values.count), pointers, lengths, formats)
    }
}
