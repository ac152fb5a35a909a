import Accounts
import Crypto
import Sealing
import Testing

@Suite struct `A key ring` {
    private let masterKey = SymmetricKey.generate()
    private let place = SealContext(table: "users", column: "profile", row: 7)
    private let text = Array("Jane Doe".utf8)

    private func unlocked(_ stored: [KeyRingEntry] = []) throws -> UnlockedKeyRing {
        try KeyRing.unlocker(masterKey: masterKey, now: 5)(stored)
    }

    /// A ring of its own whose only key has that number, as another start would have stored it.
    private func entry(number: Int64) throws -> KeyRingEntry {
        let label = Array("gatehouse data key \(number)".utf8)
        let sealed = try AEAD.seal(Random.bytes(32), key: masterKey, associatedData: label)
        return KeyRingEntry(number: number, sealedKey: sealed, createdAt: 1)
    }

    @Test func `makes a first key when it is empty`() throws {
        let added = try unlocked().added
        #expect(added.map(\.number) == [1])
        #expect(added.map(\.createdAt) == [5])
    }

    @Test func `makes no key when it has one`() throws {
        let stored = try unlocked().added
        #expect(try unlocked(stored).added.isEmpty)
    }

    @Test func `opens what it sealed, also after another start`() throws {
        let ring = try unlocked()
        let sealed = try ring.sealer.seal(text, for: place)
        #expect(try ring.sealer.open(sealed, for: place) == text)
        #expect(try unlocked(ring.added).sealer.open(sealed, for: place) == text)
        #expect(try ring.sealer.open(ring.sealer.seal([], for: place), for: place) == [])
    }

    @Test func `shows nothing of what it sealed and never seals the same twice`() throws {
        let sealer = try unlocked().sealer
        let sealed = try sealer.seal(text, for: place)
        #expect(!sealed.indices.contains { sealed[$0...].starts(with: text) })
        #expect(try sealer.seal(text, for: place) != sealed)
    }

    @Test(arguments: [
        SealContext(table: "users", column: "profile", row: 8), SealContext(table: "users", column: "other", row: 7),
        SealContext(table: "others", column: "profile", row: 7), SealContext(table: "usersp", column: "rofile", row: 7),
        SealContext(table: "users", column: "profile", row: []),
    ])
    func `opens nothing in another place`(other: SealContext) throws {
        let sealer = try unlocked().sealer
        let sealed = try sealer.seal(text, for: place)
        #expect(throws: SealingError.notAuthentic) { try sealer.open(sealed, for: other) }
    }

    @Test func `opens nothing that was changed or cut`() throws {
        let sealer = try unlocked().sealer
        let sealed = try sealer.seal(text, for: place)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 0x80
            #expect(throws: SealingError.self) { try sealer.open(changed, for: place) }
        }
        for length in 0..<sealed.count {
            #expect(throws: SealingError.notAuthentic) { try sealer.open(Array(sealed.prefix(length)), for: place) }
        }
    }

    @Test func `a key ring does not unlock with another master key`() throws {
        let stored = try unlocked().added
        #expect(throws: SealingError.notAuthentic) {
            try KeyRing.unlocker(masterKey: .generate(), now: 5)(stored)
        }
    }

    @Test func `a key ring does not unlock a key under another number`() throws {
        var stored = try #require(try unlocked().added.first)
        stored.number = 2
        #expect(throws: SealingError.notAuthentic) { try unlocked([stored]) }
    }

    @Test func `a key ring does not unlock a key that is too short or garbage`() throws {
        let short = try AEAD.seal([1, 2, 3], key: masterKey, associatedData: Array("gatehouse data key 1".utf8))
        for sealedKey in [short, [], [1, 2, 3]] {
            #expect(throws: SealingError.notAuthentic) {
                try unlocked([KeyRingEntry(number: 1, sealedKey: sealedKey, createdAt: 1)])
            }
        }
    }

    @Test func `makes the next key, and opens what was sealed under both`() throws {
        let stored = try unlocked().added
        let old = try unlocked(stored).sealer.seal(text, for: place)
        let made = try KeyRing.maker(masterKey: masterKey, now: 9)(stored)
        #expect(made.number == 2)
        #expect(made.createdAt == 9)
        let both = try unlocked(stored + [made]).sealer
        #expect(both.newestKey == 2)
        #expect(both.keyNumber(of: old) == 1)
        #expect(both.keyNumber(of: try both.seal(text, for: place)) == 2)
        #expect(try both.open(old, for: place) == text)
    }

    @Test func `makes no key beside those of another master key`() throws {
        let stored = try unlocked().added
        #expect(throws: SealingError.notAuthentic) { try KeyRing.maker(masterKey: .generate(), now: 9)(stored) }
    }

    @Test func `makes no key whose number a sealed value can't name`() throws {
        let last = try entry(number: Int64(UInt32.max))
        #expect(throws: SealingError.failed) { try KeyRing.maker(masterKey: masterKey, now: 9)([last]) }
    }

    @Test func `opens under another master key what it sealed under the first`() throws {
        let stored = [try entry(number: 1), try entry(number: 2)]
        let sealed = try unlocked(stored).sealer.seal(text, for: place)
        let other = SymmetricKey.generate()
        let rewrapped = try KeyRing.rewrapper(from: masterKey, to: other)(stored)
        #expect(rewrapped.map(\.number) == [1, 2])
        #expect(rewrapped.map(\.createdAt) == stored.map(\.createdAt))
        let ring = try KeyRing.unlocker(masterKey: other, now: 5)(rewrapped)
        #expect(try ring.sealer.open(sealed, for: place) == text)
        #expect(throws: SealingError.notAuthentic) { try unlocked(rewrapped) }
        #expect(throws: SealingError.notAuthentic) { try KeyRing.rewrapper(from: other, to: masterKey)(stored) }
    }

    @Test func `seals with its newest key and opens with all`() throws {
        let (first, second) = (try entry(number: 1), try entry(number: 2))
        let old = try unlocked([first]).sealer.seal(text, for: place)
        let both = try unlocked([second, first]).sealer
        #expect(try both.open(old, for: place) == text)
        let new = try both.seal(text, for: place)
        #expect(try unlocked([second]).sealer.open(new, for: place) == text)
        #expect(throws: SealingError.unknownKey) { try unlocked([first]).sealer.open(new, for: place) }
        #expect(throws: SealingError.unknownKey) { try unlocked([second]).sealer.open(old, for: place) }
    }
}
