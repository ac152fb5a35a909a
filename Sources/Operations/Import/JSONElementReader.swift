import Composition
import System

/// The elements of one array in a JSON file, one at a time, in memory that does not grow with the file: those of a file
/// that is an array, or of the array that a member of the file's object has. What stands beside that member is passed
/// over.
///
/// Where an element ends is told by brackets and quotes; whether it is JSON is for its reader to say.
struct JSONElementReader: ~Copyable {
    enum Element: Equatable {
        case text([UInt8])
        /// Longer than the longest that is read; it was passed over.
        case tooLong
        /// The file is no such document, or ends too early. Nothing comes after it.
        case broken
    }

    private enum Phase { case start, besideArray, array, after, done }

    private static let chunkBytes = 1 << 16
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    /// Longer than the name of any member that is looked for.
    private static let maximumNameBytes = 64

    private let file: File
    private let member: String?
    private let maximumBytes: Int
    private var phase = Phase.start
    private var hasArray = false
    private var nesting = JSONNesting()
    /// The text that came last beside the array, directly in the file's object.
    private var name: [UInt8] = []
    private var element: [UInt8] = []
    private var isTooLong = false
    private var chunk = [UInt8](repeating: 0, count: chunkBytes)
    private var unread = 0..<0
    /// How many bytes of the file were read so far.
    private(set) var offset = 0

    /// - Parameters:
    ///   - file: is read from its start, wherever it was read before.
    ///   - member: whose array it is; nil where the file itself is one.
    ///   - maximumBytes: of an element.
    init(_ file: consuming File, member: String?, maximumBytes: Int) {
        self.file = file
        self.member = member
        self.maximumBytes = maximumBytes
    }

    /// - Returns: the next element; nil after the last.
    mutating func next() throws(SystemError) -> Element? {
        while phase != .done {
            guard let byte = try nextByte() else {
                let isWhole = phase == .after && hasArray
                phase = .done
                return isWhole ? nil : .broken
            }
            switch phase {
            case .start: takeFirst(byte)
            case .besideArray: takeBeside(byte)
            case .array: if let element = takeOfArray(byte) { return element }
            case .after: if !Self.isSpace(byte) { return broken() }
            case .done: break
            }
            if phase == .done { return .broken }
        }
        return nil
    }

    private mutating func takeFirst(_ byte: UInt8) {
        switch (byte, member) {
        case (UInt8(ascii: "["), nil): beginArray()
        case (UInt8(ascii: "{"), .some):
            nesting.take(byte)
            phase = .besideArray
        default: if !Self.isSpace(byte), !isOfByteOrderMark(byte) { phase = .done }
        }
    }

    /// Whether a byte is of the mark that some programs write before all else (RFC 8259 §8.1).
    private func isOfByteOrderMark(_ byte: UInt8) -> Bool {
        let taken = offset - unread.count
        return (1...Self.byteOrderMark.count).contains(taken) && byte == Self.byteOrderMark[taken - 1]
    }

    private mutating func takeBeside(_ byte: UInt8) {
        let wasInText = nesting.isInText
        if byte == UInt8(ascii: "["), !wasInText, nesting.depth == 1, name.elementsEqual((member ?? "").utf8) {
            return beginArray()
        }
        nesting.take(byte)
        if nesting.depth == 0 { phase = .after }
        guard nesting.depth == 1, nesting.isInText else { return }
        if !wasInText { name = [] } else if name.count < Self.maximumNameBytes { name.append(byte) }
    }

    private mutating func beginArray() {
        (hasArray, phase) = (true, .array)
        nesting = JSONNesting()
    }

    /// - Returns: the element that ends with this byte.
    private mutating func takeOfArray(_ byte: UInt8) -> Element? {
        let isBetween = nesting.depth == 0 && !nesting.isInText
        let ends = isBetween && (byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]"))
        if ends {
            let ended: Element? = isTooLong ? .tooLong : element.isEmpty ? nil : .text(element)
            (element, isTooLong) = ([], false)
            if byte == UInt8(ascii: "]") { endArray() }
            return ended
        }
        if element.isEmpty, !isTooLong, Self.isSpace(byte) { return nil }
        nesting.take(byte)
        if element.count < maximumBytes { element.append(byte) } else { isTooLong = true }
        return nil
    }

    private mutating func endArray() {
        guard member != nil else { return phase = .after }
        phase = .besideArray
        nesting = JSONNesting()
        nesting.take(UInt8(ascii: "{"))
        name = []
    }

    private mutating func broken() -> Element {
        phase = .done
        return .broken
    }

    private mutating func nextByte() throws(SystemError) -> UInt8? {
        if unread.isEmpty {
            unread = 0..<(try file.read(into: &chunk, at: offset))
            offset += unread.count
        }
        guard let index = unread.first else { return nil }
        unread = index + 1..<unread.upperBound
        return chunk[index]
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
}

/// How deep in brackets a JSON text is, and whether within a quoted text (RFC 8259 §2, §7).
struct JSONNesting {
    private(set) var depth = 0
    private(set) var isInText = false
    private var isEscaped = false

    mutating func take(_ byte: UInt8) {
        if isInText {
            let ends = byte == UInt8(ascii: "\"") && !isEscaped
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            isInText = !ends
            return
        }
        switch byte {
        case UInt8(ascii: "\""): isInText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        default: break
        }
    }
}
