public import Accounts

/// A sealer that hides nothing from anybody who looks, but does check key and place.
public struct TransparentSealer: Sealer {
    public let key: UInt8

    public init(key: UInt8 = 0x5A) {
        self.key = key
    }

    public func seal(_ plaintext: [UInt8], for context: SealContext) throws(SealingError) -> [UInt8] {
        [key, UInt8(context.associatedData.count)] + context.associatedData + plaintext.map { $0 ^ key }
    }

    public func open(_ sealed: [UInt8], for context: SealContext) throws(SealingError) -> [UInt8] {
        guard sealed.count >= 2, sealed[0] == key else { throw .unknownKey }
        let start = 2 + Int(sealed[1])
        guard sealed.count >= start, Array(sealed[2..<start]) == context.associatedData else { throw .notAuthentic }
        return sealed[start...].map { $0 ^ key }
    }

    /// Opens any key ring, adding this sealer's one key to an empty one.
    public static func unlocker(key: UInt8 = 0x5A) -> KeyRingUnlocker {
        { (stored: [KeyRingEntry]) throws(SealingError) -> UnlockedKeyRing in
            let entry = KeyRingEntry(number: 1, sealedKey: [1, 2, 3], createdAt: 1)
            return UnlockedKeyRing(sealer: TransparentSealer(key: key), added: stored.isEmpty ? [entry] : [])
        }
    }
}
