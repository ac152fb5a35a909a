/// Writes HTML. Everything that is not markup of ours goes through ``text(_:)``, which lets nothing become markup.
struct HTMLWriter {
    private(set) var html = ""

    /// A text, as itself.
    mutating func text(_ text: String) {
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
    ///   - attributes: names, and values, which may be anything.
    mutating func element(
        _ name: StaticString, attributes: KeyValuePairs<String, String> = [:], _ content: (inout HTMLWriter) -> Void
    ) {
        html += "<\(name)"
        for (name, value) in attributes {
            html += " \(name)=\""
            text(value)
            html += "\""
        }
        html += ">"
        content(&self)
        html += "</\(name)>"
    }

    /// An element around a text.
    mutating func element(_ name: StaticString, attributes: KeyValuePairs<String, String> = [:], _ text: String) {
        element(name, attributes: attributes) { $0.text(text) }
    }

    /// A text in which what stands between backticks is code (CommonMark §6.1).
    mutating func prose(_ text: String) {
        for (index, piece) in text.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
            if index.isMultiple(of: 2) { self.text(String(piece)) } else { element("code", String(piece)) }
        }
    }

    /// Markup of ours.
    mutating func markup(_ text: StaticString) { html += "\(text)" }

    /// A style sheet of ours. It is no text to HTML, so it must not be escaped.
    mutating func style(_ sheet: StaticString) { html += "<style>\(sheet)</style>" }
}
