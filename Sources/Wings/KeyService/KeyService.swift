internal import Accounts
internal import Crypto
internal import SignIn
internal import Syntax
internal import System

/// TIM's KeyService: a client encrypts with a key that it does not keep, and gets it back for a password, three tries
/// in a row, or for the long secret that it got with the key and keeps behind a finger or a face.
///
/// A caller need not be known: to know a key's name is enough for the tries. A password's outcome is told only when the
/// store has counted it, so that of any number of attempts at once no more than three wrong ones are ever judged.
struct KeyService: Sendable {
    /// The longest password, and the longest long secret, in bytes.
    static let maximumSecretBytes = 1024

    /// Who asks.
    struct Caller: Sendable {
        /// Whom keys are counted for.
        let address: IPAddress
        /// Whose turn it is when passwords are hashed, beside the key's.
        let lane: [UInt8]
        /// Whose session was shown; nil where none was.
        let user: UserID?
    }

    private let keys: UnlockKeys
    private let budgets: any BudgetRepository
    private let locks: any OperatorRepository
    private let hashing: PasswordHashing
    /// How many keys one address may make within a day; nil: as many as it likes.
    private let keysPerDay: Int64?
    private let clock: Clock

    init(
        keys: UnlockKeys, budgets: any BudgetRepository, locks: any OperatorRepository, hashing: PasswordHashing,
        keysPerDay: Int64?, clock: Clock
    ) {
        (self.keys, self.budgets, self.locks, self.hashing) = (keys, budgets, locks, hashing)
        (self.keysPerDay, self.clock) = (keysPerDay, clock)
    }

    /// Makes a key. Two requests make two, and each is good. It is counted before it costs anything, also where nothing
    /// comes of it.
    ///
    /// - Throws: `WingError.unableToCreateKey` where it can't be stored; `ServiceError.overloaded`, `.rateLimited`.
    func create(password: Secret, for caller: Caller) async throws(ServiceError) -> UnlockedKey {
        let now = clock.seconds
        if let keysPerDay {
            let budget = Budget("keys", limit: keysPerDay, seconds: 86_400)
            let wait = try await storing { () throws(RepositoryError) in
                try await budgets.take(budget, for: caller.address, now: now)
            }
            if let wait { throw .rateLimited(.keysPerDay, retryAfterSeconds: wait) }
        }
        let turn = FairLine.Turn(key: Array("new".utf8) + caller.lane, address: caller.lane)
        try await hashing.enter(turn)
        defer { hashing.leave(turn) }
        let key = UnlockedKey.generate()
        let content = try await hashed { [scrypt = hashing.scrypt] () throws(CryptoError) in
            try WrappedKey(key, under: password, scrypt).content
        }
        try await storing { () throws(RepositoryError) in
            try await keys.add(key.id, content: content, of: caller.user, now: now)
        }
        return key
    }

    /// What must be on disk for a key to be made.
    private func storing<Value>(
        _ body: () async throws(RepositoryError) -> Value
    ) async throws(ServiceError) -> Value {
        do throws(RepositoryError) {
            return try await body()
        } catch {
            // What passes by itself in a second is no reason to give up.
            guard case .storageUnavailable(let reason) = ServiceError(error) else { throw ServiceError(error) }
            throw .ofWing(.unableToCreateKey.because(reason))
        }
    }

    /// Unlocks a key by its password. The place in the line is kept until the attempt is counted, so that who comes
    /// next is refused without a hash when it was the last one.
    ///
    /// - Throws: `WingError.badPassword`, `.keyLocked`, `.keyMissing`, `.userLocked`; `ServiceError.overloaded`,
    ///   `.storageUnavailable`.
    func unlock(
        _ keyID: String, password: Secret, for purpose: UnlockPurpose = .unlocking, by caller: Caller
    ) async throws(ServiceError) -> UnlockedKey {
        guard let id = UnlockKeyID(text: keyID) else { throw .ofWing(.keyMissing) }
        _ = try await wrapped(id)
        let turn = FairLine.Turn(key: id.bytes, address: caller.lane)
        try await hashing.enter(turn)
        defer { hashing.leave(turn) }
        let wrapped = try await wrapped(id)
        let key = try await hashed { () throws(CryptoError) in try wrapped.open(password: password) }
        try await settle(id, .password(isRight: key != nil), purpose, caller)
        guard let key else { throw .ofWing(.badPassword) }
        return key
    }

    /// Unlocks a key by its long secret. A wrong one is not counted: nobody guesses 256 bits, and who could lock keys
    /// by it would need no more than their names.
    ///
    /// - Throws: as for a password.
    func unlock(
        _ keyID: String, longSecret: Secret, for purpose: UnlockPurpose = .unlocking, by caller: Caller
    ) async throws(ServiceError) -> UnlockedKey {
        guard let id = UnlockKeyID(text: keyID) else { throw .ofWing(.keyMissing) }
        let wrapped = try await wrapped(id)
        guard let key = try opened({ () throws(CryptoError) in try wrapped.open(longSecret: longSecret) }) else {
            throw .ofWing(.badPassword)
        }
        try await settle(id, .longSecret, purpose, caller)
        return key
    }

    private func wrapped(_ id: UnlockKeyID) async throws(ServiceError) -> WrappedKey {
        let found = try await stored { () throws(RepositoryError) in try await keys.find(id) }
        guard let found else { throw .ofWing(.keyMissing) }
        guard let content = found.content else { throw .ofWing(.keyLocked) }
        if let user = found.user, try await isLocked(user) { throw .ofWing(.userLocked) }
        guard let wrapped = WrappedKey(content, of: id) else { throw .storageUnavailable(.corrupt) }
        return wrapped
    }

    private func isLocked(_ user: UserID) async throws(ServiceError) -> Bool {
        let now = clock.seconds
        return try await stored { () throws(RepositoryError) in try await locks.lock(of: user, now: now) } != nil
    }

    private func settle(
        _ id: UnlockKeyID, _ attempt: UnlockAttempt, _ purpose: UnlockPurpose, _ caller: Caller
    ) async throws(ServiceError) {
        let now = clock.seconds
        let outcome = try await stored { () throws(RepositoryError) in
            try await keys.settle(id, attempt, for: purpose, by: caller.user, now: now)
        }
        switch outcome {
        case .unlocked: return
        case .wrong: throw .ofWing(.badPassword)
        case .locked: throw .ofWing(.keyLocked)
        case .missing: throw .ofWing(.keyMissing)
        }
    }

    private func hashed<Value: Sendable>(
        _ body: @escaping @Sendable () throws(CryptoError) -> Value
    ) async throws(ServiceError) -> Value {
        do throws(CryptoError) { return try await hashing.run(body) } catch { throw .overloaded }
    }

    private func opened<Value>(_ body: () throws(CryptoError) -> Value) throws(ServiceError) -> Value {
        // Only memory that has run out makes either fail; the right or the wrong secret does not.
        do throws(CryptoError) { return try body() } catch { throw .overloaded }
    }
}
