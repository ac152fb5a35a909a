internal import COpenSSL
import Synchronization
internal import Syntax

/// Bytes that nobody can guess, from OpenSSL's generator, which the kernel seeds.
public enum Random {
    /// That many random bytes.
    ///
    /// A process that can't get randomness must not go on making tokens, so failure ends it; no input leads there.
    public static func bytes(_ count: Int) -> [UInt8] {
        if count <= RandomReserve.maximumLentBytes {
            return withBytes(count) { bytes in
                [UInt8](capacity: count) { output in for index in bytes.indices { output.append(bytes[index]) } }
            }
        }
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe fill(buffer)
            initialized = count
        }
    }

    /// Lends that many random bytes; of a few there is no copy left afterwards.
    public static func withBytes<Result: Sendable>(_ count: Int, _ body: (Span<UInt8>) -> Result) -> Result {
        guard count <= RandomReserve.maximumLentBytes else { return body(bytes(count).span) }
        return reserve.withLock { $0.withBytes(count, body) }
    }

    /// A random text for URLs and headers: so many random bytes as base64url.
    public static func token(byteCount: Int) -> String { withBytes(byteCount) { Base64URL.encode($0) } }

    private static let reserve = Mutex(RandomReserve())

    static func fill(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        guard let address = buffer.baseAddress, !buffer.isEmpty else { return }
        precondition(unsafe RAND_priv_bytes_ex(nil, address, buffer.count, 256) == 1, "no source of randomness")
    }
}

/// Random bytes that were drawn together: a draw costs the generator the same few thousand instructions however short
/// it is, and a sign-in needs four short ones. What is handed out is overwritten, so that each byte is in one place
/// only.
struct RandomReserve: ~Copyable {
    static let maximumLentBytes = 64
    private static let size = 1024

    private var bytes = [UInt8](repeating: 0, count: size)
    private var next = size

    mutating func withBytes<Result>(_ count: Int, _ body: (Span<UInt8>) -> Result) -> Result {
        if next + count > Self.size {
            unsafe bytes.withUnsafeMutableBufferPointer { unsafe Random.fill($0) }
            next = 0
        }
        let result = body(bytes.span.extracting(next..<next + count))
        for index in next..<next + count { bytes[index] = 0 }
        next += count
        return result
    }
}
