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

    @Test func `describes a body once for all its types`() {
        let content = DocumentTests.document["paths"]?["/things"]?["delete"]?["requestBody"]?["content"]
        let media: JSONValue = ["schema": ["$ref": "#/components/schemas/Thing"], "example": ["name": "a"]]
        #expect(content == ["application/json": media, "text/plain": media])
    }
}

enum DocumentTests {
    static let document = OpenAPIDocument(
        info: ["title": "Things", "version": "1", "description": "All of them."], server: "/",
        tags: [OpenAPIDocument.Tag(name: "Things", description: "What there is.")],
        operations: [
            operation("GET", "/things", security: [["key"], ["key", "token"]]), operation("GET", "/other"),
            operation(
                "DELETE", "/things",
                body: RequestBodyObject(
                    schema: "Thing", example: ["name": "a"], types: ["application/json", "text/plain"])),
        ],
        components: OpenAPIDocument.Components(
            schemas: [
                ("Thing", Schema.object("A thing.", required: ["name"], ["name": Schema.text("Its name.")])),
                ("Code", ["oneOf": [["const": "gone", "title": "404", "description": "It is gone."]]]),
            ],
            parameters: [], headers: [("Age", ["description": "How old it is."])],
            examples: [("gone", ["summary": "It is gone."])], responses: [], securitySchemes: [])
    ).json

    private static func operation(
        _ method: String, _ path: String, body: RequestBodyObject? = nil, security: [[String]] = []
    ) -> OperationObject {
        let success = ResponseObject(
            description: "There it is.", headers: ["Age"], schema: Reference.schema("Thing"), type: "application/json")
        let error: JSONValue = [
            "description": "No.",
            "content": ["application/json": ["examples": ["gone": Reference.example("gone")]]],
        ]
        return OperationObject(
            method: method, path: path, tag: "Things", summary: "Do it", description: "Does it.", id: method + path,
            parameters: [], body: body, responses: [(200, success.json), (404, error)], security: security)
    }
}
