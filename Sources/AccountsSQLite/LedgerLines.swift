import Glibc

/// The lines of a ledger, one at a time, in memory that does not grow with the file.
///
/// What has no end is no line: a crash has torn it, and nobody was told of it.
struct LedgerLines: ~Copyable {
    enum Line {
        case text(Substring)
        /// Longer than any of ours; it was passed over.
        case tooLong
    }

    /// In bytes. The longest of ours has the `kid` of a key, or six numbers, and a proof of 64 digits.
    static let longestLine = 1024
    private static let chunkBytes = 1 << 16

    private let descriptor: Int32
    private var chunk = [UInt8](repeating: 0, count: chunkBytes)
    private var unread = 0..<0
    /// Whether the file has anything in it, be it a line or not.
    let hasContent: Bool

    init(_ path: String) throws(SystemFailure) {
        let descriptor = try systemCall { unsafe open(path, O_RDONLY | O_CLOEXEC) }
        var status = stat()
        hasContent = unsafe fstat(descriptor, &status) == 0 && status.st_size > 0
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// - Returns: the next line without its end; nil after the last.
    mutating func next() throws(SystemFailure) -> Line? {
        var line: [UInt8] = []
        var isTooLong = false
        while true {
            if unread.isEmpty {
                try fill()
                if unread.isEmpty { return nil }
            }
            let end = endOfLine
            let piece = unread.lowerBound..<(end ?? unread.upperBound)
            isTooLong = isTooLong || line.count + piece.count > Self.longestLine
            if !isTooLong { line += chunk[piece] }
            unread = (end.map { $0 + 1 } ?? unread.upperBound)..<unread.upperBound
            if end != nil { return isTooLong ? .tooLong : .text(Substring(decoding: line, as: UTF8.self)) }
        }
    }

    /// Where the next newline is in what was read.
    private var endOfLine: Int? {
        unsafe chunk.withUnsafeBytes { bytes in
            // Safe: it looks at no byte behind those that were read, which lie within the chunk.
            guard let start = bytes.baseAddress,
                let found = unsafe memchr(start + unread.lowerBound, Int32(UInt8(ascii: "\n")), unread.count)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - start
        }
    }

    private mutating func fill() throws(SystemFailure) {
        let count = try systemCall {
            unsafe chunk.withUnsafeMutableBytes { unsafe Int32(read(descriptor, $0.baseAddress, $0.count)) }
        }
        unread = 0..<Int(count)
    }
}
