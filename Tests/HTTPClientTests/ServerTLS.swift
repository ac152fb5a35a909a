import COpenSSL
import Glibc

/// TLS on a server's end of a connection, with calls that block; for the thread that made it.
///
/// Safe: what it points at is freed with it, and OpenSSL gets each buffer with its length.
@safe final class ServerTLS {
    private let context: OpaquePointer
    private let session: OpaquePointer

    /// Shakes hands on a connected socket.
    init(_ descriptor: Int32, as authority: TestAuthority) throws {
        // OpenSSL writes to sockets with `write`, which has no flag against the signal.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        guard let context = unsafe SSL_CTX_new(TLS_server_method()) else { throw ScriptedServerError() }
        let isReady =
            unsafe SSL_CTX_use_certificate_file(context, authority.certificate, SSL_FILETYPE_PEM) == 1
            && SSL_CTX_use_PrivateKey_file(context, authority.key, SSL_FILETYPE_PEM) == 1
        guard isReady, let session = unsafe SSL_new(context) else {
            unsafe SSL_CTX_free(context)
            throw ScriptedServerError()
        }
        (unsafe self.context, unsafe self.session) = unsafe (context, session)
        guard unsafe SSL_set_fd(session, descriptor) == 1, unsafe SSL_accept(session) == 1 else {
            throw ScriptedServerError()
        }
    }

    deinit {
        unsafe SSL_free(session)
        unsafe SSL_CTX_free(context)
    }

    /// - Returns: how many bytes came; none at the end.
    func receive(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        max(0, Int(unsafe SSL_read(session, buffer.baseAddress, Int32(buffer.count))))
    }

    /// - Returns: how many bytes, of at least one, went; none when the client is gone.
    func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        max(0, Int(unsafe SSL_write(session, bytes.baseAddress, Int32(bytes.count))))
    }

    /// Tells the client that no more comes (RFC 8446 §6.1).
    func notifyClose() { unsafe SSL_shutdown(session) }
}
