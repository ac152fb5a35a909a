internal import YAML

/// The types that keys have.
enum SettingType: Sendable {
    case text, number, flag, list
    /// Lists by name, each of which counts as an element `name=first second`.
    case lists
}

/// A value of one of those types.
enum SettingContent: Sendable {
    case text(String)
    case number(Int)
    case flag(Bool)
    case list([String])

    /// A value as an environment variable writes it, the elements of a list between commas; nil if it is not of the
    /// type.
    init?(variable: String, as type: SettingType) {
        switch type {
        case .text: self = .text(variable)
        case .number:
            guard let number = Int(variable) else { return nil }
            self = .number(number)
        case .flag:
            switch variable.lowercased() {
            case "true", "yes", "1": self = .flag(true)
            case "false", "no", "0": self = .flag(false)
            default: return nil
            }
        case .list, .lists:
            self = .list(variable.split(separator: ",", omittingEmptySubsequences: false).map(Self.trimmed))
        }
    }

    /// A value as the configuration file writes it; nil if it is not of the type.
    init?(_ node: YAMLNode, as type: SettingType) {
        switch (type, node.content) {
        case (.text, .text(let text)): self = .text(text)
        case (.number, .text(let text)):
            guard let number = Int(text) else { return nil }
            self = .number(number)
        // YAML 1.2 §10.3.2
        case (.flag, .text("true")), (.flag, .text("True")), (.flag, .text("TRUE")): self = .flag(true)
        case (.flag, .text("false")), (.flag, .text("False")), (.flag, .text("FALSE")): self = .flag(false)
        case (.list, .list(let nodes)):
            var texts: [String] = []
            for node in nodes {
                guard let text = Self.element(node) else { return nil }
                texts.append(text)
            }
            self = .list(texts)
        case (.lists, .mapping(let entries)):
            var texts: [String] = []
            for entry in entries {
                guard case .list(let elements)? = Self(entry.value, as: .list) else { return nil }
                texts.append("\(entry.key)=\(elements.joined(separator: " "))")
            }
            self = .list(texts)
        default: return nil
        }
    }

    /// An element of a list: a text, or a mapping as `key=value` with blanks between them, as variables write it.
    private static func element(_ node: YAMLNode) -> String? {
        switch node.content {
        case .text(let text): return text
        case .mapping(let entries):
            var words: [String] = []
            for entry in entries {
                guard case .text(let value) = entry.value.content else { return nil }
                words.append("\(entry.key)=\(value)")
            }
            return words.joined(separator: " ")
        default: return nil
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        let rest = text.drop(while: \.isWhitespace)
        return String(rest[..<(rest.lastIndex { !$0.isWhitespace }.map(rest.index(after:)) ?? rest.startIndex)])
    }
}
