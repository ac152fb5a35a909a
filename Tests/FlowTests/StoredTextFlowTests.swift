import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@testable import Composition
@testable import Operations

@Suite struct `A text that no store can hold` {
    /// What is put into a text, as JSON has it and as a form has it.
    private static let texts: [(json: String, form: String)] = [
        ("\\u0000", "%00"), ("a\\u0000b", "a%00b"), ("\\u0001", "%01"), ("👩🏽‍🚒", "%F0%9F%91%A9"), ("\\ud800", "%ED%A0%80"),
    ]

    /// The names of the parameters of each operation, as its document has them.
    private static func operations(
        _ document: JSONValue
    ) -> [(method: String, path: String, query: [String], body: [String])] {
        func resolved(_ schema: JSONValue?) -> JSONValue? {
            guard let reference = schema?["$ref"]?.string, let name = reference.split(separator: "/").last else {
                return schema
            }
            return document["components"]?["schemas"]?[String(name)]
        }
        var found: [(method: String, path: String, query: [String], body: [String])] = []
        for (path, methods) in document["paths"]?.object?.members ?? [] {
            for (method, operation) in methods.object?.members ?? [] {
                let query = (operation["parameters"]?.array ?? []).filter { $0["in"]?.string == "query" }
                    .compactMap { $0["name"]?.string }
                let content = operation["requestBody"]?["content"]?.object?.members ?? []
                let names = content.flatMap {
                    resolved($0.value["schema"])?["properties"]?.object?.members.map(\.name) ?? []
                }
                let plain = path.replacing(/\{[^}]*\}/, with: "zenkey")
                found.append((method.uppercased(), plain, query, Set(names).sorted()))
            }
        }
        return found
    }

    private static func sweep(_ environment: [String: String]) async throws {
        try await RunningGatehouse.with(top: BrowserFlow.configuration, environment: environment) { gatehouse in
            let document = try JSONValue(parsing: Array(try await gatehouse.call("GET", "/openapi.json").text.utf8))
            let operations = operations(document)
            let tokens = try await gatehouse.signIn("ada")["token"]?.string
            var asked = 0
            func check(_ answer: HTTPTestAnswer, _ what: String) {
                asked += 1
                #expect(answer.status < 500, "\(what): \(answer.status) \(answer.text)")
            }
            let client = LoopbackClient(port: gatehouse.port)
            let bearer = ["Authorization": "Bearer \(tokens ?? "")"]
            for (method, path, query, body) in operations {
                for name in query {
                    for text in texts {
                        let fields = query.map { "\($0)=\($0 == name ? text.form : usual($0))" }
                        check(
                            try await client.send(method, "\(path)?\(fields.joined(separator: "&"))", headers: bearer),
                            "\(method) \(path) \(name) \(text.form)")
                    }
                }
                for name in body {
                    for text in texts {
                        let form = body.map { "\($0)=\($0 == name ? text.form : usual($0))" }
                        let json = body.map { "\"\($0)\":\"\($0 == name ? text.json : usual($0))\"" }
                        for (type, text) in [
                            ("application/x-www-form-urlencoded", form.joined(separator: "&")),
                            ("application/json", "{\(json.joined(separator: ","))}"),
                        ] {
                            let headers = ["Content-Type": type].merging(bearer) { $1 }
                            check(
                                try await client.send(method, path, headers: headers, body: Array(text.utf8)),
                                "\(method) \(path) \(name) \(type)")
                        }
                    }
                }
            }
            #expect(asked > 300, "\(asked)")
        }
    }

    private static func usual(_ name: String) -> String {
        switch name {
        case "client_id": "desk"
        case "redirect_uri": "https://desk.example/cb"
        case "grant_type": "authorization_code"
        case "response_type": "code"
        case "provider": "zenkey"
        case "code_challenge_method": "S256"
        case "code_verifier", "code_challenge", "code": String(repeating: "x", count: 43)
        default: "x"
        }
    }

    @Test func `is no trouble in any parameter of any operation, with a file`() async throws {
        try await Self.sweep([:])
    }

    @Test func `is no trouble in any parameter of any operation, with PostgreSQL`() async throws {
        try await SharedStore.with { environment in try await Self.sweep(environment) }
    }

    @Test func `does not come as an app's nonce by way of a browser`() async throws {
        try await SharedStore.with { environment in
            try await RunningGatehouse.with(top: BrowserFlow.configuration, environment: environment) { gatehouse in
                var flow = BrowserFlow(gatehouse)
                for name in ["nonce", "code_challenge", "state"] {
                    let answer = try await flow.visit(
                        "/auth/authorize?" + FormText.encode(flow.request([name: "app\0nonce"])))
                    #expect(answer.status == 303 || answer.status == 400)
                    let location = answer.header("location") ?? ""
                    #expect(answer.status == 400 || location.contains("error=invalid_request"), "\(location)")
                }
            }
        }
    }
}
