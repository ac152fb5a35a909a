import Foundation
import JSON
import Testing

/// A recipe of `Documentation/Recipes.md`, as it stands there.
struct Recipe: Sendable {
    /// What it says of something that goes wrong.
    struct Failure: Sendable {
        let what: String
        let status: Int
        let error: String
        /// Nil where the answer has none.
        let reason: String?
    }

    let title: String
    /// The section's.
    let name: String
    /// The lines of the section.
    let lines: [String]
    /// The JSON that its `curl` posts.
    let body: String
    let failures: [Failure]

    static func all() throws -> [Recipe] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Documentation/Recipes.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        return try text.components(separatedBy: "\n## ").dropFirst().map(Recipe.init)
    }

    private init(_ text: String) throws {
        title = String(text.prefix { $0 != "\n" })
        let yaml = try #require(Self.block("yaml", of: text), "\(title) has no section")
        // `providers`, `provider` and the section's name stand before its keys.
        let section = yaml.components(separatedBy: "\n").dropFirst(2)
        name = try #require(section.first).trimmingCharacters(in: CharacterSet(charactersIn: " :"))
        lines = section.dropFirst().map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        let console = try #require(Self.block("console", of: text), "\(title) has no request")
        let request = console.components(separatedBy: "--json '")
        try #require(request.count == 2 && request[0] == "$ curl https://YOUR-ADDRESS/auth/signin ", "\(console)")
        body = String(request[1].prefix { $0 != "'" })
        failures = try text.components(separatedBy: "\n").filter { $0.contains("| 40") }.map(Self.failure)
    }

    private static func block(_ language: String, of text: String) -> String? {
        let parts = text.components(separatedBy: "```\(language)\n")
        return parts.count == 2 ? parts[1].components(separatedBy: "\n```").first : nil
    }

    private static func failure(_ row: String) throws -> Failure {
        let cells = row.split(separator: "|", omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
        }
        try #require(cells.count == 5, "\(row)")
        let answer = cells[2].split(separator: " ").map { $0.replacing("`", with: "") }
        let status = try #require(Int(answer[0]))
        return Failure(
            what: cells[1], status: status, error: String(answer[1]), reason: cells[3].isEmpty ? nil : cells[3])
    }

    /// The body of its request, with what the app has.
    func request(_ held: [String: String]) throws -> JSONValue {
        let written = try JSONValue(parsing: Array(body.utf8))
        let members = try #require(written.object).members.map { member -> JSONObject.Member in
            guard let text = member.value.string, let value = held[text] else { return member }
            return (member.name, .string(value))
        }
        return .object(JSONObject(members))
    }
}
