import JSON
import OpenAPI
import Testing

@Suite struct `The page of a document` {
    private static let wording = DocumentationPage.Wording(documentPath: "/document", errorSchema: "Code") {
        alternatives in
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
        #expect(page.contains("<a href=\"#error-gone\"><code>gone</code></a></td><td>It is gone.</td>"))
        #expect(page.contains("<tr id=\"error-gone\">"))
        #expect(page.contains("<a href=\"/document\">"))
        #expect(!page.contains("schema-Code"))
    }
}

extension String {
    fileprivate func count(of character: Character) -> Int { count { $0 == character } }
}
