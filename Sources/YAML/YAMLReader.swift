internal import CYAML

/// Makes a tree of libyaml's events, and refuses what readers differ on, or what a configuration has no use for.
struct YAMLReader {
    static let levels = 16
    private static let nulls: Set<String> = ["", "~", "null", "Null", "NULL"]

    private static let noMarks =
        "quotes around a value that starts with \"*\", \"&\" or \"!\" (aliases, anchors and tags are not taken)"

    private let text: [Unicode.Scalar]
    private var events: ArraySlice<YAMLEvent>
    private let fault: YAMLError?
    /// Where the event that was read last ends.
    private var end = 0
    private(set) var duplicates: [YAMLDocument.Duplicate] = []

    init(_ text: [Unicode.Scalar]) throws(YAMLError) {
        self.text = text
        for (index, character) in text.enumerated() where !Self.usual.contains(where: { $0.contains(character) }) {
            if character == "\r", text.dropFirst(index + 1).first == "\n" { continue }
            let expected = character == "\r" ? "a line feed after a carriage return" : "no control character"
            throw YAMLError(at: index, in: text, expected: expected)
        }
        (events, fault) = YAMLEvent.all(in: text)
    }

    /// Neither control characters nor line breaks that only some readers know (YAML 1.2 §5.1, §5.2, §5.4).
    private static let usual: [ClosedRange<Unicode.Scalar>] = [
        "\t"..."\n", " "..."~", "\u{A0}"..."\u{2027}", "\u{202A}"..."\u{D7FF}", "\u{E000}"..."\u{FEFE}",
        "\u{FF00}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}",
    ]

    /// The value of the one document there is; nothing where the text has none.
    mutating func document() throws(YAMLError) -> YAMLNode {
        _ = try next()
        let first = try next()
        guard first.type == YAML_DOCUMENT_START_EVENT else { return YAMLNode(line: 1, content: .null) }
        guard !first.isWritten else { throw refusal(first.start, "no directive") }
        let root = try node(try next(), [], depth: 0)
        let close = try next()
        guard close.type == YAML_DOCUMENT_END_EVENT, !close.isWritten else {
            throw refusal(close.start, "one document, without \"...\"")
        }
        let after = try next()
        guard after.type == YAML_STREAM_END_EVENT else { throw refusal(after.start, "one document") }
        return root
    }

    private mutating func next() throws(YAMLError) -> YAMLEvent {
        guard let event = events.popFirst() else { throw fault ?? refusal(text.count, "a value") }
        end = event.end
        return event
    }

    private mutating func next(before end: yaml_event_type_t) throws(YAMLError) -> YAMLEvent? {
        let event = try next()
        return event.type == end ? nil : event
    }

    private func character(at index: Int) -> Unicode.Scalar? { index < text.count ? text[index] : nil }

    private func refusal(_ index: Int, _ expected: String) -> YAMLError {
        YAMLError(at: index, in: text, expected: expected)
    }

    /// The value that an event begins, below these keys, in so many collections.
    private mutating func node(_ event: YAMLEvent, _ path: [String], depth: Int) throws(YAMLError) -> YAMLNode {
        guard !event.isMarked, event.type != YAML_ALIAS_EVENT else { throw refusal(event.start, Self.noMarks) }
        guard event.type == YAML_SCALAR_EVENT || depth < Self.levels else {
            throw refusal(event.start, "at most \(Self.levels) levels")
        }
        let content: YAMLNode.Content
        switch event.type {
        case YAML_SCALAR_EVENT:
            try checkScalar(event)
            content = event.isPlain && Self.nulls.contains(event.text) ? .null : .text(event.text)
        case YAML_SEQUENCE_START_EVENT:
            var nodes: [YAMLNode] = []
            while let item = try next(before: YAML_SEQUENCE_END_EVENT) {
                nodes.append(try node(item, path, depth: depth + 1))
            }
            content = .list(nodes)
        case YAML_MAPPING_START_EVENT:
            // `[key: value]` is a list of a mapping without its braces.
            if event.isFlow, character(at: event.start) != "{" {
                throw refusal(character(at: event.start) == "?" ? event.start : try next().end, "\",\" or \"]\"")
            }
            content = .mapping(try mapping(path, depth: depth + 1))
        default: throw refusal(event.start, "a value")
        }
        // A comment follows white space (YAML 1.2 §6.6); libyaml doesn't mind.
        guard character(at: end) != "#" else {
            throw refusal(end, "the end of the line (quote a value that holds \" #\")")
        }
        return YAMLNode(line: event.line, content: content)
    }

    private func checkScalar(_ event: YAMLEvent) throws(YAMLError) {
        guard !event.isBlock else {
            throw refusal(event.start, "a value on one line, in quotes (block scalars are not taken)")
        }
        let written = text[event.start..<event.end]
        guard let lineEnd = written.firstIndex(where: { $0 == "\n" || $0 == "\r" }) else { return }
        guard event.isPlain else { throw refusal(lineEnd, "the closing quote on the same line") }
        let continuation = written[lineEnd...].firstIndex { $0 != "\n" && $0 != "\r" && $0 != " " && $0 != "\t" }
        throw refusal(
            continuation ?? lineEnd, "the indentation of the lines before (a value must end on its own line)")
    }

    private mutating func mapping(_ path: [String], depth: Int) throws(YAMLError) -> [YAMLEntry] {
        var entries: [YAMLEntry] = []
        var known: Set<String> = []
        while let event = try next(before: YAML_MAPPING_END_EVENT) {
            let key = try key(event, depth: depth)
            let value = try node(try next(), path + [key], depth: depth)
            if known.insert(key).inserted {
                entries.append(YAMLEntry(key: key, line: event.line, value: value))
            } else {
                duplicates.append(.init(path: path + [key], line: event.line))
            }
        }
        return entries
    }

    /// A key: a text, and on the same line a colon behind it.
    private mutating func key(_ event: YAMLEvent, depth: Int) throws(YAMLError) -> String {
        if let before = text[..<event.start].lastIndex(where: { $0 != " " && $0 != "\t" }), text[before] == "?" {
            throw refusal(before, "a key without \"?\", or quotes around one that starts with it")
        }
        guard event.type == YAML_SCALAR_EVENT, !event.isMarked, !event.isPlain || !event.text.isEmpty else {
            _ = try node(event, [], depth: depth)
            throw refusal(end, "a text as key")
        }
        try checkScalar(event)
        let colon = text[event.end...].firstIndex { $0 != " " && $0 != "\t" } ?? text.count
        guard character(at: colon) == ":" else { throw refusal(colon, "\": \" after the key") }
        return event.text
    }
}
