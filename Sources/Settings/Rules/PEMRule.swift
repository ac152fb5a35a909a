/// Whether a file that a key names can be what it is named for. The bytes themselves are checked where they are used.
struct PEMRule {
    /// The end of the label that an encapsulation boundary must have (RFC 7468 §2).
    let label: String
    let expected: String

    static var certificates: PEMRule { PEMRule(label: "CERTIFICATE", expected: "a file with certificates in PEM") }
    static var privateKey: PEMRule { PEMRule(label: "PRIVATE KEY", expected: "a file with a private key in PEM") }

    func fault(_ key: String, _ path: String?, _ readFile: SettingsLoader.FileReader) -> [SettingsFault] {
        guard let path else { return [] }
        do {
            let holds = try readFile(path).split(whereSeparator: \.isNewline).contains { line in
                line.hasPrefix("-----BEGIN ") && line.hasSuffix(label + "-----")
            }
            return holds ? [] : [SettingsFault(.value, key, value: path, expected: expected)]
        } catch {
            return [SettingsFault(.unreadableFile, key, value: path, expected: error.sentence)]
        }
    }
}
