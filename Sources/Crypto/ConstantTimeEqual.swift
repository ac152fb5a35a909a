internal import COpenSSL

/// Whether two byte strings are equal, in a time that depends on their lengths only.
///
/// For hashes and authentication codes that someone else presents; lengths are not secret.
public func constantTimeEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    guard !left.isEmpty else { return true }
    return unsafe left.withUnsafeBufferPointer { left in
        unsafe right.withUnsafeBufferPointer { right in
            unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
        }
    }
}

/// Whether two byte strings are equal, in a time that depends on their lengths only.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool { constantTimeEqual(left.span, right.span) }
