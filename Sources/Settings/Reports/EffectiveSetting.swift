public import JSON

/// A key, the value in effect, and where that comes from.
public struct EffectiveSetting: Sendable, Equatable {
    /// The full name of the key.
    public let key: String
    /// A text, number, flag, list or lists by name; `<redacted>` for a secret that is set, empty for one that isn't.
    public let value: JSONValue
    public let source: SettingSource
}

extension Settings {
    /// Every key with its value, in the order of the reference.
    func effective(_ sources: [String: SettingSource]) -> [EffectiveSetting] {
        var effective: [EffectiveSetting] = []
        for key in keys {
            effective.append(
                EffectiveSetting(key: key.name, value: key.show(self), source: sources[key.name] ?? .builtIn))
        }
        for kind in SectionKinds.all { effective += self.effective(kind, sources) }
        return effective
    }

    private func effective<Section: NamedSection>(
        _ kind: Section.Type, _ sources: [String: SettingSource]
    ) -> [EffectiveSetting] {
        self[keyPath: kind.place].sections.flatMap { section in
            kind.keys.map { key in
                let name = section.key(key.name)
                return EffectiveSetting(key: name, value: key.show(section), source: sources[name] ?? .builtIn)
            }
        }
    }
}

/// Where a value comes from.
public enum SettingSource: Sendable, Equatable, CustomStringConvertible {
    /// Nobody gave one.
    case builtIn
    /// The configuration file, at this line.
    case file(line: Int)
    /// The environment variable of this name.
    case environment(String)
    /// The secret file at this path, which the file or the environment names.
    case secretFile(String)

    public var description: String {
        switch self {
        case .builtIn: "default"
        case .file(let line): "file, line \(line)"
        case .environment(let name): "environment \(name)"
        case .secretFile(let path): "secret file \(printable(path))"
        }
    }
}
