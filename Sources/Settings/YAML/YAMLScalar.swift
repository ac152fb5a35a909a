extension YAMLCursor {
    /// Reads a quoted or plain scalar on one line.
    ///
    /// - Parameter inFlow: inside brackets a comma or bracket ends a plain scalar too.
    /// - Returns: the text, and whether it was quoted; a plain scalar may be empty.
    mutating func scalar(inFlow: Bool) throws(YAMLError) -> (text: String, isQuoted: Bool) {
        switch byte {
        case UInt8(ascii: "\""): return (try doubleQuoted(), true)
        case UInt8(ascii: "'"): return (try singleQuoted(), true)
        default: return (try plain(inFlow: inFlow), false)
        }
    }

    /// Whether a colon here ends a key: white space follows, or inside brackets a comma or bracket.
    func isKeyEnd(inFlow: Bool) -> Bool {
        guard byte == UInt8(ascii: ":") else { return false }
        return isSpaceOrEnd(peek(1)) || (inFlow && Self.isFlowIndicator(peek(1)))
    }

    static func isFlowIndicator(_ byte: UInt8?) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"): true
        default: false
        }
    }

    /// YAML 1.2 §7.3.3.
    private mutating func plain(inFlow: Bool) throws(YAMLError) -> String {
        try refuseIndicator(inFlow: inFlow)
        if column == 0, startsWithMarker("---") || startsWithMarker("...") { throw error("one document") }
        let start = offset
        var end = offset
        while !isAtLineEnd, !isKeyEnd(inFlow: inFlow) {
            if inFlow, Self.isFlowIndicator(byte) { break }
            if byte == UInt8(ascii: "#"), offset > end { break }
            try refuseControlCharacter()
            let isSpace = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
            advance()
            if !isSpace { end = offset }
        }
        advance(end - offset)
        return text(from: start)
    }

    /// Characters that may not start a plain scalar (YAML 1.2 §5.3); those with a meaning we don't take say so.
    private func refuseIndicator(inFlow: Bool) throws(YAMLError) {
        switch byte {
        case UInt8(ascii: "*"), UInt8(ascii: "&"):
            throw error("quotes around a value that starts with \"*\" or \"&\" (anchors and aliases are not taken)")
        case UInt8(ascii: "!"), UInt8(ascii: "%"), UInt8(ascii: "@"), UInt8(ascii: "`"):
            throw error("quotes around a value that starts with punctuation (tags and directives are not taken)")
        case UInt8(ascii: "|"), UInt8(ascii: ">"):
            throw error("a value on one line, in quotes (block scalars are not taken)")
        case UInt8(ascii: "-"), UInt8(ascii: "?"), UInt8(ascii: ":"):
            let next = peek(1)
            // Readers differ on a question mark or colon inside brackets, whatever follows it.
            let isDisputed = inFlow && byte != UInt8(ascii: "-")
            if isSpaceOrEnd(next) || (inFlow && Self.isFlowIndicator(next)) || isDisputed {
                throw error("quotes around a value that starts with \"-\", \"?\" or \":\"")
            }
        case UInt8(ascii: "#"), UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"),
            UInt8(ascii: "}"):
            throw error("a value")
        default: return
        }
    }

    private func refuseControlCharacter() throws(YAMLError) {
        guard let byte, byte >= 0x20 || byte == 0x09, byte != 0x7F else { throw error("no control character") }
    }

    /// YAML 1.2 §7.3.2: the only escape is a quote written twice.
    private mutating func singleQuoted() throws(YAMLError) -> String {
        advance()
        var text = ""
        var start = offset
        while !isAtLineEnd {
            try refuseControlCharacter()
            let isQuote = byte == UInt8(ascii: "'")
            if isQuote {
                text += self.text(from: start)
                guard peek(1) == UInt8(ascii: "'") else {
                    advance()
                    return text
                }
                text += "'"
            }
            advance(isQuote ? 2 : 1)
            if isQuote { start = offset }
        }
        throw error("the closing \"'\" on the same line")
    }

    /// YAML 1.2 §7.3.1.
    private mutating func doubleQuoted() throws(YAMLError) -> String {
        advance()
        var text = ""
        var start = offset
        while !isAtLineEnd {
            try refuseControlCharacter()
            switch byte {
            case UInt8(ascii: "\""):
                text += self.text(from: start)
                advance()
                return text
            case UInt8(ascii: "\\"):
                text += self.text(from: start)
                advance()
                text.unicodeScalars.append(try escape())
                start = offset
            default: advance()
            }
        }
        throw error("the closing '\"' on the same line")
    }

    /// The escapes of YAML 1.2 §5.7, the backslash already passed; a line break can't be escaped.
    private mutating func escape() throws(YAMLError) -> Unicode.Scalar {
        let letter = byte
        guard !isAtLineEnd else { throw error("an escape such as \\n or \\u00e9") }
        switch letter {
        case UInt8(ascii: "x"): return try codePoint(digits: 2)
        case UInt8(ascii: "u"): return try codePoint(digits: 4)
        case UInt8(ascii: "U"): return try codePoint(digits: 8)
        default: break
        }
        let scalar: Unicode.Scalar
        switch letter {
        case UInt8(ascii: "0"): scalar = "\0"
        case UInt8(ascii: "a"): scalar = "\u{07}"
        case UInt8(ascii: "b"): scalar = "\u{08}"
        case UInt8(ascii: "t"), UInt8(ascii: "\t"): scalar = "\t"
        case UInt8(ascii: "n"): scalar = "\n"
        case UInt8(ascii: "v"): scalar = "\u{0B}"
        case UInt8(ascii: "f"): scalar = "\u{0C}"
        case UInt8(ascii: "r"): scalar = "\r"
        case UInt8(ascii: "e"): scalar = "\u{1B}"
        case UInt8(ascii: " "): scalar = " "
        case UInt8(ascii: "\""): scalar = "\""
        case UInt8(ascii: "/"): scalar = "/"
        case UInt8(ascii: "\\"): scalar = "\\"
        case UInt8(ascii: "N"): scalar = "\u{85}"
        case UInt8(ascii: "_"): scalar = "\u{A0}"
        case UInt8(ascii: "L"): scalar = "\u{2028}"
        case UInt8(ascii: "P"): scalar = "\u{2029}"
        default: throw error("an escape such as \\n or \\u00e9")
        }
        advance()
        return scalar
    }

    private mutating func codePoint(digits: Int) throws(YAMLError) -> Unicode.Scalar {
        let place = self
        advance()
        let start = offset
        for _ in 0..<digits {
            guard let byte, Character(Unicode.Scalar(byte)).isHexDigit else {
                throw error("\(digits) hexadecimal digits")
            }
            advance()
        }
        guard let value = UInt32(text(from: start), radix: 16), let scalar = Unicode.Scalar(value) else {
            throw place.error("the code of a Unicode character")
        }
        return scalar
    }
}
