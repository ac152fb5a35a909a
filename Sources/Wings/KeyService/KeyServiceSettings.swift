internal import Apps
package import Settings
internal import Syntax

/// What the configuration says of TIM's KeyService.
package struct KeyServiceSettings: WingSettings {
    var enabled = false
    /// Below which it is: an absolute path.
    var basePath = "/keyservice/v1"
    /// The logarithm of scrypt's N, for new keys.
    var scryptCost = 15
    /// How many passwords are hashed at once; nil: half the processors, and one at least.
    var hashesAtOnce: Int?
    /// How many may wait for that.
    var waiting = 256
    /// After how long without an unlocking a key is removed; nil: never.
    var unusedDays: Int? = 400
    /// Keys that one address may make in a minute; nil: no limit.
    var keysPerMinutePerAddress: Int? = 60
    /// Keys that one address may make in a day, over all instances; nil: no limit.
    var keysPerDayPerAddress: Int? = 1000
    /// Long secrets that one address may get wrong in a minute; nil: no limit.
    var failedLongSecretsPerMinutePerAddress: Int? = 60

    package init() {}

    package static let keys: [SettingKey<Self>] = [
        SettingKey(
            "rateLimit.keysPerMinutePerAddress", \.keysPerMinutePerAddress, .limit(upTo: 1_000_000),
            "Keys of the KeyService that one client address may make in a minute."),
        SettingKey(
            "rateLimit.keysPerDayPerAddress", \.keysPerDayPerAddress, .limit(upTo: 10_000_000),
            "Keys that one client address may make in a day, at all instances together; the /56 and the /48 around an IPv6 "
                + "address may make 4 and 16 times as many."),
        SettingKey(
            "rateLimit.failedLongSecretsPerMinutePerAddress", \.failedLongSecretsPerMinutePerAddress,
            .limit(upTo: 1_000_000), "Long secrets of such keys that one client address may get wrong in a minute."),
        SettingKey(
            "keyService.enabled", \.enabled, .flag,
            "Whether TIM's clients get keys that a password unlocks; read Documentation/TIM.md first."),
        SettingKey(
            "keyService.basePath", \.basePath, .text(.basePath),
            "Path of the KeyService; the clients' convenience constructor looks at /auth/realms/REALM/keyservice/v1."),
        SettingKey(
            "keyService.scryptCost", \.scryptCost, .number(14...20),
            "How slow the hash of a new key's password is, and how large: it takes 2^scryptCost KiB of memory, 32 MiB at 15."
        ),
        SettingKey(
            "keyService.hashesAtOnce", \.hashesAtOnce,
            .positive(upTo: 256, zero: "half the processors and one at least"),
            "Passwords hashed at once, each with the memory of scryptCost."),
        SettingKey(
            "keyService.waiting", \.waiting, .number(0...100_000),
            "Requests that may wait for that; one more is answered 503 overloaded."),
        SettingKey(
            "keyService.unusedDays", \.unusedDays, .positive(upTo: 36_500, zero: "never"),
            "How many days a key stays that nobody unlocks."),
    ]

    package func limitsAddresses(beside settings: Settings) -> Bool {
        enabled
            && (keysPerMinutePerAddress != nil || keysPerDayPerAddress != nil
                || failedLongSecretsPerMinutePerAddress != nil)
    }

    package var claimedPaths: ClaimedPaths? {
        guard enabled else { return nil }
        return ClaimedPaths(
            [basePath] + KeyServicePaths.metadataPaths(beside: basePath).filter { !$0.hasPrefix("//") },
            expected: "a path that is not below keyService.basePath, nor its issuer's metadata")
    }

    package func notices(beside settings: Settings) -> [SettingsNotice] { [] }

    package func faults(beside settings: Settings) -> [SettingsError] {
        guard enabled else {
            let names = Self.keys.map(\.name).filter { !$0.hasPrefix("rateLimit.") }
            return KeysWithoutEffect.faults(
                Self.keys, Set(names), under: "", in: self, fresh: Self(), because: "keyService.enabled is false")
        }
        // Nothing of ours ends as that does, wherever it is.
        guard !basePath.hasSuffix(KeyServicePaths.realmSuffix) else { return [] }
        let first = basePath.split(separator: "/").first.map(String.init) ?? ""
        guard first != "keyservice", OwnHost.reserved.contains(first) else { return [] }
        let expected =
            "a path that is none of this service's own: below /\(first) one that ends in \(KeyServicePaths.realmSuffix)"
        return [SettingsError(.conflict, "keyService.basePath", value: basePath, expected: expected)]
    }
}

extension TextRule where Value == String {
    /// A path that the clients know to the letter.
    fileprivate static var basePath: Self {
        let expected =
            "an absolute path such as /keyservice/v1: letters, digits and -._~ between slashes, none at its end"
        return TextRule(expected: expected) { text throws(ValueError) in
            let segments = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            let isPath =
                text.hasPrefix("/")
                && segments.allSatisfy { segment in
                    !segment.isEmpty && segment != "." && segment != ".."
                        && segment.utf8.allSatisfy { $0.isAlphanumeric || "-._~".utf8.contains($0) }
                }
            guard isPath else { throw ValueError(value: text, expected: expected) }
            return text
        } show: {
            $0
        }
    }
}
