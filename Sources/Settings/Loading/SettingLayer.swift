internal import Configuration
internal import YAML

/// One place that gives values: the environment, or the configuration file.
enum SettingLayer: Sendable {
    case environment(EnvironmentVariablesProvider)
    case file(ConfigurationFile)

    /// A value that this layer gives.
    struct Finding: Sendable {
        /// The value as the type that was asked for, or nil if it is not one.
        let content: ConfigContent?
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
    func find(_ path: [String], as type: ConfigType) -> Finding? {
        let key = AbsoluteConfigKey(path)
        switch self {
        case .environment(let provider):
            // Every variable is a text, so this look-up can't fail; it also says how the variable is called.
            guard let text = try? provider.value(forKey: key, type: .string),
                case .string(let written)? = text.value?.content
            else { return nil }
            let content = try? provider.value(forKey: key, type: type).value?.content
            return Finding(content: content, written: written, source: .environment(text.encodedKey))
        case .file(let file):
            guard let node = file.node(path) else { return nil }
            let content = try? file.value(forKey: key, type: type).value?.content
            return Finding(content: content, written: node.summary, source: .file(line: node.line))
        }
    }
}

/// The configuration file as a layer of swift-configuration.
struct ConfigurationFile: ConfigSnapshot {
    /// A value that is there, but not of the type asked for.
    struct Mismatch: Error {}

    let providerName: String
    let root: YAMLNode

    func node(_ path: [String]) -> YAMLNode? {
        var node = root
        for name in path {
            guard case .mapping(let entries) = node.content, let entry = entries.first(where: { $0.key == name }) else {
                return nil
            }
            node = entry.value
        }
        return node
    }

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        guard let node = node(key.components) else { return LookupResult(encodedKey: key.description, value: nil) }
        guard let content = node.content(as: type) else { throw Mismatch() }
        return LookupResult(encodedKey: key.description, value: ConfigValue(content, isSecret: false))
    }
}

extension YAMLNode {
    /// This value as one of the types that keys have; nil if it is none.
    func content(as type: ConfigType) -> ConfigContent? {
        switch (type, content) {
        case (.string, .text(let text)): return .string(text)
        case (.int, .text(let text)): return Int(text).map(ConfigContent.int)
        // YAML 1.2 §10.3.2
        case (.bool, .text("true")), (.bool, .text("True")), (.bool, .text("TRUE")): return .bool(true)
        case (.bool, .text("false")), (.bool, .text("False")), (.bool, .text("FALSE")): return .bool(false)
        case (.stringArray, .list(let nodes)):
            var texts: [String] = []
            for node in nodes {
                guard case .text(let text) = node.content else { return nil }
                texts.append(text)
            }
            return .stringArray(texts)
        default: return nil
        }
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
