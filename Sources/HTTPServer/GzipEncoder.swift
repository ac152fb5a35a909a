internal import CZlib

/// Compresses bodies into the gzip format (RFC 1952), one after the other with the same memory.
@safe public final class GzipEncoder {
    /// How much time is spent on saving bytes, as zlib counts it.
    public enum Effort: Int32, Sendable {
        /// For bytes that stay in the house.
        case least = 1
        /// What costs little time and still saves most of the bytes.
        case usual = 5
    }

    // zlib keeps a pointer back to the stream, so it stays at one address. Only this class can reach it, and frees it.
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Returns: nil when there is no memory for it.
    public init?(_ effort: Effort = .usual) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        unsafe self.stream = unsafe stream
        guard unsafe czlib_gzip_init(stream, effort.rawValue) == Z_OK else {
            return nil
        }
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Compresses a whole body.
    ///
    /// - Returns: nil when the result would not be shorter.
    public func encode(_ body: [UInt8]) -> [UInt8]? {
        guard unsafe deflateReset(stream) == Z_OK, let length = UInt32(exactly: body.count) else { return nil }
        var finished = false
        let encoded = unsafe [UInt8](unsafeUninitializedCapacity: body.count) { output, count in
            unsafe body.withUnsafeBufferPointer { input in
                // zlib does not write to its input; the pointer is mutable for the sake of old compilers.
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                unsafe stream.pointee.avail_in = length
                unsafe stream.pointee.next_out = output.baseAddress
                unsafe stream.pointee.avail_out = length
                finished = unsafe deflate(stream, Z_FINISH) == Z_STREAM_END
            }
            count = unsafe body.count - Int(stream.pointee.avail_out)
        }
        return finished ? encoded : nil
    }
}
