internal import Crypto

/// One thing that is wrong with the configuration. Never shows a secret.
public struct SettingsError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Kind: String, Sendable {
        /// The configuration file, or a file that a key names, can't be read.
        case unreadableFile
        /// The configuration file is not the YAML we take.
        case syntax
        case unknownKey
        /// A key whose sections are written with dots: in a file they mean nothing.
        case dottedKey
        case duplicateKey
        /// The value is of another type, out of range or malformed.
        case value
        /// Something that must be given is not.
        case missing
        /// Two values that don't go together.
        case conflict
        /// Recognised, but this version can't serve it.
        case notAvailable
    }

    public let kind: Kind
    /// The full name of the key, such as `provider.zenkey.clientID`; for the file as a whole its path.
    public let key: String
    /// What was given: `<redacted>` for a secret, nil where nothing was given or it may not be shown.
    public let value: String?
    /// What is expected instead; for an unknown key the nearest that is known.
    public let expected: String
    /// Where the value was given.
    public let source: SettingSource?

    package init(_ kind: Kind, _ key: String, value: String? = nil, expected: String, source: SettingSource? = nil) {
        self.kind = kind
        self.key = printable(key)
        self.value = value.map { printable(withoutPassword($0)) }
        (self.expected, self.source) = (expected, source)
    }

    /// One line for people.
    public var description: String {
        let subject = key + (source.map { " (\($0))" } ?? "")
        return switch (kind, value) {
        case (.unknownKey, _): "\(subject) is no key; the nearest is \(expected)"
        case (.dottedKey, _): "\(subject) is written with dots, which a file does not take; expected \(expected)"
        case (.duplicateKey, _): "\(subject) is given again; expected \(expected)"
        case (_, nil): "\(subject): expected \(expected)"
        case (_, ""?): "\(subject) is empty; expected \(expected)"
        case (_, let value?): "\(subject) is \(value); expected \(expected)"
        }
    }
}

/// Something worth knowing about a configuration that is valid.
public struct SettingsNotice: Sendable, Equatable, CustomStringConvertible {
    /// The full name of the key.
    public let key: String
    /// What about it, as it completes a sentence that starts with the key.
    public let sentence: String

    public var description: String { "\(key) \(sentence)" }

    package init(_ key: String, _ sentence: String) {
        self.key = printable(key)
        self.sentence = sentence
    }
}

/// A text that fits one line of a terminal: control characters escaped, its length bounded.
func printable(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars.prefix(200) {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            result += "\\u{\(String(scalar.value, radix: 16))}"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return text.unicodeScalars.count > 200 ? result + "…" : result
}

/// A text with everything that a URL in it has before `@` taken out: that may be a password.
func withoutPassword(_ text: String) -> String {
    guard let scheme = text.firstRange(of: "://"), let at = text.lastIndex(of: "@"), at >= scheme.upperBound else {
        return text
    }
    return text[..<scheme.upperBound] + Secret.redacted + text[at...]
}
