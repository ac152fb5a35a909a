internal import CPostgres
import Glibc

/// libpq's handle of one connection; its only owner. Nothing here waits.
// @safe: the handle lives as long as this object and never leaves it.
@safe
final class Handle {
    /// How far what was to be sent has come.
    enum Flushed { case all, some, failed }

    private let connection: OpaquePointer

    /// Begins to connect. Nothing is looked up, since every name comes with its address.
    ///
    /// - Returns: nil when there is no memory.
    init?(_ parameters: [String: String]) {
        let entries = Array(parameters)
        var keywords: [UnsafePointer<CChar>?] = unsafe entries.map { unsafe UnsafePointer(strdup($0.key)) } + [nil]
        var values: [UnsafePointer<CChar>?] = unsafe entries.map { unsafe UnsafePointer(strdup($0.value)) } + [nil]
        defer { unsafe (keywords + values).forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
        // Safe: both lists are of one length and end with nil, and libpq copies what is in them.
        guard let connection = unsafe PQconnectStartParams(&keywords, &values, 0) else { return nil }
        unsafe self.connection = unsafe connection
        // Its messages quote values, and would go to standard error. Of an error that has no result only the message
        // tells the code, and it tells nothing more in this way.
        _ = unsafe PQsetNoticeReceiver(connection, { _, _ in }, nil)
        _ = unsafe PQsetErrorVerbosity(connection, PQERRORS_SQLSTATE)
    }

    deinit {
        unsafe PQfinish(connection)
    }

    /// -1 when there is none, or none any more. While it connects, libpq closes one and opens another without a word.
    var socket: Int32 { unsafe PQsocket(connection) }

    var isBad: Bool { unsafe PQstatus(connection) == CONNECTION_BAD }

    /// Takes the next step of connecting, when the socket is ready for what the last one has asked for.
    func poll() -> PostgresPollingStatusType { unsafe PQconnectPoll(connection) }

    /// Turns a connection that has just been made into one for many callers.
    func enterPipeline() -> Bool {
        unsafe PQsetnonblocking(connection, 1) == 0 && PQenterPipelineMode(connection) == 1
    }

    /// Why there is no connection. Where a server has refused, its code is the last word of libpq's message.
    var connectFailure: ConnectFailure {
        guard let text = unsafe PQerrorMessage(connection) else { return .unreachable }
        return ConnectFailure(message: unsafe String(cString: text))
    }

    /// Whether the last Sync has left a transaction open. While anything else is under way libpq does not tell.
    var isInTransaction: Bool {
        [PQTRANS_INTRANS, PQTRANS_INERROR].contains(unsafe PQtransactionStatus(connection))
    }

    // MARK: Sending, each with whether libpq has taken it

    /// - Parameter name: empty for once.
    func prepare(_ statement: Statement, as name: String) -> Bool {
        let types = statement.types?.map { $0?.identifier ?? 0 } ?? []
        // Safe: there are as many types as it is told, and libpq copies them and the text.
        return unsafe PQsendPrepare(connection, name, statement.text, Int32(types.count), types) == 1
    }

    func run(_ command: Command, preparedAs name: String) -> Bool {
        let values = EncodedValues(command.values)
        let formats = [Int32](repeating: 1, count: values.count)
        return unsafe values.withPointers { pointers in
            // Safe: each of the lists has as many entries as it is told, and libpq copies the values.
            unsafe PQsendQueryPrepared(
                connection, name, Int32(values.count), pointers, values.lengths, formats, 1) == 1
        }
    }

    func sync() -> Bool { unsafe PQpipelineSync(connection) == 1 }

    func flush() -> Flushed {
        switch unsafe PQflush(connection) {
        case 0: .all
        case 1: .some
        default: .failed
        }
    }

    // MARK: Receiving

    /// Reads what has come.
    ///
    /// - Returns: false when the connection has ended. What came before is still there.
    func consume() -> Bool { unsafe PQconsumeInput(connection) == 1 }

    /// Whether ``nextResult()`` would wait.
    var isBusy: Bool { unsafe PQisBusy(connection) == 1 }

    /// - Returns: nil at the end of what one statement has given back.
    func nextResult() -> Rows? {
        guard let result = unsafe PQgetResult(connection) else { return nil }
        return unsafe Rows(owning: result)
    }
}
