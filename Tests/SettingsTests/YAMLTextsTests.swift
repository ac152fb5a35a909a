import FoundationEssentials
import JSON
import Testing
import YAML

/// A file that `scripts/yaml_texts.py` has made: texts, and what PyYAML's own reader makes of each.
private let path = ProcessInfo.processInfo.environment["DEV_YAML_TEXTS"]

// Skipped, and reported as skipped, where DEV_YAML_TEXTS does not name the file.
@Suite(.enabled(if: path != nil, "DEV_YAML_TEXTS names no file of texts"))
struct `Random YAML texts` {
    private func tree(_ node: YAMLNode) -> JSONValue {
        switch node.content {
        case .null: .null
        case .text(let text): .string(text)
        case .list(let nodes): .array(nodes.map(tree))
        case .mapping(let entries): .object(JSONObject(entries.map { (name: $0.key, value: tree($0.value)) }))
        }
    }

    /// What PyYAML alone refuses: a tab where it looks for a token, and a question mark in a text between brackets.
    private func isRefusedByPyYAMLAlone(_ text: String) -> Bool {
        text.contains("\t") || text.contains("?") && (text.contains("[") || text.contains("{"))
    }

    @Test func `random YAML texts are refused, or read as PyYAML reads them`() throws {
        let lines = try Data(contentsOf: URL(filePath: #require(path))).split(separator: UInt8(ascii: "\n"))
        var tally: [String: Int] = [:]
        for line in lines {
            let given = try JSONValue(parsing: Array(line))
            let text = try #require(given["text"]?.string)
            let ours = try? tree(YAMLDocument(parsing: text).root)
            let outcome: String
            switch (ours, given["tree"]) {
            case (nil, nil): outcome = "refused by both"
            case (nil, _?): outcome = "refused here alone"
            case (let ours?, let theirs?):
                outcome = "read the same"
                #expect(ours == theirs, "\(text.debugDescription)")
            case (_?, nil):
                outcome = "read here alone"
                #expect(isRefusedByPyYAMLAlone(text), "\(text.debugDescription)")
            }
            tally[outcome, default: 0] += 1
        }
        print("\(lines.count) YAML texts:", tally.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" })
    }
}
