internal import CYAML

/// What libyaml's parser says next, as a value of Swift's. Places are in characters from the beginning of the text.
struct YAMLEvent {
    let type: yaml_event_type_t
    /// Of a scalar.
    private(set) var (text, isPlain, isBlock) = ("", false, false)
    /// Whether an anchor or a tag stands before it.
    private(set) var isMarked = false
    /// Of a mapping in braces, or a pair in a list.
    private(set) var isFlow = false
    /// Whether a document's directives, or its end, are written out.
    private(set) var isWritten = false
    /// The line is counted from 1.
    let (start, end, line): (Int, Int, Int)

    /// A copy of what the parser has, which it deletes after.
    init(_ event: yaml_event_t) {
        unsafe type = event.type
        unsafe (start, end, line) = (event.start_mark.index, event.end_mark.index, event.start_mark.line + 1)
        let data = unsafe event.data
        switch type {
        case YAML_DOCUMENT_START_EVENT:
            let tags = unsafe data.document_start.tag_directives
            unsafe isWritten = data.document_start.version_directive != nil || tags.start != tags.end
        case YAML_DOCUMENT_END_EVENT: unsafe isWritten = data.document_end.implicit == 0
        case YAML_SCALAR_EVENT:
            let scalar = unsafe data.scalar
            text = unsafe String(
                decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            unsafe isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
            unsafe isBlock = [YAML_LITERAL_SCALAR_STYLE, YAML_FOLDED_SCALAR_STYLE].contains(scalar.style)
            unsafe isMarked = scalar.anchor != nil || scalar.tag != nil
        case YAML_SEQUENCE_START_EVENT:
            unsafe isMarked = data.sequence_start.anchor != nil || data.sequence_start.tag != nil
        case YAML_MAPPING_START_EVENT:
            unsafe isMarked = data.mapping_start.anchor != nil || data.mapping_start.tag != nil
            unsafe isFlow = data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
        default: break
        }
    }
}

extension YAMLEvent {
    /// All that libyaml's parser says of a text without a byte order mark, and why it could not go on.
    ///
    /// Proof of each `unsafe`: parser and bytes stay where they are while the closures run, no pointer to them leaves
    /// these, and what an event points to is copied before the event is deleted.
    @safe static func all(in text: [Unicode.Scalar]) -> (events: ArraySlice<YAMLEvent>, fault: YAMLError?) {
        var parser = unsafe yaml_parser_t()
        var (events, depth): ([YAMLEvent], Int) = ([], 0)
        let failure: YAMLError? = unsafe text.flatMap { Array(String($0).utf8) }.withUnsafeBufferPointer { bytes in
            unsafe withUnsafeMutablePointer(to: &parser) { parser in
                guard unsafe yaml_parser_initialize(parser) == 1 else {
                    return unsafe fault(of: yaml_parser_t(), in: text)
                }
                defer { unsafe yaml_parser_delete(parser) }
                unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
                unsafe yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
                var event = unsafe yaml_event_t()
                // libyaml takes the longer for each level the deeper it is, and the reader refuses such a depth.
                while depth <= YAMLReader.levels, events.last?.type != YAML_STREAM_END_EVENT {
                    guard unsafe yaml_parser_parse(parser, &event) == 1 else {
                        return unsafe fault(of: parser.pointee, in: text)
                    }
                    let type = unsafe event.type
                    if [YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT].contains(type) { depth += 1 }
                    if [YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT].contains(type) { depth -= 1 }
                    unsafe events.append(YAMLEvent(event))
                    unsafe yaml_event_delete(&event)
                }
                return nil
            }
        }
        return (events[...], failure)
    }

    /// libyaml's sentences are constants, in which nothing of the text can be.
    private static func fault(of parser: yaml_parser_t, in text: [Unicode.Scalar]) -> YAMLError {
        guard let problem = unsafe parser.problem else { return YAMLError(at: 0, in: text, expected: "more memory") }
        var (place, reason) = unsafe (parser.problem_mark.index, String(cString: problem))
        if let context = unsafe parser.context {
            reason = unsafe "\(String(cString: context)): \(reason)"
            // Nothing that a scanner reads goes beyond its line here, so there is where the end was missing.
            if unsafe parser.error == YAML_SCANNER_ERROR {
                let lineEnd = unsafe text[parser.context_mark.index...].firstIndex { $0 == "\n" || $0 == "\r" }
                place = min(place, lineEnd ?? text.count)
            }
        }
        let expected = "YAML (\(reason)); a value that holds \": \" or \" #\", or starts with punctuation, needs quotes"
        return YAMLError(at: place, in: text, expected: expected)
    }
}
