/// Finds environment variables that look like ours but name no key.
///
/// What starts with `PROVIDER_NAME_` of a listed provider is meant for us, so there an unknown name is a fault, as it
/// is in the file. Elsewhere other software has variables that start alike (`HTTP_PROXY`, `LOG_DIR`): a notice is
/// given for one that is a slip of the pen away from a key, and for the rest of `PROVIDER_`.
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

    /// - Parameter providers: the listed providers that the environment has variables for.
    init(providers: [String]) {
        add(SettingKey<Settings>.all, under: [])
        for provider in providers {
            add(SettingKey<ProviderSettings>.all, under: ["provider", provider])
            prefixes.append(Self.prefix(of: provider))
        }
    }

    /// What the variables of a provider start with.
    static func prefix(of provider: String) -> String { variable(["provider", provider]) + "_" }

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
        guard name.hasPrefix("PROVIDER_") else { return nil }
        return .notice(SettingsNotice(name, "is an environment variable that names none of the listed providers"))
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
