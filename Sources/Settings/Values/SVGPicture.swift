internal import Syntax

/// An SVG document that is a picture and nothing else: it runs nothing, fetches nothing, holds nothing foreign, and
/// draws nothing a thousand times over.
///
/// What it may have is listed, and what it may not is everything else. Browsers load no scripts and nothing from
/// elsewhere for a picture on a page, and the answer's policy forbids both to who opens it by itself; this is for
/// whatever reads it without either.
enum SVGPicture {
    /// SVG 2 §5 to §14. Without what loads (`image`, `feImage`), leads away (`a`), runs (`script`, `animate`, `set`),
    /// holds other languages (`foreignObject`, `metadata`) or costs much (`filter`, `pattern`, `marker`).
    private static let elements: Set<String> = [
        "svg", "g", "defs", "symbol", "use", "title", "desc", "style", "path", "rect", "circle", "ellipse", "line",
        "polyline", "polygon", "text", "tspan", "linearGradient", "radialGradient", "stop", "clipPath", "mask",
    ]
    private static let namespace = "http://www.w3.org/2000/svg"
    private static let prefixedAttributes: Set<String> = ["xlink:href", "xml:space", "xml:lang"]
    /// Of parts of the picture by other parts, which multiply where they are nested.
    private static let mostReferences = 24
    /// Whose values refer to what is drawn, as a gradient is not.
    private static let drawing: Set<String> = ["mask", "clip-path"]

    static func check(_ bytes: [UInt8]) throws(LogoFault) {
        var reader = try XMLReader(bytes)
        var references = 0
        var open: [String] = []
        while let event = try reader.next() {
            switch event {
            case .start(let name, let attributes):
                guard elements.contains(name) else { throw LogoFault("the element", named: name) }
                if open.isEmpty { try checkRoot(name, attributes) }
                open.append(name)
                for attribute in attributes {
                    try check(attribute)
                    if drawing.contains(attribute.name) || name == "use" && isReference(attribute) { references += 1 }
                }
                guard references <= mostReferences else {
                    throw LogoFault("more than \(mostReferences) references of parts to others")
                }
            case .text(let text): if open.last == "style" { try PictureStyle.check(text) }
            case .end: open.removeLast()
            }
        }
    }

    private static func checkRoot(_ name: String, _ attributes: [XMLReader.Attribute]) throws(LogoFault) {
        guard name == "svg" else { throw LogoFault("another root than svg:", named: name) }
        guard attributes.contains(where: { $0.name == "xmlns" }) else { throw LogoFault("no xmlns") }
    }

    private static func isReference(_ attribute: XMLReader.Attribute) -> Bool {
        attribute.name == "href" || attribute.name == "xlink:href"
    }

    private static func check(_ attribute: XMLReader.Attribute) throws(LogoFault) {
        let (name, value) = (attribute.name, attribute.value)
        if name == "xmlns" {
            guard value == namespace else { throw LogoFault("the namespace", named: value) }
            return
        }
        // A prefix does nothing unless it is used.
        if name.hasPrefix("xmlns:") { return }
        if name.lowercased().hasPrefix("on") { throw LogoFault("the event handler", named: name) }
        guard !name.contains(":") || prefixedAttributes.contains(name) else {
            throw LogoFault("the attribute", named: name)
        }
        if isReference(attribute) {
            guard value.hasPrefix("#") else { throw LogoFault("a reference to elsewhere in", named: name) }
        } else if name == "style" {
            try PictureStyle.check(value)
        } else {
            try PictureStyle.checkValue(value)
        }
    }
}

/// The CSS of a picture.
private enum PictureStyle {
    /// Those that compute, and `url`, whose argument is looked at.
    private static let functions: Set<String> = [
        "", "rgb", "rgba", "hsl", "hsla", "url", "matrix", "translate", "translatex", "translatey", "scale", "scalex",
        "scaley", "rotate", "skewx", "skewy",
    ]
    /// What refers to other parts is written as attributes, where it is counted.
    private static let words = ["mask", "clip-path", "filter", "marker", "binding", "behavior", "animation"]

    /// Declarations, or rules of them.
    static func check(_ text: String) throws(LogoFault) {
        guard !text.contains("@") else { throw LogoFault("@ in its style") }
        let lowercased = text.lowercased()
        if let word = words.first(where: lowercased.contains) { throw LogoFault("in its style", named: word) }
        try checkValue(text)
    }

    /// A value of an attribute, which is CSS where it is one of presentation (SVG 2 §6.6).
    static func checkValue(_ text: String) throws(LogoFault) {
        // It writes a character in another way (CSS Syntax §2.1).
        guard !text.utf8.contains(UInt8(ascii: "\\")) else { throw LogoFault("a backslash in its style") }
        let pieces = text.lowercased().utf8.split(separator: UInt8(ascii: "("), omittingEmptySubsequences: false)
        for (piece, argument) in zip(pieces, pieces.dropFirst()) {
            let name = String(decoding: piece.reversed().prefix(while: isOfName).reversed(), as: UTF8.self)
            guard functions.contains(name) else { throw LogoFault("the function", named: name) }
            guard name != "url" || argument.first == UInt8(ascii: "#") else {
                throw LogoFault("a reference to elsewhere in", named: "url()")
            }
        }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte >= 0x80
    }
}
