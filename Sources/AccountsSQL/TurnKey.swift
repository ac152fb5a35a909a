public import Accounts

/// What an operation of the store takes the lock of first, as far as others may want the same at once.
///
/// A number, since it is looked up with every sign-in. Two things that have the same one take turns with each other,
/// which costs them a wait and nothing else.
public struct TurnKey: Hashable, Sendable {
    private let number: UInt64

    private init(_ kind: UInt8, _ number: UInt64) {
        self.number = (number ^ UInt64(kind)) &* Self.prime
    }

    // FNV-1a of 64 bits.
    private static let prime: UInt64 = 0x100_0000_01B3
    private static let basis: UInt64 = 0xCBF2_9CE4_8422_2325

    private static func digest(_ bytes: Span<UInt8>) -> UInt64 {
        var digest = basis
        for index in bytes.indices { digest = (digest ^ UInt64(bytes[index])) &* prime }
        return digest
    }

    /// The same of any issuer: two who have one subject value there and here are hardly ever there at once.
    public static func subject(_ subject: Subject) -> TurnKey { TurnKey(1, digest(subject.value.utf8.span)) }

    public static func session(_ id: SessionID) -> TurnKey { TurnKey(2, id.low) }
    public static func user(_ id: UserID) -> TurnKey { TurnKey(3, UInt64(bitPattern: id.rawValue)) }
    public static func identity(_ id: IdentityID) -> TurnKey { TurnKey(4, UInt64(bitPattern: id.rawValue)) }
    /// What is used once.
    public static func value(_ hash: TokenHash) -> TurnKey { TurnKey(5, hash.words.0) }
    /// What is counted.
    public static func budget(_ name: [UInt8]) -> TurnKey { TurnKey(6, digest(name.span)) }
}
