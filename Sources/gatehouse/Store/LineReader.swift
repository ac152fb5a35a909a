import EventLoop
import Glibc
import System

/// The lines of a file, one at a time, in memory that does not grow with the file.
struct LineReader: ~Copyable {
    enum Line: Equatable {
        case text([UInt8])
        /// Longer than `longestLine`; it was passed over.
        case tooLong
    }

    private static let chunkBytes = 1 << 16

    private let descriptor: OwnedDescriptor
    private let longestLine: Int
    private var chunk = [UInt8](repeating: 0, count: chunkBytes)
    private var filled = 0
    private var position = 0
    /// How many bytes of the file were read so far.
    private(set) var offset = 0

    /// - Parameter descriptor: of a file, read from its start.
    init(_ descriptor: consuming OwnedDescriptor, longestLine: Int) {
        self.descriptor = descriptor
        self.longestLine = longestLine
    }

    /// - Returns: the next line without its end; nil after the last.
    mutating func next() throws(FileFailure) -> Line? {
        var line: [UInt8] = []
        var (isTooLong, isThere) = (false, false)
        while true {
            if position == filled {
                try fill()
                if filled == 0 { return isThere ? (isTooLong ? .tooLong : .text(line)) : nil }
            }
            isThere = true
            let end = chunk[position..<filled].firstIndex(of: UInt8(ascii: "\n"))
            let piece = position..<(end ?? filled)
            isTooLong = isTooLong || line.count + piece.count > longestLine
            if !isTooLong { line += chunk[piece] }
            position = end.map { $0 + 1 } ?? filled
            if end != nil { return isTooLong ? .tooLong : .text(line) }
        }
    }

    private mutating func fill() throws(FileFailure) {
        position = 0
        filled = 0
        while true {
            let (number, at) = (descriptor.number, off_t(offset))
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe pread(number, $0.baseAddress, $0.count, at) }
            let code = errno
            if count >= 0 {
                filled = count
                offset += count
                return
            }
            guard code == EINTR else { throw FileFailure("the file can't be read", code: code) }
        }
    }
}
