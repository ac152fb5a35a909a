internal import Syntax
internal import YAML

extension SettingsLoader {
    /// Goes through the configuration file and reports every key that nobody knows, that is given twice, and every
    /// section with a name that is missing or not listed.
    mutating func checkKeys(_ keys: [SettingKey<Settings>], _ listings: [SectionListing]) {
        reportDuplicates()
        let root: [YAMLEntry]
        switch document?.root.content {
        case nil, .null: root = []
        case .mapping(let entries): root = entries
        default:
            faults.append(SettingsError(.value, "the file", expected: "keys with values"))
            return
        }
        let known = Self.names(keys, under: "")
        for entry in root where SectionKinds.named(entry.key) == nil {
            checkEntry(entry, "", known)
        }
        for listing in listings {
            guard let names = listing.names else { continue }
            checkSections(of: listing.kind, section(of: listing.kind), names)
        }
    }

    private mutating func reportDuplicates() {
        for duplicate in document?.duplicates ?? [] {
            let name = Self.shown(duplicate.path.joined(separator: "."))
            faults.append(
                SettingsError(.duplicateKey, name, expected: "each key once", source: .file(line: duplicate.line)))
        }
    }

    private mutating func checkEntry(_ entry: YAMLEntry, _ section: String, _ known: [String]) {
        let name = section + entry.key
        if entry.key.contains(".") { return reportDotted(name, entry) }
        // Those are looked at by themselves.
        if SectionKinds.named(name) != nil { return }
        if known.contains(name) { return }
        guard known.contains(where: { $0.hasPrefix(name + ".") }) else {
            guard !reportRetired(name, entry) else { return }
            reportUnknown(name, entry, known)
            return
        }
        switch entry.value.content {
        // A section whose keys are all commented out.
        case .null: return
        case .mapping(let entries):
            for entry in entries { checkEntry(entry, name + ".", known) }
        default:
            let keys = Self.suggestible(known).filter { $0.hasPrefix(name + ".") }.map { $0.dropFirst(name.count + 1) }
            let expected = "a section with the keys \(keys.joined(separator: ", "))"
            faults.append(SettingsError(.value, name, expected: expected, source: .file(line: entry.line)))
        }
    }

    private mutating func reportUnknown(_ name: String, _ entry: YAMLEntry, _ known: [String]) {
        var candidates = Self.suggestible(known)
        // A section was meant to be a section.
        if case .mapping = entry.value.content {
            candidates =
                known.compactMap { $0.lastIndex(of: ".").map($0.prefix(upTo:)) }.map(String.init)
                + SectionKinds.all.map { $0.word }
        }
        // No value here: it may be the secret of a misspelled key.
        faults.append(
            SettingsError(
                .unknownKey, Self.shown(name), expected: KnownNames.nearest(to: name, among: candidates) ?? "",
                source: .file(line: entry.line)))
    }

    /// A key such as `admin.token` beside its section instead of in it.
    private mutating func reportDotted(_ name: String, _ entry: YAMLEntry) {
        var candidates = Self.names(SettingKey<Settings>.all(with: wings), under: "")
        let components = name.split(separator: ".", omittingEmptySubsequences: false)
        if components.count > 1, let kind = SectionKinds.named(components[0]) {
            let section = String(components[1])
            candidates = [kind.path(of: section)] + kind.keyNames(of: section)
        }
        let nearest = Self.suggestible(candidates).min {
            KnownNames.distance($0, name) < KnownNames.distance($1, name)
        }
        // No value here: it may be a secret.
        faults.append(
            SettingsError(
                .dottedKey, Self.shown(name), expected: Self.nested(nearest ?? name), source: .file(line: entry.line)))
    }

    /// A key as a file takes it: `admin.token` is `admin: {token: …}`.
    private static func nested(_ name: String) -> String {
        let components = name.split(separator: ".")
        var text = "\(components.last ?? ""): …"
        for section in components.dropLast().reversed() { text = "\(section): {\(text)}" }
        return text
    }

    /// Reports a key that this version has no more. Files that list every key have it with its default, and still hold.
    ///
    /// - Returns: whether it is one.
    private mutating func reportRetired(_ name: String, _ entry: YAMLEntry) -> Bool {
        guard KeysWithoutEffect.isRetired(name) else { return false }
        if entry.value.isEmpty {
            notices.append(SettingsNotice(name, "is no key any more and can go"))
        } else {
            let expected = "nothing: it is no key any more"
            faults.append(SettingsError(.notAvailable, name, expected: expected, source: .file(line: entry.line)))
        }
        return true
    }

    /// Those of the names that a suggestion may name: the others would be refused next.
    private static func suggestible(_ names: [String]) -> [String] {
        names.filter { !KeysWithoutEffect.contains($0) }
    }

    private mutating func checkSections(
        of kind: any NamedSection.Type, _ sections: YAMLNode?, _ names: [String]
    ) {
        let entries: [YAMLEntry]
        switch sections?.content {
        case nil, .null: entries = []
        case .mapping(let given): entries = given
        default:
            let expected = "a section for each of \(kind.list)"
            faults.append(
                SettingsError(.value, kind.word, expected: expected, source: sections.map { .file(line: $0.line) }))
            return
        }
        for entry in entries {
            let path = kind.path(of: entry.key)
            guard !entry.key.contains(".") else {
                reportDotted(path, entry)
                continue
            }
            guard names.contains(entry.key) else {
                // Its name was refused.
                if kind.listsItself { continue }
                notices.append(SettingsNotice(Self.shown(path), "is not listed in \(kind.list), and so is not used"))
                continue
            }
            checkEntry(entry, kind.word + ".", kind.keyNames(of: entry.key))
        }
        for name in names where !entries.contains(where: { $0.key == name }) {
            let path = kind.path(of: name)
            // The environment alone can configure it.
            guard !sources.keys.contains(where: { $0.hasPrefix(path + ".") }) else { continue }
            let expected = "the section of \(kind.noun) that \(kind.list) lists"
            faults.append(SettingsError(.missing, path, expected: expected))
        }
    }

    /// The full names of keys and of the twins that name a file.
    static func names<Root>(_ keys: [SettingKey<Root>], under section: String) -> [String] {
        keys.flatMap { key in
            let name = section + key.name
            return key.isSecret ? [name, name + SettingKey<Root>.fileSuffix] : [name]
        }
    }

    /// A name from the file as it may be printed: what doesn't look like a key may be a secret that lost its key.
    private static func shown(_ name: String) -> String {
        let isPlain =
            name.utf8.count <= 128
            && name.utf8.allSatisfy { $0.isAlphanumeric || "-_.".utf8.contains($0) }
        return isPlain ? name : "a key that can't be shown"
    }
}
