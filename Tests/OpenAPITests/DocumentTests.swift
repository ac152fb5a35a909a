import JSON
import OpenAPI
import Testing

@Suite struct `A document of OpenAPI` {
    @Test func `puts the methods of a path together, where the first of them stands`() {
        let paths = DocumentTests.document["paths"]?.object?.members ?? []
        #expect(paths.map(\.name) == ["/things", "/other"])
        #expect(paths.first?.value.object?.members.map(\.name) == ["get", "delete"])
    }

    @Test func `names the schemes of each alternative that an operation takes`() {
        let security = DocumentTests.document["paths"]?["/things"]?["get"]?["security"]
        #expect(security == [["key": []], ["key": [], "token": []]])
        #expect(DocumentTests.document["paths"]?["/other"]?["get"]?["security"] == [])
    }

    @Test func `describes a body in one type, and what is answered otherwise`() {
        let operation = DocumentTests.document["paths"]?["/things"]?["delete"]
        let media: JSONValue = ["schema": ["$ref": "#/components/schemas/Thing"], "example": ["name": "it's"]]
        #expect(operation?["requestBody"]?["content"] == ["application/json": media])
        #expect(operation?["responses"]?["default"] == ["$ref": "#/components/responses/Refusal"])
    }

    @Test func `has the components that something refers to, and no others`() {
        let components = DocumentTests.document["components"]
        #expect(components?["schemas"]?.object?.members.map(\.name) == ["Thing", "Part"])
        #expect(components?["securitySchemes"]?.object?.members.map(\.name) == ["key", "token"])
        #expect(components?["parameters"] == nil)
    }

    @Test func `names what must be there only where something must`() {
        #expect(Schema.object("Nothing.", []) == ["type": "object", "description": "Nothing.", "properties": [:]])
    }

    @Test func `puts the members of two schemas into one, of which the further one counts`() {
        let base = Schema.object("A.", required: ["a"], ["a": Schema.text("1."), "b": Schema.text("2.")])
        let both = Schema.extending(
            base, with: Schema.object("B.", required: ["c"], ["b": Schema.text("3."), "c": Schema.text("4.")]))
        let expected = Schema.object(
            "B.", required: ["a", "c"], ["a": Schema.text("1."), "b": Schema.text("3."), "c": Schema.text("4.")])
        #expect(both == expected)
    }
}

enum DocumentTests {
    static let document = document(server: "/")

    static func document(server: String) -> JSONValue {
        OpenAPIDocument(
            info: [
                "title": "Things", "version": "1",
                "description": "All of them.\n1. First `GET /things`.\n2. Then rest.",
            ],
            server: server, tags: [OpenAPIDocument.Tag(name: "Things", description: "What there is.")],
            operations: [
                operation("GET", "/things", security: [["key"], ["key", "token"]]), operation("GET", "/other"),
                operation(
                    "DELETE", "/things",
                    body: RequestBodyObject(schema: "Thing", example: ["name": "it's"], type: "application/json")),
            ],
            components: OpenAPIDocument.Components(
                schemas: [
                    (
                        "Thing",
                        Schema.object(
                            "A thing.", required: ["name"],
                            ["name": Schema.text("Its name."), "part": Reference.schema("Part")])
                    ), ("Part", Schema.object("A part.", [])), ("Unused", Schema.object("Nothing.", [])),
                ],
                parameters: [("Unused", [:])], headers: [("Age", ["description": "How old it is."])],
                examples: [("gone", ["summary": "404 Not Found", "description": "It is gone."])],
                responses: [("Refusal", error)],
                securitySchemes: [
                    ("key", ["type": "apiKey", "in": "header", "name": "X-KEY"]),
                    ("token", ["type": "http", "scheme": "bearer"]), ("unused", [:]),
                ])
        ).json
    }

    private static let error: JSONValue = [
        "description": "No.",
        "content": ["application/json": ["examples": ["gone": Reference.example("gone")]]],
    ]

    private static func operation(
        _ method: String, _ path: String, body: RequestBodyObject? = nil, security: [[String]] = []
    ) -> OperationObject {
        let success = ResponseObject(
            description: "There it is.", headers: ["Age"], schema: Reference.schema("Thing"), type: "application/json")
        return OperationObject(
            method: method, path: path, tag: "Things", summary: "Do it", description: "Does it.", id: method + path,
            parameters: [], body: body, responses: [(200, success.json), (404, error)],
            otherwise: Reference.response("Refusal"), security: security)
    }
}
