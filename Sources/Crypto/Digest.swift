internal import COpenSSL
internal import Synchronization

/// The SHA-2 hash functions (FIPS 180-4).
public enum Digest: Sendable {
    case sha256
    case sha384
    case sha512

    /// The length of a hash in bytes.
    public var byteCount: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// The hash of those bytes.
    public func hash(_ bytes: Span<UInt8>) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            unsafe hash(bytes, into: buffer)
            count = byteCount
        }
    }

    /// The hash of those bytes.
    public func hash(_ bytes: [UInt8]) -> [UInt8] { hash(bytes.span) }

    /// Lends the hash of those bytes, where it is needed for a moment only.
    public func withHash<Result>(of bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Result) -> Result {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount) { buffer in
            unsafe hash(bytes, into: buffer)
            return unsafe body(buffer.span)
        }
    }

    /// Writes the hash into a buffer of at least ``byteCount`` bytes.
    func hash(_ bytes: Span<UInt8>, into buffer: UnsafeMutableBufferPointer<UInt8>) {
        precondition(buffer.count >= byteCount)
        let context = Self.idle.withLock { $0.popLast() } ?? DigestContext()
        let isHashed = unsafe bytes.withUnsafeBufferPointer { unsafe context.hash($0, self, into: buffer) }
        // Hashing bytes in memory fails only when memory is exhausted, which no input decides.
        precondition(isHashed, "OpenSSL could not hash")
        Self.idle.withLock { $0.append(context) }
    }

    /// Contexts for the next caller: making one takes OpenSSL two allocations. There are never more than threads that
    /// hash at once.
    private static let idle = Mutex<[DigestContext]>([])

    /// OpenSSL's implementation, looked up once: a look-up by name would cost as much as a short hash.
    var implementation: OpaquePointer? {
        switch self {
        case .sha256: unsafe Self.fetchedSHA256
        case .sha384: unsafe Self.fetchedSHA384
        case .sha512: unsafe Self.fetchedSHA512
        }
    }

    // Proof for the three: an EVP_MD never changes after it is fetched, lives as long as the process, and OpenSSL
    // lets any number of threads use it.
    private nonisolated(unsafe) static let fetchedSHA256 = unsafe EVP_MD_fetch(nil, "SHA2-256", nil)
    private nonisolated(unsafe) static let fetchedSHA384 = unsafe EVP_MD_fetch(nil, "SHA2-384", nil)
    private nonisolated(unsafe) static let fetchedSHA512 = unsafe EVP_MD_fetch(nil, "SHA2-512", nil)
}

/// One of OpenSSL's digest contexts; owns it.
// Proof: a context is taken out of the idle ones by one caller at a time, and the lock orders one use after the other.
@safe private final class DigestContext: @unchecked Sendable {
    private let context = unsafe EVP_MD_CTX_new()

    deinit { unsafe EVP_MD_CTX_free(context) }

    func hash(
        _ message: UnsafeBufferPointer<UInt8>, _ digest: Digest, into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        unsafe EVP_DigestInit_ex2(context, digest.implementation, nil) == 1
            && EVP_DigestUpdate(context, message.baseAddress, message.count) == 1
            && EVP_DigestFinal_ex(context, buffer.baseAddress, nil) == 1
    }
}
