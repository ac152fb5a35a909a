/// Putting a store under another master key, while no server has it.
public protocol MasterKeyRepository: Sendable {
    /// Seals the data keys under another master key, adds a data key that has only ever been under that one, makes the
    /// secret keys anew, and does what a leak of the old master key takes; all in one transaction. Older keys of refresh tokens
    /// stay beside the new one, so that users stay signed in, unless the old master key has leaked. After it this repository
    /// seals and opens nothing more: it must be opened again, with the new master key.
    ///
    /// What lies under the older keys has to be sealed and hashed anew then (``KeyRepository/reseal(limit:)``,
    /// ``MaintenanceRepository/indexContacts(limit:)``), and ``finishMasterKeyChange()`` ends the change.
    ///
    /// - Returns: how many sessions have ended.
    /// - Throws: `.wrongMasterKey` when the old one does not open the data keys, or the new one not what was made of them;
    ///   nothing has changed then.
    func changeMasterKey(_ change: MasterKeyChange) async throws(RepositoryError) -> Int

    /// The change that was begun and is not finished yet, in whatever process; nil when there is none.
    func unfinishedMasterKeyChange() async throws(RepositoryError) -> MasterKeyChange.Kind?

    /// Does what a leak of an older master key takes: what signs may be known to others, so all signing keys retire, others
    /// take their place, the keys of refresh tokens are made anew, and every session ends.
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

/// What puts a store under another master key.
public struct MasterKeyChange: Sendable {
    public enum Kind: String, Sendable {
        /// Nobody else has had the old master key.
        case ordinary
        /// Somebody may have had the old master key, and with it everything that was sealed under it.
        case leaked
    }

    /// Seals the stored data keys under the new master key.
    public var rewrap: KeyRingRewrapper
    /// Makes a data key under the new master key.
    public var makeDataKey: DataKeyMaker
    /// Opens the data keys with the new master key.
    public var unlock: KeyRingUnlocker
    /// Where the old master key has leaked: what signs from now on, one key of each purpose. All others retire, and every
    /// session ends.
    public var replacements: [SigningKey]?
    /// Seconds since 1970.
    public var now: Int64

    public init(
        rewrap: @escaping KeyRingRewrapper, makeDataKey: @escaping DataKeyMaker, unlock: @escaping KeyRingUnlocker,
        replacements: [SigningKey]?, now: Int64
    ) {
        self.rewrap = rewrap
        self.makeDataKey = makeDataKey
        self.unlock = unlock
        self.replacements = replacements
        self.now = now
    }
}
