internal import COpenSSL

/// Keys out of passwords (RFC 7914): so slow, and with so much memory, that a thief of what they protect tries few.
///
/// It blocks for as long as it is made to, so it never belongs on an event loop.
public struct Scrypt: Sendable, Equatable {
    /// The costs that are taken, as the logarithm of N. What has a higher one would take a gigabyte and more.
    public static let costs = 1...20
    /// The r that RFC 7914 §2 suggests.
    public static let usualBlockSize = 8

    /// The logarithm of N (RFC 7914 §2) to the base of two.
    public let cost: Int
    /// r.
    public let blockSize: Int
    /// p.
    public let parallelization: Int

    /// - Throws: `CryptoError.scryptParameters` for a cost outside ``costs``, and for r and p that are not 1 to 32.
    public init(cost: Int, blockSize: Int = usualBlockSize, parallelization: Int = 1) throws(CryptoError) {
        guard Self.costs.contains(cost), (1...32).contains(blockSize), (1...32).contains(parallelization) else {
            throw .scryptParameters
        }
        (self.cost, self.blockSize, self.parallelization) = (cost, blockSize, parallelization)
    }

    /// The memory that one derivation takes, in bytes: 128 · r · (N + p), and little else.
    public var memoryBytes: Int { 128 * blockSize * (1 << cost + parallelization) }

    /// What OpenSSL takes beside that, at most: it refuses what would need more than it is allowed.
    private static let smallChange: UInt64 = 1 << 20

    /// Derives a key from a password.
    ///
    /// - Parameters:
    ///   - salt: random, and another one for each password.
    ///   - byteCount: the length of the key.
    /// - Throws: `CryptoError.operationFailed(.derivingKey)`, as where there is no memory.
    public func key(from password: Secret, salt: [UInt8], byteCount: Int) throws(CryptoError) -> Secret {
        let key = password.withBytes { password in
            unsafe Secret(byteCount: byteCount) { output in
                unsafe derive(password, salt.span, into: output)
            }
        }
        guard let key else { throw .operationFailed(.derivingKey) }
        return key
    }

    private func derive(
        _ password: Span<UInt8>, _ salt: Span<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        let isDerived = unsafe password.withUnsafeBytes { password in
            unsafe salt.withUnsafeBufferPointer { salt in
                // Without a password OpenSSL only looks at its parameters; an empty one has an address here, too.
                let none: StaticString = ""
                let first =
                    unsafe password.baseAddress?.assumingMemoryBound(to: CChar.self)
                    ?? UnsafeRawPointer(none.utf8Start).assumingMemoryBound(to: CChar.self)
                return unsafe EVP_PBE_scrypt(
                    first, password.count, salt.baseAddress, salt.count, 1 << UInt64(cost), UInt64(blockSize),
                    UInt64(parallelization), UInt64(memoryBytes) + Self.smallChange, output.baseAddress, output.count)
                    == 1
            }
        }
        if !isDerived { ERR_clear_error() }
        return isDerived
    }
}
