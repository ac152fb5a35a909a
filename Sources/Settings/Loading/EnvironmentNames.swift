/// Finds environment variables that look like ours but name no key.
///
/// Only what starts with ``prefix`` is read, so all of that is meant for us: a name that comes close to one of a key,
/// or that begins as its section does, is a fault with the nearest key, as it is in the file; any other is told. One
/// that would name a key if it had the prefix is somebody else's, or from before 1.0: it is told and not read.
struct EnvironmentNames {
    /// What every variable of ours starts with. Others' `LOG_LEVEL` means something else.
    static let prefix = "GATEHOUSE_"

    private static let slip = 2

    /// The variables of every key, by their first word.
    private var families: [Substring: [Variable]] = [:]
    private var prefixes: [String] = []

    private struct Variable {
        let name: String
        /// Whether a suggestion may name it: a key without effect would be refused next.
        let isSuggestible: Bool
    }

    /// - Parameter environment: sections that none of these variables could be meant for are left out: spelling the
    ///   variable of each key of many takes long.
    init(_ keys: [SettingKey<Settings>], _ listings: [SectionListing], _ environment: [String: String]) {
        add(keys, under: [])
        for listing in listings {
            for name in listing.names ?? [] {
                let start = Self.prefix(of: listing.kind, name)
                let old = start.dropFirst(Self.prefix.count)
                let isMeant = environment.keys.contains { $0.hasPrefix(start) || $0.hasPrefix(old) }
                if isMeant { add(listing.kind, name) }
            }
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

    private static func firstWord(_ name: String) -> Substring { name.dropFirst(prefix.count).prefix { $0 != "_" } }

    enum Report: Sendable {
        case fault(SettingsError)
        case notice(SettingsNotice)
    }

    /// What there is to say about these variables, in the order of their names.
    func reports(_ environment: [String: String]) -> [Report] {
        environment.keys.sorted().compactMap { name in
            name.hasPrefix(Self.prefix) ? report(name) : reportWithoutPrefix(name)
        }
    }

    private func isKey(_ name: String) -> Bool {
        families[Self.firstWord(name)]?.contains { $0.name == name } == true
    }

    private func reportWithoutPrefix(_ name: String) -> Report? {
        let ours = Self.prefix + name
        guard isKey(ours) else { return nil }
        return .notice(SettingsNotice(name, "is an environment variable that is not read: only \(ours) is"))
    }

    private func report(_ name: String) -> Report? {
        guard !isKey(name) else { return nil }
        if let kind = SectionKinds.all.first(where: { Self.isKey(name, of: $0) }),
            !prefixes.contains(where: name.hasPrefix)
        {
            let sentence = "is an environment variable of \(kind.noun) that \(kind.list) does not list"
            return .notice(SettingsNotice(name, sentence))
        }
        let family = families[Self.firstWord(name)]
        let candidates = (family ?? families.values.flatMap(\.self)).filter(\.isSuggestible).map {
            (name: $0.name, distance: KnownNames.distance(name, $0.name))
        }
        guard let nearest = candidates.min(by: { $0.distance < $1.distance }),
            family != nil || nearest.distance <= Self.slip
        else { return .notice(SettingsNotice(name, "is an environment variable that names no key")) }
        return .fault(SettingsError(.unknownKey, name, expected: nearest.name))
    }

    /// Whether a variable is spelled as that of a key of a section, whatever the section's name.
    private static func isKey<Section: NamedSection>(_ name: String, of kind: Section.Type) -> Bool {
        let start = variable([kind.word]) + "_"
        guard name.hasPrefix(start) else { return false }
        return kind.keys.flatMap { $0.isSecret ? [$0.path, $0.fileTwinPath] : [$0.path] }.contains { path in
            let end = "_" + words(path)
            return name.hasSuffix(end) && name.utf8.count > start.utf8.count + end.utf8.count
        }
    }

    /// The environment variable of a key: words in capitals with underscores between them, `httpPort` being two, and an
    /// underscore for whatever is neither letter nor digit, all after ``prefix``.
    static func variable(_ path: [String]) -> String { prefix + words(path) }

    private static func words(_ path: [String]) -> String { path.map(spelled).joined(separator: "_") }

    /// Byte by byte: there are thousands at each start, and names that sections may have are in ASCII.
    private static func spelled(_ component: String) -> String {
        var name: [UInt8] = []
        var isAfterSmall = false
        for byte in component.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"):
                name.append(byte - 0x20)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                if isAfterSmall { name.append(UInt8(ascii: "_")) }
                name.append(byte)
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                name.append(byte)
            default:
                name.append(UInt8(ascii: "_"))
            }
            isAfterSmall = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        }
        return String(decoding: name, as: UTF8.self)
    }
}
