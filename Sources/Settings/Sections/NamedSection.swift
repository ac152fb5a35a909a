/// A kind of section of which there are several, each under a name that a list gives: `provider.zenkey`, `app.acme`.
///
/// Loading, the search for misspelled keys and variables, the effective configuration and the reference take every kind
/// alike, from ``SectionKinds``; only what a section means is its own.
protocol NamedSection: Sendable {
    /// What the names of its keys start with: `provider`.
    static var word: String { get }
    /// The key that lists the names: `providers`. Where it is the same as the word, the sections themselves list them,
    /// which only the file can.
    static var list: String { get }
    /// What one of them is, with its article: `a provider`.
    static var noun: String { get }
    /// Every key of such a section, in the order of the reference.
    static var keys: [SettingKey<Self>] { get }
    /// Where the settings have these sections.
    static var place: any WritableKeyPath<Settings, Listed<Self>> & Sendable { get }

    /// The name that the list gives: lower-case letters, digits and hyphens.
    var name: String { get }
    init(name: String)
    /// The names of the keys by which the defaults of the others are chosen; they are read first.
    static var presetKeys: Set<String> { get }
    /// Takes the defaults that those keys choose.
    mutating func takePreset()
    /// Fills in what follows from other keys.
    mutating func deriveDefaults()
}

/// What a list names, and the section of each.
struct Listed<Section: Sendable>: Sendable {
    var names: [String]
    var sections: [Section] = []
}

/// Every kind of section that has names, in the order of the reference.
enum SectionKinds {
    static let all: [any NamedSection.Type] = [
        ProviderSettings.self, AppSettings.self, ResourceServerSettings.self, OperatorSettings.self,
    ]

    /// The kind whose keys start with a word.
    static func named(_ word: some StringProtocol) -> (any NamedSection.Type)? { all.first { $0.word == word } }
}

extension NamedSection {
    /// What stands before the names of a section's keys: `provider.zenkey`.
    static func path(of name: String) -> String { "\(word).\(name)" }

    /// Whether there is no list but the sections themselves.
    static var listsItself: Bool { list == word }

    /// Where a section of that name is, key by key.
    static func components(of name: String) -> [String] { word.split(separator: ".").map(String.init) + [name] }

    /// The full names of the keys of a section, and of the twins that name a file.
    static func keyNames(of name: String) -> [String] { SettingsLoader.names(keys, under: path(of: name) + ".") }

    /// The section's own: `provider.zenkey`.
    var path: String { Self.path(of: name) }

    /// The full name of one of the keys.
    func key(_ key: String) -> String { "\(path).\(key)" }

    static var presetKeys: Set<String> { [] }
    mutating func takePreset() {}
    mutating func deriveDefaults() {}
}
