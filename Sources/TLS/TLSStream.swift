internal import COpenSSL
internal import Dispatch
public import EventLoop
internal import Glibc
public import System

/// A client's connection under TLS, with the calls of ``StreamSocket``. The handshake is a part of the first reads.
// Proof: a stream is used on the loop of its connection, and by one worker while it is away, when the loop does not
// touch what OpenSSL has of it.
@safe public final class TLSStream: @unchecked Sendable {
    /// A record holds no more (RFC 8446 §5.1).
    private static let recordBytes = 16_384
    /// Where handshakes are that sign slowly.
    private static let workers = DispatchQueue(label: "gatehouse.handshakes", attributes: .concurrent)

    private let socket: StreamSocket
    /// It holds what the connection was made of.
    private let contexts: ContextSet
    private let connection: OpaquePointer
    /// Whether OpenSSL has said that nothing more can come of it.
    private var hasFailed = false
    private var failure = SystemError(call: "SSL_write", code: ENOTCONN)
    /// Whether a worker goes on with the handshake.
    private var isAway = false

    init?(_ socket: consuming StreamSocket, _ contexts: ContextSet) {
        guard let connection = unsafe contexts.connection() else { return nil }
        unsafe self.connection = connection
        self.contexts = contexts
        self.socket = consume socket
        unsafe SSL_set_accept_state(connection)
        guard unsafe SSL_set_fd(connection, self.socket.number) == 1 else { return nil }
    }

    deinit { unsafe SSL_free(connection) }

    public var number: Int32 { socket.number }

    /// Whether both sides have not agreed yet.
    public var isHandshaking: Bool { unsafe isAway || SSL_is_init_finished(connection) == 0 }

    /// Whether there is more to be read that the socket will not announce.
    public var hasMore: Bool { unsafe !isAway && SSL_has_pending(connection) == 1 }

    /// Goes on with the handshake off the loop, where its signature would hold up all others there. Until it is back
    /// nothing is read or sent.
    ///
    /// - Parameter done: told on another thread once it can come back (``comeBack()``). A stream that nobody holds any
    ///   more does not sign.
    /// - Returns: false where the loop may as well do it.
    public func goAway(_ done: @escaping @Sendable () -> Void) -> Bool {
        // Before all else: what it has ended with is the worker's until it is back.
        if isAway { return true }
        guard contexts.signsSlowly, !hasFailed, isHandshaking else { return false }
        isAway = true
        Self.workers.async { [weak self] in
            self?.handshake()
            done()
        }
        return true
    }

    /// Is on the loop again.
    ///
    /// - Returns: whether the handshake has ended, well or not, of which the next call tells.
    public func comeBack() -> Bool {
        isAway = false
        return hasFailed || !isHandshaking
    }

    private func handshake() {
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(connection)
        guard result != 1 else { return }
        let reason = unsafe SSL_get_error(connection, result)
        if reason != SSL_ERROR_WANT_READ { fail("SSL_do_handshake", reason) }
    }

    /// The SHA-256 of the certificate that the client has shown and that its authority has issued; nil for none. Ask
    /// once both sides have agreed.
    public private(set) lazy var clientCertificate: [UInt8]? = {
        guard contexts.asksForCertificate, let shown = unsafe SSL_get1_peer_certificate(connection) else { return nil }
        defer { unsafe X509_free(shown) }
        guard unsafe SSL_get_verify_result(connection) == Int(X509_V_OK) else { return nil }
        var count: UInt32 = 0
        var hash = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        // Safe: the buffer is as long as any hash.
        let isMade = unsafe hash.withUnsafeMutableBufferPointer {
            unsafe X509_digest(shown, EVP_sha256(), $0.baseAddress, &count) == 1
        }
        return isMade ? Array(hash.prefix(Int(count))) : nil
    }()

    /// Reads as many bytes as are there and fit into `buffer`, over what it held.
    ///
    /// - Throws: `SystemError`; `EPROTO` for what is no TLS, or no TLS that is spoken here.
    public func receive(overwriting buffer: inout [UInt8]) throws(SystemError) -> StreamSocket.Received {
        guard !isAway else { return .wouldBlock }
        guard !hasFailed else { return .endOfStream }
        ERR_clear_error()
        // Safe: the buffer lives as long as the call.
        let count = unsafe buffer.withUnsafeMutableBytes {
            unsafe SSL_read(connection, $0.baseAddress, Int32(clamping: $0.count))
        }
        if count > 0 { return .bytes(Int(count)) }
        switch unsafe SSL_get_error(connection, count) {
        case SSL_ERROR_WANT_READ: return .wouldBlock
        case SSL_ERROR_ZERO_RETURN: return .endOfStream
        case let reason:
            fail("SSL_read", reason)
            throw failure
        }
    }

    /// Writes as much of `bytes`, from `offset` on, as the system takes now.
    ///
    /// - Returns: how many bytes it took; 0 when it would block.
    public func send(_ bytes: [UInt8], from offset: Int) throws(SystemError) -> Int {
        var sent = 0
        while offset + sent < bytes.count {
            // Safe: the bytes live as long as the call.
            let taken = unsafe bytes.withUnsafeBytes { raw in
                let record = unsafe raw[(offset + sent)...].prefix(Self.recordBytes)
                return unsafe write(UnsafeRawBufferPointer(rebasing: record))
            }
            guard let taken else { throw failure }
            if taken == 0 { break }
            sent += taken
        }
        return sent
    }

    /// Writes as much of `first` and, behind it, of `second` as the system takes now, from `offset` on, which counts
    /// over both. What fits into one record is one.
    ///
    /// - Returns: how many bytes it took; 0 when it would block.
    public func send(_ first: [UInt8], _ second: [UInt8], from offset: Int) throws(SystemError) -> Int {
        var sent = 0
        while offset + sent < first.count + second.count {
            let start = offset + sent
            if start >= first.count { return try sent + send(second, from: start - first.count) }
            // The rest of the first with the beginning of the second: a second record would cost more than the copy.
            let head = first[start...].prefix(Self.recordBytes)
            let record = head + second.prefix(Self.recordBytes - head.count)
            let taken = try send(Array(record), from: 0)
            sent += taken
            if taken < record.count { break }
        }
        return sent
    }

    public func disableNagle() { socket.disableNagle() }

    /// Says that nothing more will be sent (RFC 8446 §6.1), and ends the sending side.
    public func shutdownSending() {
        if !isHandshaking, !hasFailed { unsafe SSL_shutdown(connection) }
        socket.shutdownSending()
    }

    /// - Returns: how many bytes were taken; nil where it has failed.
    private func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
        // What is said before both have agreed would wait for a client that may never answer.
        guard !isHandshaking, !hasFailed else { return nil }
        ERR_clear_error()
        let count = unsafe SSL_write(connection, bytes.baseAddress, Int32(clamping: bytes.count))
        if count > 0 { return Int(count) }
        let reason = unsafe SSL_get_error(connection, count)
        if reason == SSL_ERROR_WANT_WRITE { return 0 }
        fail("SSL_write", reason)
        return nil
    }

    /// A client that does not take the few kilobytes of a handshake has failed, too.
    private func fail(_ call: String, _ reason: Int32) {
        let code = errno
        hasFailed = true
        failure = SystemError(call: call, code: reason == SSL_ERROR_SYSCALL && code != 0 ? code : EPROTO)
    }
}
