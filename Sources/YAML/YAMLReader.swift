/// What can't be read, and where.
struct YAMLEventError: Error {
    /// In characters from the beginning of the text.
    let index: Int
    let expected: String

    init(_ index: Int, _ expected: String) {
        self.index = index
        self.expected = expected
    }
}

/// Makes a tree of libyaml's events, and refuses what readers differ on, or what a configuration has no use for.
struct YAMLReader: ~Copyable {
    private static let levels = 16
    private static let nulls: Set<String> = ["", "~", "null", "Null", "NULL"]

    private var events: YAMLEvents
    /// Where the event that was read last ends.
    private var end = 0
    private(set) var duplicates: [YAMLDocument.Duplicate] = []

    init(_ text: [Unicode.Scalar]) throws(YAMLEventError) {
        try Self.refuseForeignCharacters(text)
        events = try YAMLEvents(text)
    }

    /// Control characters, line breaks that only some readers know, and byte order marks after the first character
    /// (YAML 1.2 §5.1, §5.2, §5.4; YAML 1.1 has more line breaks).
    private static func refuseForeignCharacters(_ text: [Unicode.Scalar]) throws(YAMLEventError) {
        for (index, character) in text.enumerated() {
            switch character {
            case "\t", "\n", " "..."~", "\u{A0}"..."\u{2027}", "\u{202A}"..."\u{D7FF}", "\u{E000}"..."\u{FEFE}",
                "\u{FF00}"..."\u{FFFD}",
                "\u{10000}"..."\u{10FFFF}":
                continue
            case "\r":
                guard index + 1 < text.count, text[index + 1] == "\n" else {
                    throw YAMLEventError(index, "a line feed after a carriage return")
                }
            default: throw YAMLEventError(index, "no control character")
            }
        }
    }

    /// The value of the one document there is; nothing where the text has none.
    mutating func document() throws(YAMLEventError) -> YAMLNode {
        guard case .streamStart = try next().content else { throw YAMLEventError(0, "a text") }
        let first = try next()
        guard case .documentStart(let hasDirectives) = first.content else { return YAMLNode(line: 1, content: .null) }
        guard !hasDirectives else { throw YAMLEventError(first.start, "no directive") }
        let root = try node(try next(), [], depth: 0)
        let close = try next()
        guard case .documentEnd(isWritten: false) = close.content else {
            throw YAMLEventError(close.start, "one document, without \"...\"")
        }
        let after = try next()
        guard case .streamEnd = after.content else { throw YAMLEventError(after.start, "one document") }
        return root
    }

    private mutating func next() throws(YAMLEventError) -> YAMLEvent {
        let event = try events.next()
        end = event.end
        return event
    }

    private var text: [Unicode.Scalar] { events.text }

    private func character(at index: Int) -> Unicode.Scalar? { index < text.count ? text[index] : nil }

    /// The value that an event begins.
    ///
    /// - Parameters:
    ///   - path: the keys that lead here, to name a key given twice.
    ///   - depth: how many collections it is in.
    private mutating func node(_ event: YAMLEvent, _ path: [String], depth: Int) throws(YAMLEventError) -> YAMLNode {
        let content: YAMLNode.Content
        switch event.content {
        case .scalar(let value, let style):
            try checkScalar(event, style)
            content = style == .plain && Self.nulls.contains(value) ? .null : .text(value)
        case .listStart, .mappingStart:
            guard !event.isMarked else { throw marked(event) }
            guard depth < Self.levels else { throw YAMLEventError(event.start, "at most \(Self.levels) levels") }
            if case .listStart = event.content {
                content = .list(try list(path, depth: depth + 1))
            } else {
                try refusePair(event)
                content = .mapping(try mapping(path, depth: depth + 1))
            }
        case .alias: throw marked(event)
        default: throw YAMLEventError(event.start, "a value")
        }
        // A comment follows white space (YAML 1.2 §6.6); libyaml doesn't mind.
        guard character(at: end) != "#" else {
            throw YAMLEventError(end, "the end of the line (quote a value that holds \" #\")")
        }
        return YAMLNode(line: event.line, content: content)
    }

    private func marked(_ event: YAMLEvent) -> YAMLEventError {
        YAMLEventError(
            event.start,
            "quotes around a value that starts with \"*\", \"&\" or \"!\" (aliases, anchors and tags are not taken)")
    }

    private func checkScalar(_ event: YAMLEvent, _ style: YAMLEvent.Style) throws(YAMLEventError) {
        guard !event.isMarked else { throw marked(event) }
        guard style != .block else {
            throw YAMLEventError(event.start, "a value on one line, in quotes (block scalars are not taken)")
        }
        let written = text[event.start..<event.end]
        guard let lineEnd = written.firstIndex(where: { $0 == "\n" || $0 == "\r" }) else { return }
        guard style == .plain else { throw YAMLEventError(lineEnd, "the closing quote on the same line") }
        let continuation = written[lineEnd...].firstIndex { $0 != "\n" && $0 != "\r" && $0 != " " && $0 != "\t" }
        throw YAMLEventError(
            continuation ?? lineEnd, "the indentation of the lines before (a value must end on its own line)")
    }

    /// `[key: value]`, which is a list of a mapping without its braces.
    private mutating func refusePair(_ event: YAMLEvent) throws(YAMLEventError) {
        guard case .mappingStart(isFlow: true) = event.content, character(at: event.start) != "{" else { return }
        let hasQuestionMark = character(at: event.start) == "?"
        throw YAMLEventError(hasQuestionMark ? event.start : try next().end, "\",\" or \"]\"")
    }

    private mutating func list(_ path: [String], depth: Int) throws(YAMLEventError) -> [YAMLNode] {
        var nodes: [YAMLNode] = []
        while true {
            let event = try next()
            if case .listEnd = event.content { return nodes }
            nodes.append(try node(event, path, depth: depth))
        }
    }

    private mutating func mapping(_ path: [String], depth: Int) throws(YAMLEventError) -> [YAMLEntry] {
        var entries: [YAMLEntry] = []
        var known: Set<String> = []
        while true {
            let event = try next()
            if case .mappingEnd = event.content { return entries }
            let key = try key(event, depth: depth)
            let value = try node(try next(), path + [key], depth: depth)
            if known.insert(key).inserted {
                entries.append(YAMLEntry(key: key, line: event.line, value: value))
            } else {
                duplicates.append(YAMLDocument.Duplicate(path: path + [key], line: event.line))
            }
        }
    }

    /// A key: a text, and on the same line a colon behind it.
    private mutating func key(_ event: YAMLEvent, depth: Int) throws(YAMLEventError) -> String {
        if let before = text[..<event.start].lastIndex(where: { $0 != " " && $0 != "\t" }), text[before] == "?" {
            throw YAMLEventError(before, "a key without \"?\", or quotes around one that starts with it")
        }
        guard case .scalar(let key, let style) = event.content, style != .plain || !key.isEmpty else {
            _ = try node(event, [], depth: depth)
            throw YAMLEventError(end, "a text as key")
        }
        try checkScalar(event, style)
        let colon = text[event.end...].firstIndex { $0 != " " && $0 != "\t" } ?? text.count
        guard character(at: colon) == ":" else { throw YAMLEventError(colon, "\": \" after the key") }
        return key
    }
}
