/// A document taken apart, as strictly as our own writer writes: every element closed in its turn, every value quoted.
struct Markup {
    struct Element {
        let name: String
        let attributes: [String: String]
    }

    struct Malformed: Error {
        let near: String
    }

    private(set) var elements: [Element] = []
    /// What is written between tags, the style sheet left out.
    private(set) var texts: [String] = []
    private(set) var style = ""
    /// The names of the elements around each text.
    private var open: [String] = []

    private static let void: Set<String> = ["meta", "img", "input"]

    init(_ page: some StringProtocol) throws {
        var rest = Substring(page)
        let doctype = "<!DOCTYPE html>\n"
        guard rest.hasPrefix(doctype) else { throw Malformed(near: String(rest.prefix(40))) }
        rest.removeFirst(doctype.count)
        while let start = rest.firstIndex(of: "<") {
            take(text: rest[..<start])
            guard let end = rest[start...].firstIndex(of: ">") else { throw Malformed(near: String(rest.prefix(40))) }
            try take(tag: rest[rest.index(after: start)..<end])
            rest = rest[rest.index(after: end)...]
        }
        guard open.isEmpty, rest == "\n" else { throw Malformed(near: String(rest.prefix(40))) }
    }

    func all(_ name: String) -> [Element] { elements.filter { $0.name == name } }

    private mutating func take(text: Substring) {
        if open.last == "style" { style += text } else if !text.isEmpty { texts.append(String(text)) }
    }

    private mutating func take(tag: Substring) throws {
        if tag.hasPrefix("/") {
            guard open.popLast() == String(tag.dropFirst()) else { throw Malformed(near: String(tag)) }
            return
        }
        let name = tag.prefix { $0.isLetter || $0.isNumber }
        var attributes: [String: String] = [:]
        var rest = tag[name.endIndex...]
        while !rest.isEmpty {
            guard rest.removeFirst() == " ", let equals = rest.firstIndex(of: "="),
                rest[rest.index(after: equals)...].first == "\""
            else { throw Malformed(near: String(tag)) }
            let value = rest[rest.index(equals, offsetBy: 2)...].prefix { $0 != "\"" }
            guard value.endIndex < rest.endIndex,
                attributes.updateValue(String(value), forKey: String(rest[..<equals])) == nil
            else { throw Malformed(near: String(tag)) }
            rest = rest[rest.index(after: value.endIndex)...]
        }
        elements.append(Element(name: String(name), attributes: attributes))
        if !Self.void.contains(String(name)) { open.append(String(name)) }
    }
}
