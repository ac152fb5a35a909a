internal import YAML

/// One place that gives values: the environment, or the configuration file.
enum SettingLayer: Sendable {
    /// The variables by name.
    case environment([String: String])
    /// The root of the document.
    case file(YAMLNode)

    /// A value that this layer gives.
    struct Finding: Sendable {
        /// The value as the type that was asked for, or nil if it is not one.
        let content: SettingContent?
        /// The value as it was written.
        let written: String
        let source: SettingSource

        /// Whether something other than an empty text was given.
        var isEmpty: Bool { written.isEmpty }
    }

    var isEnvironment: Bool {
        if case .environment = self { true } else { false }
    }

    /// What this layer gives for a key; nil when it has nothing for it.
    func find(_ path: [String], as type: SettingType) -> Finding? {
        switch self {
        case .environment(let variables):
            let name = EnvironmentNames.variable(path)
            return variables[name].map { written in
                Finding(
                    content: SettingContent(variable: written, as: type), written: written, source: .environment(name))
            }
        case .file(let root):
            return root.node(at: path).map { node in
                Finding(
                    content: SettingContent(node, as: type), written: node.summary, source: .file(line: node.line))
            }
        }
    }
}

extension YAMLNode {
    /// What stands at the end of a path of keys; nil where one of them is missing.
    func node(at path: [String]) -> YAMLNode? {
        var node = self
        for name in path {
            guard case .mapping(let entries) = node.content, let entry = entries.first(where: { $0.key == name }) else {
                return nil
            }
            node = entry.value
        }
        return node
    }

    /// Whether this is nothing, an empty text or an empty list.
    var isEmpty: Bool {
        switch content {
        case .null, .text(""), .list([]): true
        default: false
        }
    }

    /// This value in a few words, for a fault.
    var summary: String {
        switch content {
        case .null: "null"
        case .text(let text): text
        case .list(let nodes):
            nodes.isEmpty ? "" : "[" + nodes.map(\.summary).joined(separator: ", ") + "]"
        case .mapping: "a section"
        }
    }
}
