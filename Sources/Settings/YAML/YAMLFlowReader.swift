extension YAMLBlockReader {
    /// Reads a value in flow style: a scalar, `[…]` or `{…}` (YAML 1.2 §7).
    ///
    /// - Parameters:
    ///   - inFlow: whether brackets stand around it.
    ///   - path: the keys that lead here, to name a key given twice.
    ///   - depth: how many more levels may nest.
    mutating func value(inFlow: Bool, _ path: [String], depth: Int) throws(YAMLError) -> YAMLNode {
        let line = cursor.line
        switch cursor.byte {
        case UInt8(ascii: "["):
            return YAMLNode(line: line, content: .list(try flowList(path, depth: try deeper(depth))))
        case UInt8(ascii: "{"):
            return YAMLNode(line: line, content: .mapping(try flowMapping(path, depth: try deeper(depth))))
        default:
            let (text, isQuoted) = try cursor.scalar(inFlow: inFlow)
            if !isQuoted, ["", "~", "null", "Null", "NULL"].contains(text) {
                return YAMLNode(line: line, content: .null)
            }
            return YAMLNode(line: line, content: .text(text))
        }
    }

    private mutating func flowList(_ path: [String], depth: Int) throws(YAMLError) -> [YAMLNode] {
        cursor.advance()
        var nodes: [YAMLNode] = []
        while true {
            try cursor.skipFlowSpace()
            if cursor.byte == UInt8(ascii: "]") { break }
            nodes.append(try value(inFlow: true, path, depth: depth))
            try cursor.skipFlowSpace()
            if cursor.byte == UInt8(ascii: "]") { break }
            guard cursor.byte == UInt8(ascii: ",") else { throw cursor.error("\",\" or \"]\"") }
            cursor.advance()
        }
        cursor.advance()
        return nodes
    }

    private mutating func flowMapping(_ path: [String], depth: Int) throws(YAMLError) -> [YAMLEntry] {
        cursor.advance()
        var entries: [YAMLEntry] = []
        while true {
            try cursor.skipFlowSpace()
            if cursor.byte == UInt8(ascii: "}") { break }
            let line = cursor.line
            let (key, isQuoted) = try cursor.scalar(inFlow: true)
            cursor.skipSpaces()
            // After a quoted key the value may follow at once, as in JSON (YAML 1.2 §7.4.2).
            guard cursor.isKeyEnd(inFlow: true) || (isQuoted && cursor.byte == UInt8(ascii: ":")) else {
                throw cursor.error("\": \" after the key")
            }
            cursor.advance()
            try cursor.skipFlowSpace()
            let isEmpty = cursor.byte == UInt8(ascii: ",") || cursor.byte == UInt8(ascii: "}")
            let value =
                isEmpty
                ? YAMLNode(line: line, content: .null) : try value(inFlow: true, path + [key], depth: depth)
            add(YAMLEntry(key: key, line: line, value: value), to: &entries, path)
            try cursor.skipFlowSpace()
            if cursor.byte == UInt8(ascii: "}") { break }
            guard cursor.byte == UInt8(ascii: ",") else { throw cursor.error("\",\" or \"}\"") }
            cursor.advance()
        }
        cursor.advance()
        return entries
    }
}
