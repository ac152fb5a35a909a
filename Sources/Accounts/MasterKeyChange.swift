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
    /// Where the old master key has leaked: what signs from now on, one key of each purpose. All others retire, and
    /// every session ends.
    public var replacements: [SigningKey]?
    /// Seconds since 1970.
    public var now: Int64

    public init(
        rewrap: @escaping KeyRingRewrapper, makeDataKey: @escaping DataKeyMaker, unlock: @escaping KeyRingUnlocker,
        replacements: [SigningKey]?, now: Int64
    ) {
        (self.rewrap, self.makeDataKey, self.unlock, self.replacements) = (rewrap, makeDataKey, unlock, replacements)
        self.now = now
    }
}
