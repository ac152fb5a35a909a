/// A key our own tokens are signed with. Stored, so that every instance signs and publishes the same keys.
public struct SigningKey: Equatable, Sendable {
    public var entry: SigningKeyEntry
    /// The private key, in the form the caller reads keys in; the store seals it.
    public var privateKey: [UInt8]

    /// The `kid` (RFC 7517 §4.5).
    public var kid: String { entry.kid }

    public init(entry: SigningKeyEntry, privateKey: [UInt8]) {
        self.entry = entry
        self.privateKey = privateKey
    }

    /// A new key.
    ///
    /// - Parameter signsFrom: nil for a key that may sign as soon as it is there.
    public init(
        kid: String, purpose: SigningKeyEntry.Purpose, privateKey: [UInt8], createdAt: Int64, signsFrom: Int64? = nil
    ) {
        self.init(
            entry: SigningKeyEntry(
                kid: kid, purpose: purpose, createdAt: createdAt, signsFrom: signsFrom ?? createdAt,
                isLasting: purpose == .receipt, retiredAt: nil),
            privateKey: privateKey)
    }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
    public var description: String { "SigningKey(\(kid))" }
    public var customMirror: Mirror { Mirror(self, children: ["kid": kid]) }
}

/// What becomes of a key that somebody wants to be rid of.
public enum KeyRetirement: Equatable, Sendable {
    case retired
    /// It was retired before, at that time, in seconds since 1970.
    case retiredBefore(at: Int64)
    /// It signs: another one must, first.
    case signs(SigningKeyEntry.Purpose)
    case unknown
}
