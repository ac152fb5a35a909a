/// Reads block style, in which indentation is the structure (YAML 1.2 §8); a recursive descent with bounded depth.
struct YAMLBlockReader {
    private static let levels = 16

    var cursor: YAMLCursor
    private(set) var duplicates: [YAMLDocument.Duplicate] = []

    init(_ cursor: YAMLCursor) {
        self.cursor = cursor
    }

    mutating func document() throws(YAMLError) -> YAMLNode {
        try cursor.skipToContent()
        if cursor.column == 0, cursor.startsWithMarker("---") {
            cursor.advance(3)
            try cursor.endLine()
        }
        guard cursor.byte != nil else { return YAMLNode(line: 1, content: .null) }
        let root = try block([], depth: Self.levels)
        guard cursor.byte == nil else { throw cursor.error("the indentation of the lines before, in one document") }
        return root
    }

    func deeper(_ depth: Int) throws(YAMLError) -> Int {
        guard depth > 0 else { throw cursor.error("at most \(Self.levels) levels") }
        return depth - 1
    }

    /// Adds an entry unless its key is there already; then the repetition is noted.
    mutating func add(_ entry: YAMLEntry, to entries: inout [YAMLEntry], _ path: [String]) {
        if entries.contains(where: { $0.key == entry.key }) {
            duplicates.append(YAMLDocument.Duplicate(path: path + [entry.key], line: entry.line))
        } else {
            entries.append(entry)
        }
    }

    /// Reads what starts at the cursor, the first content of its line, and steps to the next content.
    private mutating func block(_ path: [String], depth: Int) throws(YAMLError) -> YAMLNode {
        let line = cursor.line
        let depth = try deeper(depth)
        if isListItem { return YAMLNode(line: line, content: .list(try list(path, depth: depth))) }
        if try startsWithKey() { return YAMLNode(line: line, content: .mapping(try mapping(path, depth: depth))) }
        let node = try value(inFlow: false, path, depth: depth)
        try cursor.endLine()
        return node
    }

    private var isListItem: Bool { cursor.byte == UInt8(ascii: "-") && cursor.isSpaceOrEnd(cursor.peek(1)) }

    private func startsWithKey() throws(YAMLError) -> Bool {
        if cursor.byte == UInt8(ascii: "[") || cursor.byte == UInt8(ascii: "{") { return false }
        var ahead = cursor
        _ = try ahead.scalar(inFlow: false)
        ahead.skipSpaces()
        return ahead.isKeyEnd(inFlow: false)
    }

    private mutating func mapping(_ path: [String], depth: Int) throws(YAMLError) -> [YAMLEntry] {
        let indentation = cursor.column
        var entries: [YAMLEntry] = []
        repeat {
            let line = cursor.line
            let (key, _) = try cursor.scalar(inFlow: false)
            cursor.skipSpaces()
            guard cursor.isKeyEnd(inFlow: false) else { throw cursor.error("\"key: value\"") }
            cursor.advance()
            let value = try entryValue(path + [key], line, indentation, depth)
            add(YAMLEntry(key: key, line: line, value: value), to: &entries, path)
        } while try continues(at: indentation)
        return entries
    }

    /// The value behind a colon: on the same line, or indented below it; a list may stand at the key's own indentation.
    private mutating func entryValue(
        _ path: [String], _ line: Int, _ indentation: Int, _ depth: Int
    ) throws(YAMLError) -> YAMLNode {
        cursor.skipSpaces()
        if cursor.isAtLineEnd || cursor.isAtComment {
            try cursor.endLine()
            let isNested = cursor.column > indentation || (cursor.column == indentation && isListItem)
            guard cursor.byte != nil, isNested else { return YAMLNode(line: line, content: .null) }
            return try block(path, depth: depth)
        }
        let value = try value(inFlow: false, path, depth: depth)
        try cursor.endLine()
        return value
    }

    private mutating func list(_ path: [String], depth: Int) throws(YAMLError) -> [YAMLNode] {
        let indentation = cursor.column
        var nodes: [YAMLNode] = []
        repeat {
            guard isListItem else { break }
            let line = cursor.line
            cursor.advance()
            cursor.skipSpaces()
            if cursor.isAtLineEnd || cursor.isAtComment {
                try cursor.endLine()
                let isNested = cursor.byte != nil && cursor.column > indentation
                nodes.append(isNested ? try block(path, depth: depth) : YAMLNode(line: line, content: .null))
            } else {
                nodes.append(try value(inFlow: false, path, depth: depth))
                try cursor.endLine()
            }
        } while try continues(at: indentation)
        return nodes
    }

    /// Whether the next content belongs to the same block; what is indented further belongs to nothing.
    private func continues(at indentation: Int) throws(YAMLError) -> Bool {
        guard cursor.byte != nil, cursor.column >= indentation else { return false }
        guard cursor.column == indentation else {
            throw cursor.error("the indentation of the lines before (a value must end on its own line)")
        }
        return true
    }
}
