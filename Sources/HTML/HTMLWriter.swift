/// Writes HTML. Everything that is not markup of ours goes through ``text(_:)``, which lets nothing become markup.
public struct HTMLWriter {
    /// What has been written.
    public private(set) var html = ""

    public init() {}

    /// A text, as itself.
    public mutating func text(_ text: String) {
        for character in text.unicodeScalars {
            switch character {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            case "\"": html += "&quot;"
            case "'": html += "&#39;"
            default: html.unicodeScalars.append(character)
            }
        }
    }

    /// An element around what `content` writes.
    ///
    /// - Parameters:
    ///   - name: the element's name and nothing else.
    ///   - attributes: names of ours, and values, which may be anything.
    public mutating func element(
        _ name: StaticString, attributes: KeyValuePairs<StaticString, String> = [:],
        _ content: (inout HTMLWriter) -> Void
    ) {
        void(name, attributes: attributes)
        content(&self)
        html += "</\(name)>"
    }

    /// An element around a text.
    public mutating func element(
        _ name: StaticString, attributes: KeyValuePairs<StaticString, String> = [:], _ text: String
    ) {
        element(name, attributes: attributes) { $0.text(text) }
    }

    /// An element that has neither content nor an end tag (HTML §13.1.2, void elements).
    ///
    /// - Parameters:
    ///   - name: the element's name and nothing else.
    ///   - attributes: names of ours, and values, which may be anything.
    public mutating func void(_ name: StaticString, attributes: KeyValuePairs<StaticString, String> = [:]) {
        html += "<\(name)"
        for (name, value) in attributes {
            html += " \(name)=\""
            text(value)
            html += "\""
        }
        html += ">"
    }

    /// A text in which what stands between backticks is code (CommonMark §6.1).
    public mutating func prose(_ text: String) {
        for (index, piece) in text.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
            if index.isMultiple(of: 2) { self.text(String(piece)) } else { element("code", String(piece)) }
        }
    }

    /// Markup of ours.
    public mutating func markup(_ text: StaticString) { html += "\(text)" }

    /// A style sheet of ours. It is no text to HTML, so it must not be escaped.
    public mutating func style(_ sheet: StaticString) { html += "<style>\(sheet)</style>" }
}
