import Syntax

/// Whether the master key's file can be what it must be; whether it opens the store is seen when the store is opened.
///
/// A file that `storage.masterKeyFile` names must exist. Without a name it is made on the first start, and looked at
/// only when it is there.
enum MasterKeyRule {
    /// 256 bits in base64url, six bits a character, without padding (RFC 4648 §5).
    private static let characters = 43

    static func faults(_ storage: Settings.Storage, _ files: SettingsFiles) -> [SettingsError] {
        let key = "storage.masterKeyFile"
        let path: String
        switch (storage.masterKeyFile, storage.url) {
        case (let named?, _): path = named
        case (nil, .file(let database)): path = database + ".key"
        case (nil, .postgres):
            let expected = "the file of a master key, which is the same for all instances"
            return [SettingsError(.missing, key, value: "", expected: expected)]
        }
        do {
            guard !isKey(try files.text(path)) else { return [] }
            let expected = "a file that holds 32 random bytes in base64url"
            return [SettingsError(.value, key, value: path, expected: expected)]
        } catch {
            if error == .notFound, storage.masterKeyFile == nil { return [] }
            return [SettingsError(.unreadableFile, key, value: path, expected: error.sentence)]
        }
    }

    private static func isKey(_ text: String) -> Bool {
        var bytes = Array(text.utf8)
        while let last = bytes.last, last == 0x0A || last == 0x0D || last == 0x20 { bytes.removeLast() }
        return bytes.count == characters && Base64URL.decode(bytes.span) != nil
    }
}

/// Whether a file that a key names can hold certificates. The bytes themselves are checked where they are used.
enum PEMRule {
    /// Encapsulation boundaries (RFC 7468 §2).
    static func fault(_ key: String, _ path: String?, _ files: SettingsFiles) -> [SettingsError] {
        guard let path else { return [] }
        do {
            let holds = try files.text(path).split(whereSeparator: \.isNewline).contains { line in
                line.hasPrefix("-----BEGIN ") && line.hasSuffix("CERTIFICATE-----")
            }
            return holds ? [] : [SettingsError(.value, key, value: path, expected: "a file with certificates in PEM")]
        } catch {
            return [SettingsError(.unreadableFile, key, value: path, expected: error.sentence)]
        }
    }
}
