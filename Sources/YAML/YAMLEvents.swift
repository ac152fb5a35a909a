internal import CYAML

/// What libyaml's parser says next, as a value of Swift's. Places are in characters from the beginning of the text.
struct YAMLEvent {
    enum Style {
        case plain, quoted, block
    }

    enum Content {
        case documentStart(hasDirectives: Bool)
        case documentEnd(isWritten: Bool)
        case scalar(String, Style)
        case listStart
        case listEnd
        case mappingStart(isFlow: Bool)
        case mappingEnd
        case alias
        case streamStart
        case streamEnd
    }

    let content: Content
    /// Whether an anchor or a tag stands before it.
    let isMarked: Bool
    let start: Int
    let end: Int
    /// Counted from 1.
    let line: Int
}

/// libyaml's parser, at work on one text.
///
/// Proof of each `unsafe`: the parser and its input are allocated here, never leave, and are freed by their one owner's
/// `deinit`; what an event points to is copied before the event is deleted.
@safe struct YAMLEvents: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>
    /// What is read.
    let text: [Unicode.Scalar]

    /// - Parameter text: without a byte order mark, so that places in it are libyaml's.
    init(_ text: [Unicode.Scalar]) throws(YAMLEventError) {
        self.text = text
        var utf8 = String.UnicodeScalarView()
        utf8.append(contentsOf: text)
        let bytes = Array(String(utf8).utf8)
        unsafe parser = .allocate(capacity: 1)
        unsafe input = .allocate(capacity: bytes.count)
        _ = unsafe input.initialize(fromContentsOf: bytes)
        unsafe parser.initialize(to: yaml_parser_t())
        guard unsafe yaml_parser_initialize(parser) == 1 else {
            // A value that was not made has no `deinit`.
            unsafe parser.deallocate()
            unsafe input.deallocate()
            throw YAMLEventError(0, "more memory")
        }
        unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        unsafe yaml_parser_set_input_string(parser, input.baseAddress, input.count)
    }

    deinit {
        unsafe yaml_parser_delete(parser)
        unsafe parser.deallocate()
        unsafe input.deallocate()
    }

    /// The next event, until the stream ends.
    mutating func next() throws(YAMLEventError) -> YAMLEvent {
        var event = unsafe yaml_event_t()
        guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw fault }
        defer { unsafe yaml_event_delete(&event) }
        let (content, isMarked) = unsafe Self.content(event)
        return unsafe YAMLEvent(
            content: content, isMarked: isMarked, start: event.start_mark.index, end: event.end_mark.index,
            line: event.start_mark.line + 1)
    }

    private static func content(_ event: yaml_event_t) -> (YAMLEvent.Content, isMarked: Bool) {
        let data = unsafe event.data
        switch unsafe event.type {
        case YAML_DOCUMENT_START_EVENT:
            let tags = unsafe data.document_start.tag_directives
            let hasDirectives = unsafe data.document_start.version_directive != nil || tags.start != tags.end
            return (.documentStart(hasDirectives: hasDirectives), false)
        case YAML_DOCUMENT_END_EVENT: return unsafe (.documentEnd(isWritten: data.document_end.implicit == 0), false)
        case YAML_SCALAR_EVENT:
            let scalar = unsafe data.scalar
            let text = unsafe String(
                decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            return unsafe (.scalar(text, style(scalar.style)), scalar.anchor != nil || scalar.tag != nil)
        case YAML_SEQUENCE_START_EVENT:
            return unsafe (.listStart, data.sequence_start.anchor != nil || data.sequence_start.tag != nil)
        case YAML_SEQUENCE_END_EVENT: return (.listEnd, false)
        case YAML_MAPPING_START_EVENT:
            let mapping = unsafe data.mapping_start
            let isFlow = unsafe mapping.style == YAML_FLOW_MAPPING_STYLE
            return unsafe (.mappingStart(isFlow: isFlow), mapping.anchor != nil || mapping.tag != nil)
        case YAML_MAPPING_END_EVENT: return (.mappingEnd, false)
        case YAML_ALIAS_EVENT: return (.alias, false)
        case YAML_STREAM_START_EVENT: return (.streamStart, false)
        default: return (.streamEnd, false)
        }
    }

    private static func style(_ style: yaml_scalar_style_t) -> YAMLEvent.Style {
        switch style {
        case YAML_PLAIN_SCALAR_STYLE: .plain
        case YAML_SINGLE_QUOTED_SCALAR_STYLE, YAML_DOUBLE_QUOTED_SCALAR_STYLE: .quoted
        default: .block
        }
    }

    /// Why libyaml could not go on. Its sentences are constants, in which nothing of the text can be.
    private var fault: YAMLEventError {
        let parser = unsafe self.parser.pointee
        guard let problem = unsafe parser.problem else {
            return unsafe YAMLEventError(parser.mark.index, "more memory")
        }
        var place = unsafe parser.problem_mark.index
        var reason = unsafe String(cString: problem)
        if let context = unsafe parser.context {
            reason = unsafe "\(String(cString: context)): \(reason)"
            // Nothing that a scanner reads goes beyond its line here, so there is where the end was missing.
            if unsafe parser.error == YAML_SCANNER_ERROR {
                let lineEnd = unsafe text[parser.context_mark.index...].firstIndex { $0 == "\n" || $0 == "\r" }
                place = min(place, lineEnd ?? text.count)
            }
        }
        return YAMLEventError(
            place, "YAML (\(reason)); a value that holds \": \" or \" #\", or starts with punctuation, needs quotes")
    }
}
