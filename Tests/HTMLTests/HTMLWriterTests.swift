import HTML
import Testing

@Suite struct `The writer of HTML` {
    private let evil = "</p><script>alert('\"&')</script>"
    private let harmless = "&lt;/p&gt;&lt;script&gt;alert(&#39;&quot;&amp;&#39;)&lt;/script&gt;"

    @Test func `lets no text and no value of an attribute become markup`() {
        var page = HTMLWriter()
        page.element("p", attributes: ["title": evil]) { $0.text(evil) }
        page.element("p", evil)
        page.void("input", attributes: ["name": evil, "value": evil])
        page.prose("`\(evil)`")
        #expect(
            page.html == "<p title=\"\(harmless)\">\(harmless)</p><p>\(harmless)</p>"
                + "<input name=\"\(harmless)\" value=\"\(harmless)\"><code>\(harmless)</code>")
    }

    @Test func `closes an element after what it holds, and gives a void one no end`() {
        var page = HTMLWriter()
        page.element("ul") { list in
            list.element("li") { $0.void("img", attributes: ["alt": ""]) }
        }
        #expect(page.html == "<ul><li><img alt=\"\"></li></ul>")
    }

    @Test func `keeps letters of every script, and what several scalars make`() {
        var page = HTMLWriter()
        page.text("Blåbær, ¿qué?, 日本, 👩‍👩‍👧, e\u{301}")
        #expect(page.html == "Blåbær, ¿qué?, 日本, 👩‍👩‍👧, e\u{301}")
    }

    @Test func `makes code of what stands between backticks`() {
        var page = HTMLWriter()
        page.prose("Send `code` & `state`.")
        #expect(page.html == "Send <code>code</code> &amp; <code>state</code>.")
    }

    @Test func `writes markup and a style sheet of ours as they are`() {
        var page = HTMLWriter()
        page.markup("<hr>")
        page.style("a>b{content:\"&\"}")
        #expect(page.html == "<hr><style>a>b{content:\"&\"}</style>")
    }
}
