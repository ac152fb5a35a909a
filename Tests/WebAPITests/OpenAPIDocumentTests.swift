import HTTPServer
import HTTPTesting
import JSON
import Testing

@testable import WebAPI

@Suite struct `The OpenAPI document` {
    private static let document = DocumentedAnswers.document
    private static let check = DocumentedAnswers.ofApps.check

    /// Every method of every path, as `GET /users/me`.
    private static var operations: [(name: String, value: JSONValue)] { operations(of: document) }

    private static func operations(of document: JSONValue) -> [(name: String, value: JSONValue)] {
        (document["paths"]?.object?.members ?? []).flatMap { path in
            (path.value.object?.members ?? []).map { ("\($0.name.uppercased()) \(path.name)", $0.value) }
        }
    }

    @Test func `the OpenAPI document has every route, and no other`() throws {
        let routes = Operations.all(with: .ofTests).map { "\($0.method.rawValue) \($0.path)" }
        #expect(Self.operations.map(\.name).sorted() == routes.sorted())
        #expect(routes.count > 15)
    }

    @Test func `the OpenAPI document of operators has every route, and no other`() throws {
        let routes = AdminOperations.all.map { "\($0.method.rawValue) \($0.path)" }
        let documented = Self.operations(of: DocumentedAnswers.ofOperators.document).map(\.name)
        #expect(documented.sorted() == routes.sorted())
    }

    @Test(arguments: [DocumentedAnswers.document, AdminDocument.make(version: "0.0.0", wings: .ofTests)])
    func `refers to nothing that is not there`(document: JSONValue) throws {
        let check = SchemaCheck(document: document)
        var count = 0
        func visit(_ value: JSONValue) {
            if value["$ref"] != nil {
                #expect(check.resolved(value) != .null, "\(value)")
                count += 1
            }
            for member in value.object?.members ?? [] { visit(member.value) }
            for element in value.array ?? [] { visit(element) }
        }
        visit(document)
        #expect(count > 50)
    }

    @Test(arguments: [DocumentedAnswers.document, AdminDocument.make(version: "0.0.0", wings: .ofTests)])
    func `the OpenAPI document has examples that fit their schemas`(document: JSONValue) {
        let check = SchemaCheck(document: document)
        var count = 0
        func visit(_ value: JSONValue) {
            if let schema = value["schema"] {
                var examples = value["example"].map { [$0] } ?? []
                examples += (value["examples"]?.object?.members ?? []).compactMap {
                    check.resolved($0.value)["value"]
                }
                for example in examples {
                    #expect(check.problems(example, schema) == [])
                    count += 1
                }
            }
            for member in value.object?.members ?? [] { visit(member.value) }
            for element in value.array ?? [] { visit(element) }
        }
        visit(document)
        #expect(count > 20)
    }

    @Test func `gives every operation a name, words and answers`() {
        var names: Set<String> = []
        for (name, operation) in Self.operations {
            let isNew = names.insert(operation["operationId"]?.string ?? "").inserted
            #expect(isNew, "\(name)")
            for words in ["summary", "description"] { #expect(operation[words]?.string?.isEmpty == false, "\(name)") }
            let statuses = operation["responses"]?.object?.members.map(\.name) ?? []
            #expect(statuses.contains { "23".contains($0.prefix(1)) }, "\(name)")
            #expect(operation["security"]?.array != nil, "\(name)")
            let inPath = name.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
            let parameters = (operation["parameters"]?.array ?? []).filter { $0["in"] == "path" }
            #expect(parameters.compactMap { $0["name"]?.string } == inPath.map(String.init), "\(name)")
        }
    }

    @Test(arguments: ErrorCase.all) func `knows every error by its code and status`(error: ErrorCase) throws {
        let code = try #require(ErrorCode.named(error.code))
        #expect(code.status == error.status)
        let answer = HTTPTestAnswer(ErrorAnswer(error.error).response(requestID: "request-1"))
        let response = ErrorResponse([code]).whole
        #expect(DocumentedAnswers.ofApps.problems(in: answer, against: response) == [])
    }

    @Test func `lists the codes that errors have, and no other`() {
        let listed = Self.document["components"]?["examples"]?.object?.members.map(\.name)
        let elsewhere = ErrorCode.ofClients.union(ErrorCode.ofOperators)
        #expect(listed == ErrorCode.ofTests.filter { !elsewhere.contains($0) }.map(\.rawValue))
        for code in ErrorCode.ofTests { #expect(code.answer.code == code.rawValue) }
    }

    @Test func `names the other spellings of a parameter`() {
        let properties = Self.document["components"]?["schemas"]?["AuthorizedResponse"]?["properties"]
        let words = properties?["redirect_uri"]?["description"]?.string
        #expect(words?.hasSuffix("Also spelled `redirectURI`, `redirectUri`.") == true)
    }

    @Test func `tells where the service is, where somebody has said so`() {
        func address(_ baseURL: String?) -> JSONValue? {
            APIDocument.make(version: "1", baseURL: baseURL, wings: .ofTests)["servers"]?.array?.first?["url"]
        }
        #expect(address("https://signin.example.com") == "https://signin.example.com")
        #expect(address(nil) == "/")
    }

    @Test func `finds what an answer has that it does not say`() {
        func problems(_ status: Int, _ body: JSONValue, _ headers: [(name: String, value: String)] = []) -> [String] {
            var response = HTTPResponse.json(HTTPStatus(status), body.serialized)
            response.headers += headers
            return DocumentedAnswers.ofApps.problems(.post, "/auth/challenge", HTTPTestAnswer(response))
        }
        #expect(problems(200, ["nonce": "n", "expires": 300]) == [])
        #expect(problems(200, ["nonce": "n", "expires": 300, "more": 1]) != [])
        #expect(problems(200, ["nonce": "n"]) != [])
        #expect(problems(201, ["nonce": "n", "expires": 300]) != [])
        #expect(problems(200, ["nonce": "n", "expires": 300], [(name: "Location", value: "/")]) != [])
        let error = ErrorCode.identityInUse.answer.response(requestID: "request-1")
        #expect(DocumentedAnswers.ofApps.problems(.post, "/users", HTTPTestAnswer(error)) == [])
        #expect(DocumentedAnswers.ofApps.problems(.post, "/auth/signin", HTTPTestAnswer(error)) != [])
    }
}
