package import Settings
internal import Syntax

/// What the configuration says of whom to tell about a vulnerability.
package struct SecurityContactSettings: WingSettings {
    var contacts: [String] = []
    var policy: String?
    var encryption: String?
    var acknowledgments: String?
    var languages: [String] = []
    /// How long after the day on which it is fetched the file may be relied on.
    var days = 30

    package init() {}

    package static let keys: [SettingKey<Self>] = [
        SettingKey(
            "securityTxt.contacts", \.contacts, .list(.contact),
            "Where people tell you of a vulnerability, the best way first; empty: there is no /.well-known/security.txt."
        ),
        SettingKey(
            "securityTxt.policy", \.policy, .optional(.securePage),
            "Page that says what you do with what you are told."),
        SettingKey(
            "securityTxt.encryption", \.encryption, .optional(.encryptionKey), "Key for letters to you."),
        SettingKey(
            "securityTxt.acknowledgments", \.acknowledgments, .optional(.securePage), "Page on which you thank."),
        SettingKey(
            "securityTxt.languages", \.languages, .list(.languageTag), "Languages that you read, such as en and de."),
        SettingKey(
            "securityTxt.days", \.days, .number(1...365),
            "For how many days the file may be relied on once it is fetched; that much later it has expired."),
    ]

    package var claimedPaths: ClaimedPaths? { nil }

    package func limitsAddresses(beside settings: Settings) -> Bool { false }

    package func notices(beside settings: Settings) -> [SettingsNotice] { [] }

    package func faults(beside settings: Settings) -> [SettingsError] {
        guard contacts.isEmpty else { return [] }
        return KeysWithoutEffect.faults(
            Self.keys, Set(Self.keys.map(\.name)), under: "", in: self, fresh: Self(),
            because: "securityTxt.contacts names nobody")
    }
}

extension TextRule where Value == String {
    /// RFC 9116 §2.5.3: a URI; of the web only where nobody can change it on the way.
    fileprivate static var contact: Self {
        uri(
            "mailto:security@example.com, tel:+49-30-123456 or https://example.com/security",
            ["mailto:", "tel:", "https://"])
    }

    /// RFC 9116 §2.5.4: where the key is, and not the key.
    fileprivate static var encryptionKey: Self {
        uri("https://example.com/key.txt, dns:… or openpgp4fpr:…", ["https://", "dns:", "openpgp4fpr:"])
    }

    fileprivate static var securePage: Self { uri("https://example.com/security", ["https://"]) }

    private static func uri(_ examples: String, _ schemes: [String]) -> Self {
        TextRule("an address such as \(examples)") {
            $0
        } accept: { text in
            let isPrintable = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            let hasMore = schemes.contains { text.hasPrefix($0) && text.utf8.count > $0.utf8.count }
            return isPrintable && hasMore ? text : nil
        }
    }

    /// RFC 5646, as far as its shape goes.
    fileprivate static var languageTag: Self {
        TextRule("a language tag such as en or pt-BR") {
            $0
        } accept: { text in
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            let isTag = parts.allSatisfy { (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(\.isAlphanumeric) }
            return isTag && (parts.first?.utf8.count ?? 0) > 1 ? text : nil
        }
    }
}
