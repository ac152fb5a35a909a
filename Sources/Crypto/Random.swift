internal import COpenSSL

/// Bytes that nobody can guess, from OpenSSL's generator, which the kernel seeds.
public enum Random {
    /// That many random bytes.
    ///
    /// A process that can't get randomness must not go on making tokens, so failure ends it; no input leads there.
    public static func bytes(_ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe fill(buffer)
            initialized = count
        }
    }

    static func fill(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        guard let address = buffer.baseAddress, !buffer.isEmpty else { return }
        precondition(unsafe RAND_priv_bytes_ex(nil, address, buffer.count, 256) == 1, "no source of randomness")
    }
}
