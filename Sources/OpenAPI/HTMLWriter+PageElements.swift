import HTML

/// What the pages are made of.
extension HTMLWriter {
    /// The one style sheet of the pages. A word is only broken where it is longer than its line.
    static let sheet: StaticString = """
        :root{color-scheme:light dark;--ink:#1b1f24;--soft:#545c66;--ground:#fff;--box:#f3f4f6;--line:#d5d9de;--link:#1c5bb8}\
        @media(prefers-color-scheme:dark){:root{\
        --ink:#e8eaed;--soft:#aab1ba;--ground:#15171a;--box:#22262b;--line:#3a4048;--link:#9cc1ff}}\
        body{margin:0 auto;max-width:50rem;padding:1rem;font:1rem/1.5 system-ui,sans-serif;color:var(--ink);\
        background:var(--ground);overflow-wrap:break-word}\
        a{color:var(--link)}\
        code,pre{font-family:ui-monospace,monospace;font-size:.9em}\
        pre{background:var(--box);padding:.75rem;border-radius:.375rem;overflow-x:auto}\
        h2{margin-top:3rem;border-bottom:2px solid var(--line)}\
        nav h2{margin:1rem 0 0;border:0;font-size:1rem}\
        nav ul{margin:0;padding-left:1.25rem}\
        h3{margin-top:2.5rem}\
        h4{margin-bottom:.25rem}\
        dl{margin:.5rem 0}\
        dt{margin-top:.5rem;color:var(--soft)}\
        dt code{color:var(--ink);font-weight:600}\
        dd{margin:0 0 0 1.25rem}
        """

    /// A whole document.
    static func page(_ title: String, _ content: (inout HTMLWriter) -> Void) -> String {
        var page = HTMLWriter()
        page.markup("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
        page.markup("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">")
        page.element("title", title)
        page.style(sheet)
        page.markup("</head><body>")
        content(&page)
        page.markup("</body></html>\n")
        return page.html
    }

    mutating func code(_ text: String) { element("code", text) }

    /// Text to copy, or to look at as it is.
    mutating func block(_ text: String) { element("pre") { $0.code(text) } }

    /// Names, each with what is said of it.
    mutating func list(_ content: (inout HTMLWriter) -> Void) { element("dl", content) }

    mutating func entry(_ name: String, _ description: String) {
        element("dt") { $0.code(name) }
        element("dd") { $0.prose(description) }
    }

    /// A description of several lines: paragraphs, and steps where lines are numbered (CommonMark §5.2).
    ///
    /// - Parameter links: where to find what is named between backticks.
    mutating func description(_ text: String, _ links: [String: String]) {
        var steps: [Substring] = []
        for line in text.split(separator: "\n") {
            if line.first?.isNumber == true, let dot = line.firstIndex(of: ".") {
                steps.append(line[dot...].dropFirst().drop { $0 == " " })
                continue
            }
            writeSteps(&steps, links)
            element("p") { $0.prose(line, links) }
        }
        writeSteps(&steps, links)
    }

    private mutating func writeSteps(_ steps: inout [Substring], _ links: [String: String]) {
        if steps.isEmpty { return }
        element("ol") { list in
            for step in steps { list.element("li") { $0.prose(step, links) } }
        }
        steps = []
    }

    private mutating func prose(_ text: Substring, _ links: [String: String]) {
        for (index, piece) in text.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
            if index.isMultiple(of: 2) {
                self.text(String(piece))
            } else if let link = links[String(piece)] {
                element("a", attributes: ["href": link]) { $0.code(String(piece)) }
            } else {
                code(String(piece))
            }
        }
    }
}
