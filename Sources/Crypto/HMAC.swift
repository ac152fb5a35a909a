internal import COpenSSL
internal import Synchronization

/// Keyed hashes (RFC 2104).
public enum HMAC {
    /// HMAC-SHA-256 of a message: 32 bytes. Compare it with ``constantTimeEqual(_:_:)``.
    public static func sha256(_ message: Span<UInt8>, key: Span<UInt8>) -> [UInt8] {
        let context = idle.withLock { $0.popLast() } ?? HMACContext()
        let code = unsafe [UInt8](unsafeUninitializedCapacity: Digest.sha256.byteCount) { buffer, count in
            let isMade = unsafe key.withUnsafeBufferPointer { key in
                unsafe message.withUnsafeBufferPointer { unsafe context.authenticate($0, key: key, into: buffer) }
            }
            // As with a plain hash, only exhausted memory makes this fail.
            precondition(isMade, "OpenSSL could not compute an HMAC")
            count = Digest.sha256.byteCount
        }
        idle.withLock { $0.append(context) }
        return code
    }

    /// Contexts for the next caller: setting one up takes OpenSSL look-ups that cost more than a short message. There are
    /// never more than threads that use one at once.
    private static let idle = Mutex<[HMACContext]>([])

    /// HMAC-SHA-256 of a message: 32 bytes.
    public static func sha256(_ message: [UInt8], key: [UInt8]) -> [UInt8] { sha256(message.span, key: key.span) }

    /// HMAC-SHA-256 of a message under a secret: 32 bytes.
    public static func sha256(_ message: Span<UInt8>, key: Secret) -> [UInt8] {
        key.withBytes { key in sha256(message, key: key) }
    }
}

/// One of OpenSSL's contexts for HMAC-SHA-256; owns it.
// Proof: a context is taken out of the idle ones by one caller at a time, and the lock orders one use after the other.
@safe private final class HMACContext: @unchecked Sendable {
    // Proof: an EVP_MAC never changes after it is fetched, lives as long as the process, and may be shared.
    private nonisolated(unsafe) static let implementation = unsafe EVP_MAC_fetch(nil, "HMAC", nil)

    private let context: OpaquePointer?

    init() {
        unsafe context = EVP_MAC_CTX_new(Self.implementation)
        _ = unsafe COpenSSL_EVP_MAC_CTX_use_sha256(context)
    }

    deinit { unsafe EVP_MAC_CTX_free(context) }

    func authenticate(
        _ message: UnsafeBufferPointer<UInt8>, key: UnsafeBufferPointer<UInt8>,
        into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        // Without an address OpenSSL would go on with the key of the call before.
        var none: UInt8 = 0
        let isReady = unsafe withUnsafePointer(to: &none) { none in
            unsafe EVP_MAC_init(context, key.baseAddress ?? none, key.count, nil) == 1
        }
        var length = 0
        return unsafe isReady && EVP_MAC_update(context, message.baseAddress, message.count) == 1
            && EVP_MAC_final(context, buffer.baseAddress, &length, buffer.count) == 1
            && length == Digest.sha256.byteCount
    }
}
