internal import CZlib

/// Undoes gzip (RFC 1952) and what HTTP calls deflate (RFC 1950).
enum Inflater {
    /// How much room is made at a time.
    private static let step = 16_384

    /// - Parameter limit: the longest result, in bytes. A body that would explode stops there.
    /// - Throws: `malformedResponse` for anything but one whole stream, `responseTooLarge`.
    static func inflate(_ bytes: [UInt8], atMost limit: Int) throws(HTTPClientError) -> [UInt8] {
        var stream = unsafe z_stream()
        guard unsafe czlib_inflate_init(&stream) == Z_OK else { throw .malformedResponse }
        // Safe: each call gets addresses that hold until it returns, with the lengths that belong to them.
        defer { unsafe inflateEnd(&stream) }
        var result: [UInt8] = []
        var (read, code) = (0, Z_OK)
        while code == Z_OK {
            // One byte more than allowed is enough to tell.
            let room = min(step, limit + 1 - result.count)
            guard room > 0 else { throw .responseTooLarge }
            result.append(addingCapacity: room) { output in
                unsafe output.withUnsafeMutableBufferPointer { room, initialized in
                    unsafe bytes.withUnsafeBufferPointer { input in
                        unsafe stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.advanced(by: read))
                        unsafe stream.avail_in = UInt32(clamping: input.count - read)
                        unsafe stream.next_out = room.baseAddress?.advanced(by: initialized)
                        unsafe stream.avail_out = UInt32(clamping: room.count - initialized)
                        code = unsafe CZlib.inflate(&stream, Z_NO_FLUSH)
                        read = unsafe input.count - Int(stream.avail_in)
                        unsafe initialized = room.count - Int(stream.avail_out)
                    }
                }
            }
        }
        // Without progress zlib says Z_BUF_ERROR: the stream breaks off.
        guard code == Z_STREAM_END, read == bytes.count else { throw .malformedResponse }
        guard result.count <= limit else { throw .responseTooLarge }
        return result
    }
}
