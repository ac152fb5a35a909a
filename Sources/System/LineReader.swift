/// The lines of a file, one at a time, in memory that does not grow with the file.
public struct LineReader: ~Copyable {
    public enum Line: Equatable, Sendable {
        case text([UInt8])
        /// Longer than the longest line that is read; it was passed over.
        case tooLong
    }

    private static let chunkBytes = 1 << 16

    private let file: File
    private let maximumLineBytes: Int
    private var chunk = [UInt8](repeating: 0, count: chunkBytes)
    private var unread = 0..<0
    /// How many bytes of the file were read so far.
    public private(set) var offset = 0
    /// Whether a newline stood behind the line that came last. What has none was torn off by a crash, or is the last of
    /// a file that somebody wrote so.
    public private(set) var isEnded = true

    /// - Parameters:
    ///   - file: is read from its start, wherever it was read before.
    ///   - maximumLineBytes: in bytes, without the newline.
    public init(_ file: consuming File, maximumLineBytes: Int) {
        self.file = file
        self.maximumLineBytes = maximumLineBytes
    }

    /// - Returns: the next line without its end; nil after the last.
    public mutating func next() throws(SystemError) -> Line? {
        var line: [UInt8] = []
        var (isTooLong, isThere) = (false, false)
        while true {
            if unread.isEmpty {
                unread = 0..<(try file.read(into: &chunk, at: offset))
                offset += unread.count
                if unread.isEmpty {
                    isEnded = false
                    return isThere ? (isTooLong ? .tooLong : .text(line)) : nil
                }
            }
            isThere = true
            let end = chunk[unread].firstIndex(of: UInt8(ascii: "\n"))
            let piece = unread.lowerBound..<(end ?? unread.upperBound)
            isTooLong = isTooLong || line.count + piece.count > maximumLineBytes
            if !isTooLong { line += chunk[piece] }
            unread = (end.map { $0 + 1 } ?? unread.upperBound)..<unread.upperBound
            if end != nil {
                isEnded = true
                return isTooLong ? .tooLong : .text(line)
            }
        }
    }
}
