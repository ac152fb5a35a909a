internal import COpenSSL
internal import Synchronization

/// One key's initialised signing or verifying contexts, kept for the next caller.
///
/// Setting up a context costs OpenSSL 3 several microseconds of look-ups, a fifth of an RSA-2048 verification; using
/// one again costs none. There are never more than threads that use the key at once.
struct OperationPool: ~Copyable, Sendable {
    enum Purpose { case signing, verifying }

    private let key: KeyHandle
    private let purpose: Purpose
    private let idle = Mutex<[Operation]>([])

    init(key: KeyHandle, purpose: Purpose) {
        (self.key, self.purpose) = (key, purpose)
    }

    /// Lends a context for an algorithm; the body says whether the operation succeeded.
    /// - Returns: what the body said; false when no context can be made.
    func run(_ algorithm: SignatureAlgorithm, _ body: (OpaquePointer) -> Bool) -> Bool {
        let kept = idle.withLock { idle in
            idle.lastIndex { $0.algorithm == algorithm }.map { idle.remove(at: $0) }
        }
        guard let operation = kept ?? Operation(key, purpose, algorithm), unsafe body(operation.context) else {
            // A context that has just failed is dropped: the next operation owes nothing to a forged signature.
            ERR_clear_error()
            return false
        }
        idle.withLock { $0.append(operation) }
        return true
    }
}

/// An initialised context for one key, purpose and algorithm; owns it.
// Proof: the pool hands an operation to one caller at a time, and the lock orders one use after the other.
@safe final class Operation: @unchecked Sendable {
    let algorithm: SignatureAlgorithm
    let context: OpaquePointer

    init?(_ key: KeyHandle, _ purpose: OperationPool.Purpose, _ algorithm: SignatureAlgorithm) {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else { return nil }
        self.algorithm = algorithm
        unsafe self.context = context
        let isReady =
            switch purpose {
            case .signing: unsafe EVP_PKEY_sign_init(context) == 1
            case .verifying: unsafe EVP_PKEY_verify_init(context) == 1
            }
        guard isReady, setPadding(), unsafe EVP_PKEY_CTX_set_signature_md(context, algorithm.digest.implementation) == 1
        else { return nil }
    }

    deinit { unsafe EVP_PKEY_CTX_free(context) }

    private func setPadding() -> Bool {
        guard algorithm.fits(.rsa) else { return true }
        guard algorithm.isPSS else { return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1 }
        // RFC 7518 §3.5: the salt is as long as the digest, and MGF1 uses the same digest, which is OpenSSL's default.
        return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
            && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
    }
}
