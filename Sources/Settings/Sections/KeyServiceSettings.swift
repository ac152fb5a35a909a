internal import Apps
internal import Crypto
internal import Syntax

extension Settings {
    /// TIM's KeyService.
    public struct KeyService: Sendable {
        public internal(set) var enabled = false
        /// Below which it is: an absolute path.
        public internal(set) var basePath = "/keyservice/v1"
        /// The logarithm of scrypt's N, for new keys.
        public internal(set) var scryptCost = 15
        /// How many passwords are hashed at once; nil: half the processors, and one at least.
        public internal(set) var hashesAtOnce: Int?
        /// How many may wait for that.
        public internal(set) var waiting = 256
        /// After how long without an unlocking a key is removed; nil: never.
        public internal(set) var unusedDays: Int? = 400

        /// What TIM's clients append to a realm's address.
        static let realmSuffix = "/keyservice/v1"

        /// The paths that are this service's own, with all below them.
        var claimedPaths: [String] {
            guard basePath.hasSuffix(Self.realmSuffix) else { return [basePath] }
            return [basePath, basePath.dropLast(Self.realmSuffix.utf8.count) + "/.well-known/openid-configuration"]
        }
    }
}

extension SettingKey where Root == Settings {
    static let keyService: [Self] = [
        Self(
            "keyService.enabled", \.keyService.enabled, .flag,
            "Whether there are keys for TIM's clients, which a password unlocks; see Documentation/TIM.md first."),
        Self(
            "keyService.basePath", \.keyService.basePath, .text(.basePath),
            "Where they are; the clients' convenience constructor looks at /auth/realms/REALM/keyservice/v1."),
        Self(
            "keyService.scryptCost", \.keyService.scryptCost, .number(14...20),
            "How slow the hash of a new key's password is, and how large: it takes 2^scryptCost KiB of memory, 32 MiB at 15."
        ),
        Self(
            "keyService.hashesAtOnce", \.keyService.hashesAtOnce,
            .positive(upTo: 256, zero: "half the processors and one at least"),
            "Passwords hashed at once, each with the memory of scryptCost."),
        Self(
            "keyService.waiting", \.keyService.waiting, .number(0...100_000),
            "Requests that may wait for that; one more is answered 503 overloaded."),
        Self(
            "keyService.unusedDays", \.keyService.unusedDays, .positive(upTo: 36_500, zero: "never"),
            "After how many days in which nobody has unlocked it a key is removed."),
    ]
}

extension TextRule where Value == String {
    /// A path that the clients know to the letter.
    static var basePath: Self {
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

extension Settings {
    var hasLimitsOfKeys: Bool {
        keyService.enabled
            && (rateLimit.keysPerMinutePerAddress != nil || rateLimit.failedLongSecretsPerMinutePerAddress != nil)
    }

    /// What is wrong with the section of the KeyService.
    func keyServiceRules() -> [SettingsError] {
        guard keyService.enabled else {
            let names = SettingKey<Settings>.keyService.map(\.name)
            return KeysWithoutEffect.faults(
                SettingKey<Settings>.keyService, Set(names), under: "", in: self, fresh: Settings(),
                because: "keyService.enabled is false")
        }
        // Nothing of ours ends as that does, wherever it is.
        guard !keyService.basePath.hasSuffix(KeyService.realmSuffix) else { return [] }
        let first = keyService.basePath.split(separator: "/").first.map(String.init) ?? ""
        guard first != "keyservice", OwnHost.reserved.contains(first) else { return [] }
        let expected =
            "a path that is none of this service's own: below /\(first) one that ends in \(KeyService.realmSuffix)"
        return [SettingsError(.conflict, "keyService.basePath", value: keyService.basePath, expected: expected)]
    }
}
