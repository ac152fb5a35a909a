internal import COpenSSL
import Synchronization

/// Bytes that nobody can guess, from OpenSSL's generator, which the kernel seeds.
public enum Random {
    /// That many random bytes.
    ///
    /// A process that can't get randomness must not go on making tokens, so failure ends it; no input leads there.
    public static func bytes(_ count: Int) -> [UInt8] {
        if count <= RandomReserve.longestTaken { return reserve.withLock { $0.take(count) } }
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe fill(buffer)
            initialized = count
        }
    }

    private static let reserve = Mutex(RandomReserve())

    static func fill(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        guard let address = buffer.baseAddress, !buffer.isEmpty else { return }
        precondition(unsafe RAND_priv_bytes_ex(nil, address, buffer.count, 256) == 1, "no source of randomness")
    }
}

/// Random bytes that were drawn together: a draw costs the generator the same few thousand instructions however short it
/// is, and a sign-in needs four short ones. What is handed out is overwritten, so that each byte is in one place only.
struct RandomReserve: ~Copyable {
    static let longestTaken = 64
    private static let size = 1024

    private var bytes = [UInt8](repeating: 0, count: size)
    private var next = size

    mutating func take(_ count: Int) -> [UInt8] {
        if next + count > Self.size {
            unsafe bytes.withUnsafeMutableBufferPointer { unsafe Random.fill($0) }
            next = 0
        }
        let taken = Array(bytes[next..<next + count])
        for index in next..<next + count { bytes[index] = 0 }
        next += count
        return taken
    }
}
