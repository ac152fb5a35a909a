internal import COpenSSL
public import EventLoop
internal import Synchronization

/// The certificates that a listener serves, of which each client gets the one for the name it asks for.
public final class TLSServer: Sendable {
    private let current: Mutex<ContextSet>

    /// - Parameters:
    ///   - certificates: at least one; who asks for no name, or for one of none of them, gets the first.
    ///   - clientAuthority: PEM: who issues the certificates that clients may show; nil where none is asked for.
    /// - Throws: ``CertificateFault``.
    public init(
        _ certificates: [ServerCertificate], clientAuthority: [UInt8]? = nil
    ) throws(CertificateFault) {
        current = Mutex(try ContextSet(certificates, clientAuthority))
    }

    /// Serves others from now on. Connections that there are go on as they began. One that can't be served changes
    /// nothing.
    public func use(_ certificates: [ServerCertificate], clientAuthority: [UInt8]? = nil) throws(CertificateFault) {
        let next = try ContextSet(certificates, clientAuthority)
        current.withLock { $0 = next }
    }

    /// When the certificates end, with the names they are for, in the order in which they were given.
    public var validity: [(names: [String], notAfter: Int64)] {
        current.withLock { $0.certificates.map { ($0.names, $0.notAfter) } }
    }

    /// Begins with a connection that was accepted.
    ///
    /// - Returns: nil where there is no memory for it.
    public func stream(over socket: consuming StreamSocket) -> TLSStream? {
        TLSStream(consume socket, current.withLock(\.self))
    }
}

/// The one owner of an `SSL_CTX`.
// Proof: nothing changes a context after it is made, and OpenSSL counts the connections that use it.
@safe private final class Context: @unchecked Sendable {
    let pointer: OpaquePointer
    let certificate: ServerCertificate

    init(_ certificate: ServerCertificate, _ authorities: [CertificateHandle]) throws(CertificateFault) {
        guard let pointer = unsafe SSL_CTX_new(TLS_server_method()) else { throw .refused }
        unsafe self.pointer = pointer
        self.certificate = certificate
        let own = unsafe certificate.chain[0].pointer
        guard unsafe COpenSSL_SSL_CTX_serve(pointer) == 1, unsafe SSL_CTX_use_certificate(pointer, own) == 1,
            unsafe SSL_CTX_use_PrivateKey(pointer, certificate.key) == 1,
            certificate.chain.dropFirst().allSatisfy({ unsafe COpenSSL_SSL_CTX_add_chain(pointer, $0.pointer) == 1 })
        else {
            ERR_clear_error()
            throw .refused
        }
        unsafe COpenSSL_SSL_CTX_speak_http(pointer)
        if authorities.isEmpty { return }
        for authority in authorities {
            guard unsafe X509_STORE_add_cert(SSL_CTX_get_cert_store(pointer), authority.pointer) == 1,
                unsafe SSL_CTX_add_client_CA(pointer, authority.pointer) == 1
            else { throw .noAuthority }
        }
        unsafe COpenSSL_SSL_CTX_ask_for_certificate(pointer)
    }

    deinit { unsafe SSL_CTX_free(pointer) }
}

/// What OpenSSL serves from: a context for each certificate.
final class ContextSet: Sendable {
    private let contexts: [Context]
    /// Whether clients may show certificates.
    let asksForCertificate: Bool
    /// Whether a handshake may hold up a loop.
    let signsSlowly: Bool

    var certificates: [ServerCertificate] { contexts.map(\.certificate) }

    init(_ certificates: [ServerCertificate], _ clientAuthority: [UInt8]?) throws(CertificateFault) {
        if certificates.isEmpty { throw .noCertificate }
        let authorities = clientAuthority.map { CertificateHandle.all(in: $0) }
        if authorities?.isEmpty ?? false { throw .noAuthority }
        asksForCertificate = authorities != nil
        signsSlowly = !certificates.allSatisfy(\.signsQuickly)
        var contexts: [Context] = []
        for certificate in certificates { contexts.append(try Context(certificate, authorities ?? [])) }
        self.contexts = contexts
        guard contexts.count > 1 else { return }
        for context in contexts {
            unsafe COpenSSL_SSL_CTX_choose_by_name(
                context.pointer,
                { connection, _, set in
                    guard let connection = unsafe connection, let set = unsafe set else { return SSL_TLSEXT_ERR_OK }
                    // Safe: the connection's stream keeps the set.
                    unsafe Unmanaged<ContextSet>.fromOpaque(set).takeUnretainedValue().choose(connection)
                    return SSL_TLSEXT_ERR_OK
                }, Unmanaged.passUnretained(self).toOpaque())
        }
    }

    /// - Returns: nil where there is no memory for it.
    func connection() -> OpaquePointer? {
        guard let first = contexts.first else { return nil }
        return unsafe SSL_new(first.pointer)
    }

    private func choose(_ connection: OpaquePointer) {
        guard let name = unsafe COpenSSL_SSL_name(connection),
            let context = contexts.first(where: { unsafe $0.certificate.chain[0].isFor(name) })
        else { return }
        unsafe SSL_set_SSL_CTX(connection, context.pointer)
    }
}
