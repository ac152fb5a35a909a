/// A key our session tokens are signed with. Stored, so that every instance signs and publishes the same keys.
public struct SigningKey: Equatable, Sendable {
    /// The `kid` (RFC 7517 §4.5).
    public var kid: String
    /// The private key, in the form the caller reads keys in; the store seals it.
    public var privateKey: [UInt8]
    /// Seconds since 1970.
    public var createdAt: Int64
    /// When it begins to sign, in seconds since 1970; until then it is only published.
    public var signsFrom: Int64

    /// - Parameter signsFrom: nil for a key that may sign as soon as it is there.
    public init(kid: String, privateKey: [UInt8], createdAt: Int64, signsFrom: Int64? = nil) {
        self.kid = kid
        self.privateKey = privateKey
        self.createdAt = createdAt
        self.signsFrom = signsFrom ?? createdAt
    }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
    public var description: String { "SigningKey(\(kid))" }
    public var customMirror: Mirror { Mirror(self, children: ["kid": kid]) }
}
