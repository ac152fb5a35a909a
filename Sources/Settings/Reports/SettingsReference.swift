internal import JSON

/// The reference of all keys, made from the same rows that load them.
public enum SettingsReference {
    /// Two Markdown tables: the keys outside the providers' sections, and those of a provider.
    public static var markdown: String {
        let provider = ProviderSettings(name: "NAME")
        let section = ["provider", provider.name]
        return """
            \(table(SettingKey<Settings>.all, Settings(), section: [], KeysWithoutEffect.ofSettings))
            Keys of a provider's section, `provider.NAME`:

            \(table(SettingKey<ProviderSettings>.all, provider, section: section, KeysWithoutEffect.ofProviders))
            """
    }

    private static func table<Root>(
        _ keys: [SettingKey<Root>], _ fresh: Root, section: [String], _ withoutEffect: Set<String>
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
