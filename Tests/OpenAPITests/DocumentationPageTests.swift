import JSON
import OpenAPI
import Testing

@Suite struct `The page of a document` {
    private static let wording = DocumentationPage.Wording(
        documentPath: "/document", usualAddress: "http://127.0.0.1:1", commonErrors: "Refusal"
    ) { alternatives in
        alternatives.map { $0.sorted().joined(separator: " and ") }.joined(separator: ", or ")
    }

    @Test func `lets no text become markup`() {
        let evil = "</code><script>alert('\"&')</script>`<b>`"
        let document: JSONValue = [
            "info": ["title": .string(evil), "version": "1", "description": .string(evil)],
            "servers": [["url": .string(evil)]],
            "tags": [["name": .string(evil), "description": .string(evil)]],
            "paths": [
                evil: [
                    evil: [
                        "tags": [.string(evil)], "operationId": .string(evil), "summary": .string(evil),
                        "description": .string(evil), "parameters": [["name": .string(evil), "in": .string(evil)]],
                        "requestBody": ["content": [evil: ["example": .string(evil)]]],
                        "responses": [
                            "200": [
                                "description": .string(evil),
                                "content": [evil: ["schema": ["type": .string(evil)], "example": .string(evil)]],
                            ]
                        ],
                    ]
                ]
            ],
            "components": [
                "schemas": [evil: ["description": .string(evil), "properties": [evil: ["$ref": .string(evil)]]]]
            ],
        ]
        let page = DocumentationPage(document, wording: Self.wording).html
        #expect(!page.contains("<script") && !page.contains("<b>"))
        #expect(page.contains("&lt;/code&gt;&lt;script&gt;alert(&#39;&quot;&amp;&#39;)"))
        #expect(page.count(of: "<") == page.count(of: ">"))
    }

    @Test func `says what an operation needs, and what it answers, with links to what is described elsewhere`() {
        let page = DocumentationPage(DocumentTests.document, wording: Self.wording).html
        #expect(page.contains("<p>Needs: key, or key and token.</p>"))
        #expect(page.contains("<a href=\"#schema-Thing\">Thing</a> as <code>application/json</code>"))
        let error = "<a href=\"#error-gone\"><code>gone</code></a> 404 Not Found</dt><dd>It is gone.</dd>"
        #expect(page.ranges(of: error).count == 4)
        #expect(page.contains("<dt id=\"error-gone\">"))
        #expect(page.contains("<a href=\"/document\">"))
    }

    @Test func `shows the way through as steps that lead to the operations`() {
        let page = DocumentationPage(DocumentTests.document, wording: Self.wording).html
        let steps = "<ol><li>First <a href=\"#GET/things\"><code>GET /things</code></a>.</li><li>Then rest.</li></ol>"
        #expect(page.contains("<p>All of them.</p>" + steps))
    }

    @Test func `has a line to copy for each operation, with the address that the document names`() {
        let page = DocumentationPage(DocumentTests.document(server: "https://a.example/"), wording: Self.wording).html
        #expect(page.contains("<code>curl https://a.example/other</code>"))
        #expect(!page.contains("$GATEHOUSE"))
    }

    @Test func `has lines that name a variable where nobody has said the address`() {
        let page = DocumentationPage(DocumentTests.document, wording: Self.wording).html
        #expect(page.contains("GATEHOUSE=http://127.0.0.1:1"))
        #expect(page.contains("curl &quot;$GATEHOUSE&quot;/other"))
    }

    @Test func `takes of the ways to show who asks the one with a token`() {
        let page = DocumentationPage(DocumentTests.document, wording: Self.wording).html
        let credentials = #"-H "X-KEY: $CREDENTIALS" \\#n  -H "Authorization: Bearer $TOKEN""#
        #expect(page.contains(credentials.replacing("\"", with: "&quot;")))
    }

    @Test func `lets nothing of a document be special to a shell`() {
        let server = "https://a.example/$(id)`id`;'\"&"
        let page = DocumentationPage(DocumentTests.document(server: server), wording: Self.wording).html
        #expect(page.contains("curl &#39;https://a.example/$(id)`id`;&#39;\\&#39;&#39;&quot;&amp;/other&#39;"))
        #expect(page.contains("-d &#39;{&quot;name&quot;:&quot;it&#39;\\&#39;&#39;s&quot;}&#39;"))
    }
}

@Suite struct `The page at the root` {
    @Test func `names what there is, with links`() {
        let page = EntrancePage(title: "<b>", sentence: "A & B.", places: [("/docs", "For \"people\".")]).html
        #expect(page.contains("<h1>&lt;b&gt;</h1><p>A &amp; B.</p>"))
        #expect(page.contains("<a href=\"/docs\"><code>/docs</code></a></dt><dd>For &quot;people&quot;.</dd>"))
    }
}

extension String {
    fileprivate func count(of character: Character) -> Int { count { $0 == character } }
}
