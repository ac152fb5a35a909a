/// A value of a YAML document with the line it starts at.
///
/// Scalars stay text: what a text means is decided by the key that holds it, so `clientID: 0123` is not a number here.
struct YAMLNode: Sendable, Equatable {
    indirect enum Content: Sendable, Equatable {
        /// Nothing written, `~` or `null`.
        case null
        case text(String)
        case list([YAMLNode])
        case mapping([YAMLEntry])
    }

    let line: Int
    let content: Content
}

struct YAMLEntry: Sendable, Equatable {
    let key: String
    let line: Int
    let value: YAMLNode
}

/// A document and the keys it gives twice, of which the first counts.
struct YAMLDocument: Sendable, Equatable {
    struct Duplicate: Sendable, Equatable {
        /// The path to the key, the key last.
        let path: [String]
        let line: Int
    }

    let root: YAMLNode
    let duplicates: [Duplicate]
}

/// Why a text is not the YAML we take. Names the place, never the content, which may be a secret.
struct YAMLError: Error, Equatable {
    /// Counted from 1.
    let line: Int
    /// Counted from 1, in bytes.
    let column: Int
    let expected: String
}

extension YAMLDocument {
    /// Reads the part of YAML 1.2 that configuration files are written in: block and flow mappings and lists, plain,
    /// single-quoted and double-quoted scalars on one line, comments.
    ///
    /// Everything else (anchors, aliases, tags, directives, block scalars, scalars over several lines, more than one
    /// document) is refused with a sentence, so a text is either read as every YAML reader reads it, or not at all.
    ///
    /// - Throws: `YAMLError` at the first place that can't be read. A key given twice is not thrown but listed.
    init(parsing text: String) throws(YAMLError) {
        var reader = YAMLBlockReader(YAMLCursor(text))
        root = try reader.document()
        duplicates = reader.duplicates
    }
}
