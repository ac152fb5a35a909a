import HTTPServer
import JSON

@testable import WebAPI

/// Holds answers against the document.
enum DocumentedAnswers {
    static let document = APIDocument.make(version: "0.0.0", baseURL: nil)
    static let check = SchemaCheck(document: document)

    /// The documented operation that a request is for.
    static func operation(_ method: HTTPMethod, _ path: String) -> (id: String, value: JSONValue)? {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        for candidate in document["paths"]?.object?.members ?? [] {
            let pattern = candidate.name.split(separator: "/", omittingEmptySubsequences: false)
            guard pattern.count == segments.count,
                zip(pattern, segments).allSatisfy({ $0 == $1 || $0.hasPrefix("{") })
            else { continue }
            let method = method == .head ? HTTPMethod.get : method
            guard let operation = candidate.value[method.rawValue.lowercased()] else { return nil }
            return (operation["operationId"]?.string ?? "", operation)
        }
        return nil
    }

    /// What an answer has that the document does not say; empty when nothing.
    static func problems(_ method: HTTPMethod, _ path: String, _ answer: Answer) -> [String] {
        let status = answer.status
        let described: JSONValue?
        if let operation = operation(method, path) {
            described = operation.value["responses"]?[String(status)]
        } else {
            // A path or a method that is not there.
            described = status == 404 || status == 405 ? document["components"]?["responses"]?[answer.error ?? ""] : nil
        }
        guard let described else { return ["\(method.rawValue) \(path): status \(status) is not documented"] }
        return problems(in: answer, against: described).map { "\(method.rawValue) \(path) \(status): \($0)" }
    }

    static func problems(in answer: Answer, against response: JSONValue) -> [String] {
        let response = check.resolved(response)
        return headerProblems(response, answer) + bodyProblems(response, answer)
    }

    /// Fields that the document describes in words, for all answers at once.
    private static let ofEveryAnswer: Set<String> = [
        "content-type", "x-content-type-options", "content-security-policy", "referrer-policy", "cache-control",
    ]

    private static func headerProblems(_ response: JSONValue, _ answer: Answer) -> [String] {
        let documented = Set(response["headers"]?.object?.members.map { $0.name.lowercased() } ?? [])
        return answer.response.headers.map { $0.name.lowercased() }
            .filter { !documented.contains($0) && !ofEveryAnswer.contains($0) }.map {
                "the field \($0) is not documented"
            }
    }

    private static func bodyProblems(_ response: JSONValue, _ answer: Answer) -> [String] {
        guard let content = response["content"]?.object?.members.first else {
            return answer.response.body.isEmpty ? [] : ["there is a body that is not documented"]
        }
        guard answer.header("content-type") == content.name else { return ["the content type is not documented"] }
        let isJSON = content.name == "application/json"
        return check.problems(isJSON ? answer.body : .string(answer.text), content.value["schema"] ?? .null)
    }
}
