internal import COpenSSL
internal import Glibc
import System

/// The certificates that TLS connections of one policy are checked against, in the form that OpenSSL looks them up in.
///
/// Parsing the system's anchors costs more than a whole handshake, so it is done once for all loops and on none of
/// them.
@safe
final class TrustAnchors: @unchecked Sendable {
    // Unchecked: nothing changes the store after it is made, and OpenSSL guards what it remembers there by itself.

    /// An `X509_STORE`.
    let store: OpaquePointer
    /// Tells whether files read later say the same.
    let fingerprint: Int

    /// Reads both files, and blocks meanwhile.
    ///
    /// - Parameters:
    ///   - system: the system's file; one that can't be read counts as empty.
    ///   - extra: the policy's file.
    /// - Throws: `tlsFailed` when `extra` can't be read or has no certificate in it. Going on without it would turn a
    ///   mistake in a path into a riddle about certificates.
    init(system: String?, extra: String?) throws(HTTPClientError) {
        guard let store = unsafe X509_STORE_new() else { throw .tlsFailed }
        unsafe self.store = unsafe store
        // As curl does it: an intermediate authority that somebody put into the file is trusted as it is there.
        _ = unsafe X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        let ofSystem = system.flatMap(Self.contents) ?? []
        let ofPolicy = extra.map { Self.contents(of: $0) ?? [] }
        var hasher = Hasher()
        hasher.combine(ofSystem)
        hasher.combine(ofPolicy)
        fingerprint = hasher.finalize()
        unsafe Self.add(ofSystem, to: store)
        if let ofPolicy, unsafe Self.add(ofPolicy, to: store) == 0 { throw .tlsFailed }
    }

    deinit {
        unsafe X509_STORE_free(store)
    }

    /// - Returns: how many certificates there were.
    @discardableResult
    private static func add(_ pem: [UInt8], to store: OpaquePointer) -> Int {
        var count = 0
        // What ends the reading is an error to OpenSSL, be it the end of the file: it stays on this thread's queue
        // otherwise.
        defer { ERR_clear_error() }
        guard let bytes = Int32(exactly: pem.count) else { return 0 }
        unsafe pem.withUnsafeBytes { raw in
            guard let memory = unsafe BIO_new_mem_buf(raw.baseAddress, bytes) else { return }
            defer { unsafe BIO_free(memory) }
            while let certificate = unsafe PEM_read_bio_X509_AUX(memory, nil, nil, nil) {
                if unsafe X509_STORE_add_cert(store, certificate) == 1 { count += 1 }
                unsafe X509_free(certificate)
            }
        }
        return count
    }

    private static func contents(of path: String) -> [UInt8]? { try? File(path, O_RDONLY).readAll() }
}
