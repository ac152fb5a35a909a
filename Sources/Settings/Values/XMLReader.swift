internal import Syntax

/// Reads a document of XML 1.0 that needs nothing but elements, attributes, texts and comments, and refuses the rest:
/// document types, entities, CDATA, instructions, other encodings than UTF-8. Every reader of such a document sees the
/// same in it, so that a browser finds nothing that was not looked at here. It reads bytes, since marks that combine
/// with a character before them hide that from a reader that compares characters.
struct XMLReader {
    struct Attribute {
        let name: String
        let value: String
    }

    enum Event {
        case start(name: String, attributes: [Attribute])
        case end(name: String)
        case text(String)
    }

    private static let deepest = 64
    private static let entities: KeyValuePairs<StaticString, StaticString> = [
        "amp;": "&", "lt;": "<", "gt;": ">", "quot;": "\"", "apos;": "'",
    ]

    private var rest: ArraySlice<UInt8>
    private var open: [String] = []
    private var hasRoot = false
    /// The end of an element that is its own end tag.
    private var isEmptyElement = false

    /// - Throws: for what is no UTF-8, has control characters, or says that it is encoded otherwise.
    init(_ bytes: [UInt8]) throws(LogoFault) {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw LogoFault("bytes that are no UTF-8") }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || Self.isBlank($0) }) else {
            throw LogoFault("control characters")
        }
        rest = bytes[...]
        _ = take("\u{FEFF}")
        try skipDeclaration()
    }

    /// - Returns: nil at the end.
    mutating func next() throws(LogoFault) -> Event? {
        if isEmptyElement {
            isEmptyElement = false
            return .end(name: open.removeLast())
        }
        while true {
            if rest.isEmpty {
                guard hasRoot, open.isEmpty else { throw LogoFault("an end before its elements have ended") }
                return nil
            }
            if take("<!--") {
                try skipComment()
            } else if starts("<!") {
                throw LogoFault("a document type, an entity or CDATA")
            } else if starts("<?") {
                throw LogoFault("a processing instruction")
            } else if take("</") {
                return try endTag()
            } else if take("<") {
                return try startTag()
            } else {
                let text = try decoded(take { $0 != UInt8(ascii: "<") })
                if !open.isEmpty { return .text(text) }
                guard text.utf8.allSatisfy(Self.isBlank) else { throw LogoFault("text outside of its element") }
            }
        }
    }

    private mutating func startTag() throws(LogoFault) -> Event {
        guard !open.isEmpty || !hasRoot else { throw LogoFault("a second element outside of the first") }
        guard open.count < Self.deepest else { throw LogoFault("elements deeper than \(Self.deepest)") }
        hasRoot = true
        let name = try self.name()
        var attributes: [Attribute] = []
        while true {
            let isSeparate = !take(while: Self.isBlank).isEmpty
            if take("/>") {
                isEmptyElement = true
                break
            }
            if take(">") { break }
            guard isSeparate else { throw LogoFault("a broken tag", named: name) }
            let attribute = try self.attribute()
            guard !attributes.contains(where: { $0.name == attribute.name }) else {
                throw LogoFault("twice the attribute", named: attribute.name)
            }
            attributes.append(attribute)
        }
        open.append(name)
        return .start(name: name, attributes: attributes)
    }

    private mutating func endTag() throws(LogoFault) -> Event {
        let name = try self.name()
        _ = take(while: Self.isBlank)
        guard take(">"), open.popLast() == name else { throw LogoFault("an end tag out of place:", named: name) }
        return .end(name: name)
    }

    private mutating func attribute() throws(LogoFault) -> Attribute {
        let name = try self.name()
        _ = take(while: Self.isBlank)
        guard take("=") else { throw LogoFault("no value for the attribute", named: name) }
        _ = take(while: Self.isBlank)
        let quote: UInt8
        if take("\"") {
            quote = UInt8(ascii: "\"")
        } else if take("'") {
            quote = UInt8(ascii: "'")
        } else {
            throw LogoFault("no quotes around the attribute", named: name)
        }
        let value = take { $0 != quote && $0 != UInt8(ascii: "<") }
        guard rest.popFirst() == quote else { throw LogoFault("a broken value of the attribute", named: name) }
        return Attribute(name: name, value: try decoded(value))
    }

    /// Of ASCII, which all that pictures are made of is.
    private mutating func name() throws(LogoFault) -> String {
        let name = take { $0.isAlphanumeric || $0 == 0x2D || $0 == 0x2E || $0 == 0x3A || $0 == 0x5F }
        guard name.first?.isLetter == true else { throw LogoFault("a broken tag") }
        return Self.text(name)
    }

    /// The five entities that need no declaration (XML 1.0 §4.6). Numbers would only hide what somebody else reads.
    private func decoded(_ bytes: ArraySlice<UInt8>) throws(LogoFault) -> String {
        let parts = bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        var decoded = Self.text(parts.first ?? [])
        for part in parts.dropFirst() {
            guard let (entity, character) = Self.entities.first(where: { Self.starts(part, with: $0.key) }) else {
                throw LogoFault("the entity", named: Self.text(part.prefix { $0 != UInt8(ascii: ";") }))
            }
            decoded += "\(character)" + Self.text(part.dropFirst(entity.utf8CodeUnitCount))
        }
        return decoded
    }

    private mutating func skipDeclaration() throws(LogoFault) {
        guard starts("<?xml ") else { return }
        let declaration = Self.text(take { $0 != UInt8(ascii: ">") }).lowercased()
        let isUTF8 = declaration.contains("encoding=\"utf-8\"") || declaration.contains("encoding='utf-8'")
        guard isUTF8 || !declaration.contains("encoding") else { throw LogoFault("another encoding than UTF-8") }
        guard declaration.utf8.last == UInt8(ascii: "?"), take(">") else { throw LogoFault("a broken declaration") }
    }

    /// XML 1.0 §2.5: two hyphens end a comment, and nothing else.
    private mutating func skipComment() throws(LogoFault) {
        while !starts("--") {
            guard rest.popFirst() != nil else { throw LogoFault("a comment without an end") }
        }
        guard take("-->") else { throw LogoFault("two hyphens in a comment") }
    }

    private func starts(_ text: StaticString) -> Bool { Self.starts(rest, with: text) }

    private static func starts(_ bytes: ArraySlice<UInt8>, with text: StaticString) -> Bool {
        bytes.starts(with: "\(text)".utf8)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private mutating func take(_ text: StaticString) -> Bool {
        guard starts(text) else { return false }
        rest = rest.dropFirst(text.utf8CodeUnitCount)
        return true
    }

    private mutating func take(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = rest.prefix(while: isWanted)
        rest = rest[taken.endIndex...]
        return taken
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
