/// The keys that are kept with the users: those that sign session tokens, and those that values are sealed under.
public protocol KeyRepository: Sendable {
    /// All signing keys, the newest first.
    func signingKeys() async throws(RepositoryError) -> [SigningKey]

    /// Stores a signing key. A kid that is stored already keeps its key.
    func addSigningKey(_ key: SigningKey) async throws(RepositoryError)

    /// The data keys, sealed as they were given, by number.
    func keyRing() async throws(RepositoryError) -> [KeyRingEntry]

    /// Stores a data key before anything is sealed under it. A number that is stored already keeps its key.
    func addToKeyRing(_ entry: KeyRingEntry) async throws(RepositoryError)
}
