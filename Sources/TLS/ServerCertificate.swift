internal import COpenSSL

/// What is wrong with a certificate or its key.
public enum CertificateFault: Error, Equatable, Sendable, CustomStringConvertible {
    case noCertificate
    case noKey
    /// The key is another certificate's.
    case otherKey
    /// OpenSSL refuses it: it is too weak, say.
    case refused
    case noAuthority

    public var description: String {
        switch self {
        case .noCertificate: "holds no certificate in PEM"
        case .noKey: "holds no private key in PEM without a password"
        case .otherKey: "holds a private key that is not the certificate's"
        case .refused: "holds a certificate that OpenSSL does not serve: its key or signature may be too weak"
        case .noAuthority: "holds no certificate authority in PEM"
        }
    }
}

/// The one owner of an `X509`.
// Proof: nothing changes a certificate after it is read, OpenSSL lets any number of threads use such, and it is freed
// after the last reference.
@safe final class CertificateHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe X509_free(pointer) }

    /// All that a text in PEM has.
    static func all(in text: [UInt8]) -> [CertificateHandle] {
        unsafe withPEM(text) { bio in
            var found: [CertificateHandle] = []
            while let certificate = unsafe PEM_read_bio_X509(bio, nil, nil, nil) {
                unsafe found.append(CertificateHandle(owning: certificate))
            }
            return found
        } ?? []
    }

    /// Seconds since 1970.
    var notBefore: Int64 { unsafe COpenSSL_seconds(X509_get0_notBefore(pointer)) }
    var notAfter: Int64 { unsafe COpenSSL_seconds(X509_get0_notAfter(pointer)) }

    /// Whether it is for a name, as clients compare (RFC 6125 §6.4).
    func isFor(_ name: UnsafePointer<CChar>) -> Bool { unsafe X509_check_host(pointer, name, 0, 0, nil) == 1 }

    /// The names that it is for.
    var names: [String] {
        guard let list = unsafe X509_get_ext_d2i(pointer, NID_subject_alt_name, nil, nil) else { return [] }
        let names = OpaquePointer(list)
        defer { unsafe GENERAL_NAMES_free(names) }
        var found: [String] = []
        for index in 0..<(unsafe OPENSSL_sk_num(names)) {
            // Safe: the list is one of names, and each lives as long as it.
            guard let entry = unsafe OPENSSL_sk_value(names, index)?.assumingMemoryBound(to: GENERAL_NAME.self),
                unsafe entry.pointee.type == GEN_DNS, let name = unsafe entry.pointee.d.dNSName,
                let start = unsafe ASN1_STRING_get0_data(name)
            else { continue }
            let bytes = unsafe UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(name)))
            found.append(unsafe String(decoding: bytes, as: UTF8.self))
        }
        return found
    }
}

/// Has OpenSSL read a text in PEM.
private func withPEM<Value>(_ text: [UInt8], _ body: (OpaquePointer) -> Value) -> Value? {
    // Safe: the bytes live as long as what reads them.
    unsafe text.withUnsafeBytes { bytes in
        guard let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
        defer {
            unsafe BIO_free(bio)
            // What ends a text is an error to OpenSSL.
            ERR_clear_error()
        }
        return unsafe body(bio)
    }
}

/// A certificate with what leads to its issuer, and the private key.
// Proof: the key is never changed after it is read, OpenSSL lets any number of threads use such, and it is freed with
// this.
@safe public final class ServerCertificate: @unchecked Sendable {
    /// The first is the server's own.
    let chain: [CertificateHandle]
    let key: OpaquePointer
    /// Seconds since 1970.
    public let notBefore: Int64
    public let notAfter: Int64
    /// The names that it is for, as it has them.
    public let names: [String]

    /// Reads them from PEM: the server's own certificate first, and then those that lead to its issuer.
    ///
    /// - Throws: ``CertificateFault``.
    public init(chain text: [UInt8], key keyText: [UInt8]) throws(CertificateFault) {
        chain = CertificateHandle.all(in: text)
        guard let first = chain.first else { throw .noCertificate }
        // A key that is under a password would be asked for on the terminal.
        let read = unsafe withPEM(keyText) { bio in unsafe PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in 0 }, nil) }
        guard let key = unsafe read ?? nil else { throw .noKey }
        unsafe self.key = key
        (notBefore, notAfter, names) = (first.notBefore, first.notAfter, first.names)
        guard unsafe X509_check_private_key(first.pointer, key) == 1 else {
            ERR_clear_error()
            throw .otherKey
        }
    }

    deinit { unsafe EVP_PKEY_free(key) }

    /// Whether a signature takes no longer than a request: that of an RSA key takes a millisecond, or several.
    var signsQuickly: Bool {
        let isP256 = unsafe EVP_PKEY_get_base_id(key) == EVP_PKEY_EC && EVP_PKEY_get_bits(key) <= 256
        return unsafe isP256 || EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519
    }
}
