/// A place in a YAML text, and the steps over white space and comments that block and flow styles share.
struct YAMLCursor {
    private let bytes: [UInt8]
    private(set) var offset = 0
    private(set) var line = 1
    private var lineStart = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
        // A byte order mark may open a text (YAML 1.2 §5.2).
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            offset = 3
            lineStart = 3
        }
    }

    /// The byte here, or nil at the end.
    var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// Bytes since the line began.
    var column: Int { offset - lineStart }

    func peek(_ distance: Int) -> UInt8? {
        offset + distance < bytes.count ? bytes[offset + distance] : nil
    }

    /// Whether the text here starts with these bytes and a space or line end after them.
    func startsWithMarker(_ marker: StaticString) -> Bool {
        let marker = Array(marker.description.utf8)
        return offset + marker.count <= bytes.count
            && bytes[offset..<offset + marker.count].elementsEqual(marker) && isSpaceOrEnd(peek(marker.count))
    }

    func isSpaceOrEnd(_ byte: UInt8?) -> Bool {
        switch byte {
        case nil, UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): true
        default: false
        }
    }

    var isAtLineEnd: Bool {
        switch byte {
        case nil, UInt8(ascii: "\n"), UInt8(ascii: "\r"): true
        default: false
        }
    }

    func error(_ expected: String) -> YAMLError {
        YAMLError(line: line, column: column + 1, expected: expected)
    }

    /// The text between an earlier offset and here.
    func text(from start: Int) -> String { String(decoding: bytes[start..<offset], as: UTF8.self) }

    mutating func advance(_ count: Int = 1) { offset += count }

    /// Whether a comment starts here: it follows white space or stands first on its line (YAML 1.2 §6.6).
    var isAtComment: Bool { byte == UInt8(ascii: "#") && (column == 0 || isSpaceOrEnd(bytes[offset - 1])) }

    mutating func skipSpaces() {
        while byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { offset += 1 }
    }

    /// Steps over one line break, if there is one here.
    private mutating func skipLineBreak() throws(YAMLError) {
        if byte == UInt8(ascii: "\r") {
            guard peek(1) == UInt8(ascii: "\n") else { throw error("a line feed after a carriage return") }
            offset += 1
        }
        if byte == UInt8(ascii: "\n") {
            offset += 1
            line += 1
            lineStart = offset
        }
    }

    private mutating func skipComment() {
        while !isAtLineEnd { offset += 1 }
    }

    /// Demands that nothing but white space and a comment follows on this line, and steps to the next content.
    mutating func endLine() throws(YAMLError) {
        skipSpaces()
        if isAtComment { skipComment() }
        guard isAtLineEnd else {
            throw error("the end of the line (quote a value that holds \": \", \" #\" or starts with punctuation)")
        }
        try skipToContent()
    }

    /// Steps over the rest of this line, blank lines and comments, to the first character of the next content.
    mutating func skipToContent() throws(YAMLError) {
        while byte != nil {
            try skipLineBreak()
            while byte == UInt8(ascii: " ") { offset += 1 }
            if byte == UInt8(ascii: "\t") {
                skipSpaces()
                guard isAtLineEnd || byte == UInt8(ascii: "#") else { throw error("spaces: a tab can't indent") }
            }
            if byte == UInt8(ascii: "#") { skipComment() }
            guard isAtLineEnd else { return }
        }
    }

    /// Steps over white space, line breaks and comments inside brackets.
    mutating func skipFlowSpace() throws(YAMLError) {
        while true {
            skipSpaces()
            if isAtComment { skipComment() }
            guard isAtLineEnd, byte != nil else { return }
            try skipLineBreak()
        }
    }
}
