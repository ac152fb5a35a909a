import JSON
import Testing

@testable import WebAPI

@Suite struct `What generators of clients digest` {
    @Test(arguments: [DocumentedAnswers.document, AdminDocument.make(version: "0.0.0", wings: .ofTests)])
    func `is all that a document has`(document: JSONValue) {
        #expect(GeneratorSubset.problems(in: document) == [])
    }

    static let outside: [(JSONValue, String)] = [
        (["anyOf": []], "anyOf"), (["oneOf": []], "oneOf"), (["type": "string", "nullable": true], "nullable"),
        (["type": ["string", "integer"]], "several types"),
        (["$ref": "#/components/schemas/A", "description": "B."], "$ref"),
        (["type": "object", "properties": [:]], "without a name"), (["type": "string", "enum": ["a"]], "enum"),
        (["type": "array", "items": ["type": "object", "properties": [:]]], "without a name"),
    ]

    @Test(arguments: outside) func `is not what a member has otherwise`(schema: JSONValue, words: String) {
        let thing: JSONValue = ["type": "object", "properties": ["a": schema]]
        let problems = GeneratorSubset.problems(in: Self.document(thing: thing))
        #expect(problems.count == 1 && problems.first?.contains(words) == true, "\(problems)")
    }

    @Test func `is no object with members that are known and others`() {
        let thing: JSONValue = ["type": "object", "properties": [:], "additionalProperties": true]
        #expect(GeneratorSubset.problems(in: Self.document(thing: thing)) == ["Thing: properties, and others"])
    }

    @Test func `is no body in two types, and none whose schema has no name`() {
        let media: JSONValue = ["schema": ["$ref": "#/components/schemas/Thing"]]
        let two = Self.document(body: ["application/json": media, "text/plain": media])
        #expect(GeneratorSubset.problems(in: two) == ["get /a body: several media types"])
        let inline = Self.document(body: ["application/json": ["schema": ["type": "object", "properties": [:]]]])
        #expect(GeneratorSubset.problems(in: inline) == ["get /a body: the schema has no name"])
    }

    @Test func `is no operation without a name of its own`() {
        #expect(GeneratorSubset.problems(in: Self.document(ids: ["a", "a"])) == ["a is there twice"])
        #expect(GeneratorSubset.problems(in: Self.document(ids: ["a", "not a name"])).count == 1)
    }

    @Test func `is no other version`() {
        #expect(GeneratorSubset.problems(in: ["openapi": "3.1.0"]) == ["it is not OpenAPI 3.0.3"])
    }

    private static func document(
        thing: JSONValue = ["type": "object", "properties": [:]],
        body: JSONValue = ["application/json": ["schema": ["$ref": "#/components/schemas/Thing"]]],
        ids: [String] = ["a", "b"]
    ) -> JSONValue {
        let operations = ids.map { id -> JSONValue in
            ["operationId": .string(id), "requestBody": ["content": id == "a" ? body : [:]]]
        }
        return [
            "openapi": "3.0.3", "paths": ["/a": ["get": operations[0], "post": operations[1]]],
            "components": ["schemas": ["Thing": thing]],
        ]
    }
}
