/// Finds environment variables that look like ours but name no key.
///
/// What starts with `PROVIDER_NAME_` of a listed provider is meant for us, so there an unknown name is a fault, as it
/// is in the file. Elsewhere other software has variables that start alike (`HTTP_PROXY`, `LOG_DIR`, `APP_ENV`): a
/// notice is given for one that is a slip of the pen away from a key, and for a key of a section that is not listed.
struct EnvironmentNames {
    private static let slip = 2

    /// The variables of every key, by their first word: only those that share it are worth comparing.
    private var families: [Substring: [Variable]] = [:]
    private var prefixes: [String] = []

    private struct Variable {
        let name: String
        /// Whether a suggestion may name it: a key without effect would be refused next.
        let isSuggestible: Bool
    }

    init(_ keys: [SettingKey<Settings>], _ listings: [SectionListing]) {
        add(keys, under: [])
        for listing in listings {
            for name in listing.inEnvironment { add(listing.kind, name) }
            prefixes += listing.prefixes
        }
    }

    /// What the variables of a section start with.
    static func prefix(of kind: any NamedSection.Type, _ name: String) -> String {
        variable(kind.components(of: name)) + "_"
    }

    private mutating func add<Section: NamedSection>(_ kind: Section.Type, _ name: String) {
        add(kind.keys, under: kind.components(of: name))
    }

    private mutating func add<Root>(_ keys: [SettingKey<Root>], under section: [String]) {
        for key in keys {
            for path in key.isSecret ? [key.path, key.fileTwinPath] : [key.path] {
                let name = Self.variable(section + path)
                let isSuggestible = !KeysWithoutEffect.contains((section + path).joined(separator: "."))
                families[Self.firstWord(name), default: []].append(
                    Variable(name: name, isSuggestible: isSuggestible))
            }
        }
    }

    private static func firstWord(_ name: String) -> Substring { name.prefix { $0 != "_" } }

    enum Report: Sendable {
        case fault(SettingsError)
        case notice(SettingsNotice)
    }

    /// What there is to say about these variables, in the order of their names.
    func reports(_ environment: [String: String]) -> [Report] {
        environment.keys.sorted().compactMap(report)
    }

    private func report(_ name: String) -> Report? {
        let family = families[Self.firstWord(name)] ?? []
        guard !family.contains(where: { $0.name == name }) else { return nil }
        let distances = family.filter(\.isSuggestible).map {
            (name: $0.name, distance: KnownNames.distance(name, $0.name))
        }
        if let nearest = distances.min(by: { $0.distance < $1.distance }) {
            if prefixes.contains(where: name.hasPrefix) {
                return .fault(SettingsError(.unknownKey, name, expected: nearest.name))
            }
            if nearest.distance <= Self.slip {
                let sentence = "is an environment variable that names no key; the nearest is \(nearest.name)"
                return .notice(SettingsNotice(name, sentence))
            }
        }
        guard let kind = SectionKinds.all.first(where: { Self.isKey(name, of: $0) }) else { return nil }
        let sentence = "is an environment variable of \(kind.noun) that \(kind.list) does not list"
        return .notice(SettingsNotice(name, sentence))
    }

    /// Whether a variable is spelled as that of a key of a section, whatever the section's name.
    private static func isKey<Section: NamedSection>(_ name: String, of kind: Section.Type) -> Bool {
        let start = variable([kind.word]) + "_"
        guard name.hasPrefix(start) else { return false }
        return kind.keys.flatMap { $0.isSecret ? [$0.path, $0.fileTwinPath] : [$0.path] }.contains { path in
            let end = "_" + variable(path)
            return name.hasSuffix(end) && name.utf8.count > start.utf8.count + end.utf8.count
        }
    }

    /// The environment variable of a key: words in capitals with underscores between them, `httpPort` being two, and an
    /// underscore for whatever is neither letter nor digit.
    static func variable(_ path: [String]) -> String { path.map(spelled).joined(separator: "_") }

    private static func spelled(_ component: String) -> String {
        var name = ""
        var last: Character?
        for character in component {
            if last?.isLowercase == true, character.isUppercase { name += "_" }
            name += character.isLetter || character.isNumber ? character.uppercased() : "_"
            last = character
        }
        return name
    }
}
