/// The keys of what we make and know again: challenges and refresh tokens.
public protocol SecretKeyRepository: Sendable {
    /// The keys of a purpose as they were last read, the newest first. There is one at least: it is made as the store
    /// opens.
    func secretKeys(for purpose: SecretKey.Purpose) async throws(RepositoryError) -> [SecretKey]

    /// Takes over secret keys that another process has stored.
    ///
    /// - Returns: whether they have changed.
    func reloadSecretKeys() async throws(RepositoryError) -> Bool

    /// Makes another key of a purpose, here at once and in other processes when they look. Those that were replaced
    /// long enough ago are erased.
    ///
    /// - Parameters:
    ///   - keepingSeconds: for how long what an older key has made must be known again.
    ///   - now: seconds since 1970.
    func rotateSecretKey(
        for purpose: SecretKey.Purpose, keepingSeconds: Int64, now: Int64
    ) async throws(RepositoryError)
}

/// The keys that sign our tokens.
public protocol SigningKeyRepository: Sendable {
    /// All signing keys that are not retired, the newest first.
    func signingKeys() async throws(RepositoryError) -> [SigningKey]

    /// What is told of all signing keys, the newest first, the retired ones too. It opens no seal, so it costs little.
    func signingKeyEntries() async throws(RepositoryError) -> [SigningKeyEntry]

    /// Stores a signing key. A kid that is stored already keeps its key; one that is retired stays so.
    func addSigningKey(_ key: SigningKey) async throws(RepositoryError)

    /// Takes a signing key out of use for good: its private key is erased, and its kid stays known as retired. The key
    /// that signs at that time stays.
    ///
    /// - Parameter now: seconds since 1970.
    func retireSigningKey(_ kid: String, now: Int64) async throws(RepositoryError) -> KeyRetirement
}

/// The keys that values are sealed under.
public protocol DataKeyRepository: Sendable {
    /// The data keys, sealed as they were given, by number.
    func keyRing() async throws(RepositoryError) -> [KeyRingEntry]

    /// Stores a data key before anything is sealed under it. A number that is stored already keeps its key.
    func addToKeyRing(_ entry: KeyRingEntry) async throws(RepositoryError)

    /// Makes another data key and seals under it from now on, here at once and in other processes with their next
    /// write. What was sealed before stays readable; ``reseal(limit:)`` seals it anew. Older data keys stay: another
    /// process may not have been able to open the new one yet.
    ///
    /// - Returns: the new key's number.
    /// - Throws: `.wrongMasterKey` when the maker's master key is not the one of this store.
    func rotateDataKey(_ make: @escaping DataKeyMaker) async throws(RepositoryError) -> Int64

    /// Takes over data keys that another process has stored. Values under an unknown key cause it too.
    ///
    /// - Returns: whether the ring has changed.
    /// - Throws: `.wrongMasterKey` when the store was put under another master key meanwhile; what was known before
    ///   goes on opening what it opened, and nothing is written any more.
    func reloadKeyRing() async throws(RepositoryError) -> Bool

    /// Seals about `limit` values anew that may lie under older data keys, in one short transaction, going on where the
    /// last call, in whatever process, has stopped. A value that does not open stays as it is;
    /// ``MaintenanceRepository/check()`` counts those.
    ///
    /// - Returns: how many values it looked at; 0 when everything lies under the newest key.
    func reseal(limit: Int) async throws(RepositoryError) -> Int
}

/// Putting a store under another master key, while no server has it.
public protocol MasterKeyRepository: Sendable {
    /// Seals the data keys under another master key, adds a data key that has only ever been under that one, makes the
    /// secret keys anew, and does what a leak of the old master key takes; all in one transaction. Older keys of
    /// refresh tokens stay beside the new one, so that users stay signed in, unless the old master key has leaked.
    /// After it this repository seals and opens nothing more: it must be opened again, with the new master key.
    ///
    /// What lies under the older keys has to be sealed and hashed anew then (``DataKeyRepository/reseal(limit:)``,
    /// ``MaintenanceRepository/indexContacts(limit:)``), and ``finishMasterKeyChange()`` ends the change.
    ///
    /// - Returns: how many sessions have ended.
    /// - Throws: `.wrongMasterKey` when the old one does not open the data keys, or the new one not what was made of
    ///   them; nothing has changed then.
    func changeMasterKey(_ change: MasterKeyChange) async throws(RepositoryError) -> Int

    /// The change that was begun and is not finished yet, in whatever process; nil when there is none.
    func unfinishedMasterKeyChange() async throws(RepositoryError) -> MasterKeyChange.Kind?

    /// Does what a leak of an older master key takes: what signs may be known to others, so all signing keys retire,
    /// others take their place, the keys of refresh tokens are made anew, and every session ends.
    ///
    /// - Parameters:
    ///   - keys: what signs from now on, one key of each purpose.
    ///   - now: seconds since 1970.
    /// - Returns: how many sessions have ended.
    func replaceLeaked(with keys: [SigningKey], now: Int64) async throws(RepositoryError) -> Int

    /// Erases all data keys but the newest, once nothing lies under them any more, and ends the change.
    ///
    /// - Returns: false while something is left to be sealed or hashed anew.
    func finishMasterKeyChange() async throws(RepositoryError) -> Bool
}
