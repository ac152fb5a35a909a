/// A symmetric key that the service uses for itself alone, as for what it hands out and must know again. Stored, so
/// that every instance has the same ones.
public struct SecretKey: Equatable, Sendable {
    /// The length of every key in bytes.
    public static let byteCount = 32

    /// What a key is for. It is used for nothing else.
    public enum Purpose: String, Sendable, CaseIterable {
        /// Tells the nonces that we issue from all others, and makes link tickets of what they are asked for with. A
        /// nonce's text has a length that no ticket's has.
        case challenge
        /// Hashes the addresses and numbers that users are found by.
        case contact
        /// Signs refresh tokens.
        case refresh
        /// Proves that a record of the ledger is ours.
        case ledger
        /// Hashes the names that users have signed up by, subjects that are nobody's, and whom what strangers do is
        /// counted for. It is never another one: nobody has the names to hash them anew, so with another key everybody
        /// would be unknown, and could sign up once more.
        case directory
    }

    public var purpose: Purpose
    /// Names the key, among those of all purposes, and is never given twice.
    public var number: Int64
    public var bytes: [UInt8]
    /// Seconds since 1970.
    public var createdAt: Int64

    public init(purpose: Purpose, number: Int64, bytes: [UInt8], createdAt: Int64) {
        (self.purpose, self.number, self.bytes, self.createdAt) = (purpose, number, bytes, createdAt)
    }
}

extension SecretKey: CustomStringConvertible, CustomReflectable {
    public var description: String { "SecretKey(\(purpose.rawValue) \(number))" }
    public var customMirror: Mirror { Mirror(self, children: ["purpose": purpose.rawValue, "number": number]) }
}
