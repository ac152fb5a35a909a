public import Accounts
public import Crypto

/// The data keys that values in the store are sealed with, each known by its number. The newest seals, all of them
/// open.
///
/// Data keys lie in the store, sealed themselves under the master key, which never does: who steals the database alone
/// can open nothing.
public struct KeyRing: Sealer {
    private static let numberBytes = 4

    private let keys: [Int64: SymmetricKey]
    /// The number of the key that seals.
    public let newestKey: Int64

    private init(_ keys: [Int64: SymmetricKey], newest: Int64) {
        self.keys = keys
        newestKey = newest
    }

    /// Opens the stored data keys and makes a first one when there is none.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Returns: what a repository asks when it opens; it throws when the master key is not the right one.
    public static func unlocker(masterKey: SymmetricKey, now: Int64) -> KeyRingUnlocker {
        { stored throws(SealingError) in
            var keys: [Int64: SymmetricKey] = [:]
            for entry in stored { keys[entry.number] = try open(entry, masterKey) }
            if let newest = keys.keys.max() { return UnlockedKeyRing(sealer: KeyRing(keys, newest: newest), added: []) }
            let key = SymmetricKey.generate()
            let entry = KeyRingEntry(number: 1, sealedKey: try seal(key, number: 1, masterKey), createdAt: now)
            return UnlockedKeyRing(sealer: KeyRing([1: key], newest: 1), added: [entry])
        }
    }

    /// Makes data keys for a repository. It refuses to make one beside keys that the master key does not open.
    ///
    /// - Parameter now: seconds since 1970.
    public static func maker(masterKey: SymmetricKey, now: Int64) -> DataKeyMaker {
        { stored throws(SealingError) in
            var newest: Int64 = 0
            for entry in stored {
                _ = try open(entry, masterKey)
                newest = max(newest, entry.number)
            }
            // A sealed value has four bytes for the number.
            guard newest < UInt32.max else { throw .failed }
            let number = newest + 1
            return KeyRingEntry(
                number: number, sealedKey: try seal(.generate(), number: number, masterKey), createdAt: now)
        }
    }

    /// Seals the data keys under another master key; the data keys themselves, and all that is sealed under them, stay.
    public static func rewrapper(from old: SymmetricKey, to new: SymmetricKey) -> KeyRingRewrapper {
        { stored throws(SealingError) in
            var rewrapped: [KeyRingEntry] = []
            for var entry in stored {
                entry.sealedKey = try seal(try open(entry, old), number: entry.number, new)
                rewrapped.append(entry)
            }
            return rewrapped
        }
    }

    public func seal(_ plaintext: [UInt8], for context: SealContext) throws(SealingError) -> [UInt8] {
        guard let key = keys[newestKey] else { throw .unknownKey }
        let sealed: [UInt8]
        do throws(CryptoError) {
            sealed = try AEAD.seal(plaintext, key: key, associatedData: context.associatedData)
        } catch {
            throw .failed
        }
        let number = UInt32(truncatingIfNeeded: newestKey)
        return (0..<Self.numberBytes).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - $0 * 8)) } + sealed
    }

    public func open(_ sealed: [UInt8], for context: SealContext) throws(SealingError) -> [UInt8] {
        guard let number = keyNumber(of: sealed) else { throw .notAuthentic }
        guard let key = keys[number] else { throw .unknownKey }
        do throws(CryptoError) {
            return try AEAD.open(
                Array(sealed.dropFirst(Self.numberBytes)), key: key, associatedData: context.associatedData)
        } catch {
            throw .notAuthentic
        }
    }

    public func keyNumber(of sealed: [UInt8]) -> Int64? {
        guard sealed.count > Self.numberBytes else { return nil }
        return sealed.prefix(Self.numberBytes).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    }

    public func authenticationCode(of message: [UInt8], under key: [UInt8]) -> [UInt8] {
        HMAC.sha256(message, key: key)
    }

    private static func open(_ entry: KeyRingEntry, _ masterKey: SymmetricKey) throws(SealingError) -> SymmetricKey {
        do {
            let bytes = try AEAD.open(entry.sealedKey, key: masterKey, associatedData: label(entry.number))
            return try SymmetricKey(Secret(bytes))
        } catch {
            throw .notAuthentic
        }
    }

    private static func seal(
        _ key: SymmetricKey, number: Int64, _ masterKey: SymmetricKey
    ) throws(SealingError) -> [UInt8] {
        do throws(CryptoError) {
            return try AEAD.seal(key.secret.revealedBytes, key: masterKey, associatedData: label(number))
        } catch {
            throw .failed
        }
    }

    /// A data key sealed under one number does not open under another.
    private static func label(_ number: Int64) -> [UInt8] { Array("gatehouse data key \(number)".utf8) }
}
