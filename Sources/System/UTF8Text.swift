extension String {
    /// Makes a text of bytes that are written into its own memory.
    ///
    /// - Parameters:
    ///   - utf8Capacity: how many bytes there may be.
    ///   - write: writes them. What is not UTF-8 is replaced, as `String(decoding:as:)` does.
    @inlinable
    public init<Failure: Error>(
        utf8Capacity: Int, _ write: (inout OutputSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        var failure: Failure?
        self = unsafe String(unsafeUninitializedCapacity: utf8Capacity) { buffer in
            // Safe: the span ends with the buffer, which has room for that many bytes, and is not used beyond it.
            var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
            do throws(Failure) { try write(&output) } catch { failure = error }
            return unsafe output.finalize(for: buffer)
        }
        if let failure { throw failure }
    }
}
