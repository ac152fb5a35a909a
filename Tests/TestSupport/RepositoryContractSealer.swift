public import Accounts

/// A sealer that hides nothing from anybody who looks, but does check key and place.
///
/// Sealed values begin with the key, the number of the data key and the length of the context.
public struct TransparentSealer: Sealer {
    public let key: UInt8
    private let numbers: Set<Int64>

    public init(key: UInt8 = 0x5A, numbers: Set<Int64> = [1]) {
        self.key = key
        self.numbers = numbers
    }

    public var newestKey: Int64 { numbers.max() ?? 0 }

    public func seal(_ plaintext: [UInt8], for context: SealContext) throws(SealingError) -> [UInt8] {
        [key, UInt8(newestKey), UInt8(context.associatedData.count)] + context.associatedData
            + plaintext.map { $0 ^ key }
    }

    public func open(_ sealed: [UInt8], for context: SealContext) throws(SealingError) -> [UInt8] {
        guard let number = keyNumber(of: sealed), sealed[0] == key else { throw .notAuthentic }
        guard numbers.contains(number) else { throw .unknownKey }
        let start = 3 + Int(sealed[2])
        guard sealed.count >= start, Array(sealed[3..<start]) == context.associatedData else { throw .notAuthentic }
        return sealed[start...].map { $0 ^ key }
    }

    /// No more than a sum that differs with the key and the message.
    public func authenticationCode(of message: [UInt8], under key: [UInt8]) -> [UInt8] {
        let sums = (key + message).reduce(into: [1, 2, 3, 4] as [UInt64]) { sums, byte in
            for index in sums.indices { sums[index] = (sums[index] ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        return sums.flatMap { sum in (0..<8).map { UInt8(truncatingIfNeeded: sum >> UInt64($0 * 8)) } }
    }

    public func keyNumber(of sealed: [UInt8]) -> Int64? {
        sealed.count > 2 ? Int64(sealed[1]) : nil
    }

    /// Adds the next number.
    public static let maker: DataKeyMaker = { (stored: [KeyRingEntry]) throws(SealingError) -> KeyRingEntry in
        let number = (stored.map(\.number).max() ?? 0) + 1
        return KeyRingEntry(number: number, sealedKey: [1, 2, 3], createdAt: 1)
    }

    /// Opens any key ring, adding this sealer's one key to an empty one.
    public static func unlocker(key: UInt8 = 0x5A) -> KeyRingUnlocker {
        { (stored: [KeyRingEntry]) throws(SealingError) -> UnlockedKeyRing in
            let entry = KeyRingEntry(number: 1, sealedKey: [1, 2, 3], createdAt: 1)
            let added = stored.isEmpty ? [entry] : []
            return UnlockedKeyRing(
                sealer: TransparentSealer(key: key, numbers: Set((stored + added).map(\.number))), added: added)
        }
    }
}
