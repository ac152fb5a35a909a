/// A value of a YAML document with the line it starts at, counted from 1.
///
/// Scalars stay text: what a text means is decided by the key that holds it, so `clientID: 0123` is not a number here.
public struct YAMLNode: Sendable, Equatable {
    public indirect enum Content: Sendable, Equatable {
        /// Nothing written, `~` or `null`.
        case null
        case text(String)
        case list([YAMLNode])
        case mapping([YAMLEntry])
    }

    public let line: Int
    public let content: Content
}

/// A key of a mapping and its value, with the line of the key, counted from 1.
public struct YAMLEntry: Sendable, Equatable {
    public let key: String
    public let line: Int
    public let value: YAMLNode
}

/// Why a text is not the YAML we take. Names the place, counted from 1, the column in bytes, and never the content,
/// which may be a secret.
public struct YAMLError: Error, Equatable {
    public let line: Int
    public let column: Int
    /// What should be there instead, as it completes "expected …".
    public let expected: String

    /// - Parameter index: where, in characters from the beginning of the text.
    init(at index: Int, in text: [Unicode.Scalar], expected: String) {
        let before = text.prefix(index)
        let lineStart = before.lastIndex(of: "\n").map { $0 + 1 } ?? 0
        line = 1 + before.count { $0 == "\n" }
        column = 1 + before[lineStart...].reduce(0) { $0 + UTF8.width($1) }
        self.expected = expected
    }
}

/// A document and the keys it gives twice, of which the first counts.
public struct YAMLDocument: Sendable, Equatable {
    /// A key that its mapping has already: the path to it, the key last, and its line, counted from 1.
    public struct Duplicate: Sendable, Equatable {
        public let path: [String]
        public let line: Int
    }

    public let root: YAMLNode
    public let duplicates: [Duplicate]

    /// Reads the part of YAML that configuration files are written in: block and flow mappings and lists, plain,
    /// single-quoted and double-quoted scalars on one line, comments. What libyaml takes beyond that (anchors, aliases,
    /// tags, directives, block scalars, scalars over several lines, more than one document) is refused with a sentence,
    /// so a text is either read as every YAML reader reads it, or not at all.
    ///
    /// - Throws: `YAMLError` at the first place that can't be read. A key given twice is not thrown but listed.
    public init(parsing text: String) throws(YAMLError) {
        var characters = Array(text.unicodeScalars)
        // A byte order mark may open a text (YAML 1.2 §5.2).
        if characters.first == "\u{FEFF}" { characters.removeFirst() }
        var reader = try YAMLReader(characters)
        root = try reader.document()
        duplicates = reader.duplicates
    }
}
