internal import COpenSSL

/// Keyed hashes (RFC 2104).
public enum HMAC {
    /// HMAC-SHA-256 of a message: 32 bytes. Compare it with ``constantTimeEqual(_:_:)``.
    public static func sha256(_ message: Span<UInt8>, key: Span<UInt8>) -> [UInt8] {
        precondition(key.count <= Int(Int32.max))
        return unsafe [UInt8](unsafeUninitializedCapacity: Digest.sha256.byteCount) { buffer, count in
            var length: UInt32 = 0
            let result = unsafe key.withUnsafeBufferPointer { key in
                unsafe message.withUnsafeBufferPointer { message in
                    unsafe COpenSSL.HMAC(
                        Digest.sha256.implementation, key.baseAddress, Int32(key.count), message.baseAddress,
                        message.count, buffer.baseAddress, &length)
                }
            }
            // As with a plain hash, only exhausted memory makes this fail.
            precondition(unsafe result != nil, "OpenSSL could not compute an HMAC")
            count = Int(length)
        }
    }

    /// HMAC-SHA-256 of a message: 32 bytes.
    public static func sha256(_ message: [UInt8], key: [UInt8]) -> [UInt8] { sha256(message.span, key: key.span) }

    /// HMAC-SHA-256 of a message under a secret: 32 bytes.
    public static func sha256(_ message: Span<UInt8>, key: Secret) -> [UInt8] {
        key.withBytes { key in sha256(message, key: key) }
    }
}
