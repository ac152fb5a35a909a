internal import Accounts
internal import Crypto
internal import SignIn
internal import System
internal import Telemetry
internal import WebAPI

extension Wing {
    /// TIM's KeyService: keys for a client to encrypt with, which a password unlocks.
    package static let keyService = Wing(KeyServiceSettings.self, tables: [UnlockKeys.table]) {
        configured, _, observers in
        let hashing = PasswordHashing(configured, observers)
        return OpenWing(
            api: .keyService(
                at: configured.basePath, hashing, keysPerDay: configured.keysPerDayPerAddress.map(Int64.init)),
            limits: [
                .keys: configured.keysPerMinutePerAddress,
                .failedLongSecrets: configured.failedLongSecretsPerMinutePerAddress,
            ]
        ) { parts in
            guard hashing != nil, let days = configured.unusedDays else { return [] }
            return [.sweepKeys(UnlockKeys(parts.repository), unusedDays: Int64(days), parts.clock)]
        }
    }
}

extension APIExtension {
    /// - Parameters:
    ///   - path: below which the operations are.
    ///   - hashing: where passwords are hashed; nil where the service is off.
    ///   - keysPerDay: how many keys one address may make in a day; nil: no limit.
    static func keyService(at path: String, _ hashing: PasswordHashing?, keysPerDay: Int64?) -> APIExtension {
        var service = APIExtension(
            isOn: { _ in hashing != nil },
            operations: KeyServiceEndpoint.operations(at: path, hashing, keysPerDay: keysPerDay))
        service.groups = [.keyService]
        service.requestSchemas = KeyServiceSchemas.requests
        service.answerSchemas = KeyServiceSchemas.answers
        service.errors = [.badPassword, .keyLocked, .userLocked, .keyMissing, .unableToCreateKey]
        service.metadataPaths = KeyServicePaths.metadataPaths(beside: path)
        return service
    }
}

extension WingError {
    static let badPassword = WingError(
        status: 401, code: "bad_password", sentence: "The password, or the long secret, is not that of this key.",
        meaning:
            "The password, or the long secret, is not that of the key. A third wrong password in a row destroys the key."
    )
    static let keyLocked = WingError(
        status: 403, code: "key_locked",
        sentence: "The password was wrong three times in a row: the key is gone; make another one.",
        meaning:
            "The password was wrong three times in a row, so that the key is gone, for the long secret too. Sign the user in, "
            + "and make another key.")
    static let userLocked = WingError(
        status: 403, code: "user_locked", sentence: "The user whose key this is may not sign in.",
        meaning: "The key is bound to a user whom an operator has locked. It is there again when the user is unlocked.")
    static let keyMissing = WingError(
        status: 404, code: "key_missing", sentence: "There is no key of this keyid.",
        meaning: "There is no such key: sign the user in, and make one.")
    static let unableToCreateKey = WingError(
        status: 500, code: "unable_to_create_key", sentence: "The key can't be stored now.",
        meaning: "The key can't be stored now, and there is none.")
}

extension AddressLimit {
    static let keys = AddressLimit("keys", "Too many keys are made from this address.")
    static let keysPerDay = AddressLimit("keysPerDay", "Too many keys were made from this address within a day.")
    static let failedLongSecrets = AddressLimit(
        "failedLongSecrets", "Too many wrong long secrets come from this address.")
}

extension OperationGroup {
    static let keyService = OperationGroup(
        "KeyService",
        "For TIM's clients: keys that a password unlocks. These ask for no API key, and are there where `keyService` is "
            + "enabled.")
}

extension PasswordHashing {
    /// - Returns: nil where the KeyService is off.
    convenience init?(_ settings: KeyServiceSettings, _ observers: Observers) {
        guard settings.enabled, let scrypt = try? Scrypt(cost: settings.scryptCost) else { return nil }
        self.init(
            scrypt, places: settings.hashesAtOnce ?? max(1, Processors.usable / 2), maximumWaiting: settings.waiting,
            observers: observers)
    }
}

extension HousekeepingJob {
    private static let keysPerStep = 500

    /// Removes the keys that nobody asks for any more.
    fileprivate static func sweepKeys(
        _ keys: UnlockKeys, unusedDays: Int64, _ clock: Clock
    ) -> HousekeepingJob {
        HousekeepingJob(interval: .seconds(60), complaint: "unused keys could not be removed", needsSteadyClock: true) {
            let now = clock.seconds
            let time = now - unusedDays * 86_400
            while !Task.isCancelled, try await keys.sweep(unusedSince: time, limit: keysPerStep, now: now) > 0 {}
        }
    }
}
