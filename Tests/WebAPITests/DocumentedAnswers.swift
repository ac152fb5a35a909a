import HTTPServer
import HTTPTesting
import JSON

@testable import WebAPI

/// Holds answers against a document.
struct DocumentedAnswers {
    static let document = APIDocument.make(version: "0.0.0", baseURL: nil, wings: .ofTests)
    static let ofApps = DocumentedAnswers(document)
    static let ofOperators = DocumentedAnswers(AdminDocument.make(version: "0.0.0", wings: .ofTests))

    let document: JSONValue
    let check: SchemaCheck

    init(_ document: JSONValue) {
        self.document = document
        check = SchemaCheck(document: document)
    }

    /// The documented operation that a request is for.
    func operation(_ method: HTTPMethod, _ path: String) -> (id: String, value: JSONValue)? {
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
    func problems(_ method: HTTPMethod, _ path: String, _ answer: HTTPTestAnswer) -> [String] {
        let shared = document["components"]?["responses"]
        let responses = operation(method, path)?.value["responses"]
        // Where there is no operation, an error is told as it is elsewhere.
        let own = responses.map { $0[String(answer.status)] } ?? shared?[answer.error ?? ""]
        let otherwise = responses?["default"] ?? shared?[ErrorResponse.ofHTTP]
        // What HTTP itself has to say may share a status with what the operation has.
        let described = [own, otherwise].compactMap(\.self).map(check.resolved)
        guard let fitting = described.first(where: { listsCode(of: answer, $0) }) else {
            return ["\(method.rawValue) \(path): \(answer.status) \(answer.error ?? "") is not documented"]
        }
        return problems(in: answer, against: fitting).map { "\(method.rawValue) \(path) \(answer.status): \($0)" }
    }

    /// Whether a response is one for the code of an error. What has no examples is described as a whole.
    private func listsCode(of answer: HTTPTestAnswer, _ response: JSONValue) -> Bool {
        guard let codes = response["content"]?["application/json"]?["examples"]?.object?.members else { return true }
        guard let code = answer.error, let example = codes.first(where: { $0.name == code }) else { return false }
        return check.resolved(example.value)["summary"]?.string?.hasPrefix("\(answer.status) ") == true
    }

    func problems(in answer: HTTPTestAnswer, against response: JSONValue) -> [String] {
        let response = check.resolved(response)
        return headerProblems(response, answer) + bodyProblems(response, answer)
    }

    /// Fields that the document describes in words, for all answers at once.
    private static let ofEveryAnswer: Set<String> = [
        "content-type", "x-content-type-options", "content-security-policy", "referrer-policy", "cache-control",
        "strict-transport-security", "x-frame-options",
    ]

    private func headerProblems(_ response: JSONValue, _ answer: HTTPTestAnswer) -> [String] {
        let documented = Set(response["headers"]?.object?.members.map { $0.name.lowercased() } ?? [])
        return answer.headers.map { $0.name.lowercased() }
            .filter { !documented.contains($0) && !Self.ofEveryAnswer.contains($0) }.map {
                "the field \($0) is not documented"
            }
    }

    private func bodyProblems(_ response: JSONValue, _ answer: HTTPTestAnswer) -> [String] {
        guard let content = response["content"]?.object?.members.first else {
            return answer.body.isEmpty ? [] : ["there is a body that is not documented"]
        }
        // A name may stand for all types of a kind (OpenAPI 3.0 §4.7.14.1).
        let type = answer.header("content-type")
        // Bytes are documented as that, whatever they are a picture of.
        let isBytes = content.name == "application/octet-stream" && type?.hasPrefix("image/") == true
        guard type == content.name || isBytes else { return ["the content type is not documented"] }
        let isJSON = content.name == "application/json"
        return check.problems(isJSON ? answer.json : .string(answer.text), content.value["schema"] ?? .null)
    }
}

extension ErrorCode {
    /// All there are, with those of the wings.
    static let ofTests = all(with: APIExtensions.ofTests.all.flatMap(\.errors).map { ErrorCode($0) })

    static func named(_ text: String) -> ErrorCode? { ofTests.first { $0.rawValue == text } }

    /// Those that only `POST /auth/token` gives, which describes them in words.
    static let ofClients: Set<ErrorCode> = [.unsupportedGrantType, .invalidTarget, .invalidScope]

    /// Those of the listener for operators, which has a document of its own.
    static let ofOperators: Set<ErrorCode> = [.insufficientRole]
}
