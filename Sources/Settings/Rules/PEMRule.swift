/// Whether a file that a key names can hold certificates. The bytes themselves are checked where they are used.
enum PEMRule {
    /// Encapsulation boundaries (RFC 7468 §2).
    static func fault(_ key: String, _ path: String?, _ readFile: SettingsLoader.FileReader) -> [SettingsFault] {
        guard let path else { return [] }
        do {
            let holds = try readFile(path).split(whereSeparator: \.isNewline).contains { line in
                line.hasPrefix("-----BEGIN ") && line.hasSuffix("CERTIFICATE-----")
            }
            return holds ? [] : [SettingsFault(.value, key, value: path, expected: "a file with certificates in PEM")]
        } catch {
            return [SettingsFault(.unreadableFile, key, value: path, expected: error.sentence)]
        }
    }
}
