internal import COpenSSL

/// The one owner of an `EVP_PKEY`.
// Proof: nothing changes the key after it is made, OpenSSL lets any number of threads use an unchanging key, and it
// is freed after the last reference.
@safe final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over a reference to a key.
    /// - Returns: nil when OpenSSL handed out none.
    init?(owning pointer: OpaquePointer?) {
        guard let pointer = unsafe pointer else { return nil }
        unsafe self.pointer = pointer
    }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// The key's type; nil for one this module does not support.
    var keyType: KeyType? {
        switch unsafe EVP_PKEY_get_base_id(pointer) {
        case EVP_PKEY_RSA: return .rsa
        case EVP_PKEY_ED25519: return .ed25519
        case EVP_PKEY_EC:
            let name = unsafe [CChar](unsafeUninitializedCapacity: 64) { buffer, count in
                var length = 0
                let result = unsafe EVP_PKEY_get_group_name(pointer, buffer.baseAddress, buffer.count, &length)
                count = result == 1 ? length : 0
            }
            let groupName = String(decoding: name.map(UInt8.init(bitPattern:)), as: UTF8.self)
            return EllipticCurve.allCases.first { $0.groupName == groupName }.map(KeyType.ellipticCurve)
        default: return nil
        }
    }

    /// A big number among the key's parameters, as big-endian bytes of that width, or of the least one.
    func number(_ name: String, byteCount: Int? = nil) -> [UInt8]? {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(pointer, name, &number) == 1 else { return nil }
        defer { unsafe BN_free(number) }
        let width = unsafe byteCount ?? Int((BN_num_bits(number) + 7) / 8)
        return unsafe [UInt8](unsafeUninitializedCapacity: width) { buffer, count in
            count = unsafe BN_bn2binpad(number, buffer.baseAddress, Int32(width)) == Int32(width) ? width : 0
        }
    }

    /// The raw public key of Ed25519.
    var rawPublicKey: [UInt8]? {
        var length = 32
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            let result = unsafe EVP_PKEY_get_raw_public_key(pointer, buffer.baseAddress, &length)
            count = result == 1 ? length : 0
        }
        return bytes.count == 32 ? bytes : nil
    }

    /// Runs one of OpenSSL's checks of a key.
    func passes(_ check: (OpaquePointer?) -> Int32) -> Bool {
        let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        return unsafe check(context) == 1
    }
}

/// Runs OpenSSL calls and leaves nothing of them in the thread's error queue, where the next user of OpenSSL on this
/// thread, such as a TLS connection, would take it for its own.
func drainingErrors<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    defer { ERR_clear_error() }
    return try body()
}
