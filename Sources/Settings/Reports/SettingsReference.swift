internal import JSON

/// The reference of all keys, made from the same rows that load them.
public enum SettingsReference {
    /// A Markdown table of the keys that stand alone, those of these wings among them, and one for each kind of section
    /// with names.
    package static func markdown(wings: [any WingSettings.Type]) -> String {
        let settings = Settings(wings: wings)
        return table(settings.keys, settings, section: [], KeysWithoutEffect.ofSettings)
            + SectionKinds.all.map { tables(of: $0) }.joined()
    }

    private static func tables<Section: NamedSection>(of kind: Section.Type) -> String {
        let section = Section(name: "NAME")
        let path = kind.components(of: section.name)
        return """

            Keys of \(kind.noun)'s section, `\(kind.path(of: section.name))`:

            \(table(kind.keys, section, section: path))
            """
    }

    private static func table<Root>(
        _ keys: [SettingKey<Root>], _ fresh: Root, section: [String], _ withoutEffect: Set<String> = []
    ) -> String {
        var text = "| key | environment | default | expected | what it is for |\n|---|---|---|---|---|\n"
        for key in keys {
            let variable = EnvironmentNames.variable(section + key.path)
            let secret = key.isSecret ? " Secret: `\(key.fileTwin)` or `\(variable)_FILE` names a file instead." : ""
            let effect = withoutEffect.contains(key.name) ? " Without effect in this version." : ""
            let cells = [
                "`\(key.name)`", "`\(variable)`", "`\(SettingsReport.plain(key.show(fresh)))`", key.expected,
                key.help + secret + effect,
            ]
            text += "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
        }
        return text
    }
}
