import Accounts
import Crypto
import Testing

@testable import Wings

@Suite struct `A wrapped key` {
    private static let password = Secret("1234")
    private let key = UnlockedKey.generate()
    private let wrapped: WrappedKey

    init() throws {
        wrapped = try WrappedKey(key, under: Self.password, try Scrypt(cost: 1))
    }

    @Test func `opens under its own name alone`() throws {
        #expect(try WrappedKey(wrapped.content, of: key.id)?.open(password: Self.password)?.key == key.key)
        let other = UnlockedKey.generate().id
        #expect(try WrappedKey(wrapped.content, of: other)?.open(password: Self.password) == nil)
        #expect(try WrappedKey(wrapped.content, of: other)?.open(longSecret: key.longSecret) == nil)
    }

    @Test func `opens in no way once a bit of it is another one`() throws {
        let content = wrapped.content
        for index in content.indices {
            var changed = content
            changed[index] ^= 1
            let read = WrappedKey(changed, of: key.id)
            // A bit of the head spoils both wraps, one of a wrap that wrap; a cost that no scrypt takes is no key at
            // all.
            let byPassword = try? read?.open(password: Self.password)
            let byLongSecret = try read?.open(longSecret: key.longSecret)
            let (first, second) = (20..<80, 80..<content.count)
            #expect((byPassword != nil) == first.contains(index), "\(index)")
            #expect((byLongSecret != nil) == second.contains(index), "\(index)")
        }
    }

    @Test func `is no key when it is cut, empty or of a later version`() {
        let content = wrapped.content
        #expect(WrappedKey([], of: key.id) == nil)
        #expect(WrappedKey(Array(content[..<80]), of: key.id) == nil)
        #expect(WrappedKey([2] + content.dropFirst(), of: key.id) == nil)
    }

    @Test func `holds neither the password, the key nor the long secret`() {
        for secret in [key.key.revealedBytes, key.longSecret.revealedBytes, Self.password.revealedBytes] {
            #expect(wrapped.content.firstRange(of: secret) == nil)
        }
    }
}
