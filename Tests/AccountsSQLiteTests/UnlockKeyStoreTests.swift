import Accounts
import Patience
import TestSupport
import Testing
import Wings

@testable import AccountsSQL
@testable import AccountsSQLite

/// The keys of the KeyService, as they lie on disk.
@Suite struct `Unlock keys in the store` {
    let folder = TemporaryFolder()

    private func open() async throws -> SQLiteAccounts { try await folder.open { $0.tables = .tested } }

    private func id(_ number: UInt8) -> UnlockKeyID {
        UnlockKeyID(copying: [UInt8](repeating: number, count: UnlockKeyID.byteCount).span)
    }

    @Test func `a new data key seals them anew, but for what is locked`() async throws {
        let store = try await open()
        for number in 1...3 as ClosedRange<UInt8> {
            try await UnlockKeys(store).add(id(number), content: [number], now: Sample.now)
        }
        for _ in 0..<3 {
            _ = try await UnlockKeys(store).settle(id(2), .password(isRight: false), now: Sample.now)
        }
        #expect(try await store.rotateDataKey(TransparentSealer.maker) == 2)
        try await untilNothingIsLeft { try await store.reseal(limit: 2) }
        let numbers = try await store.readers.read { connection throws(RepositoryError) in
            let column = StoreTables.tested.sealed[9]
            return try column.page(connection, after: column.start, limit: 10)
                .map { TransparentSealer().keyNumber(of: $0.sealed) }
        }
        #expect(numbers == [2, 2])
        #expect(try await store.check().isEmpty)
        #expect(try await UnlockKeys(store).find(id(1))?.content == [1])
        let locked = try #require(try await UnlockKeys(store).find(id(2)))
        #expect(locked.content == nil)
        await store.close()
    }

    @Test func `content that was moved to another row does not open, and a check tells`() async throws {
        let store = try await open()
        for number in 1...2 as ClosedRange<UInt8> {
            try await UnlockKeys(store).add(id(number), content: [number], now: Sample.now)
        }
        try await store.writer.write { connection throws(RepositoryError) in
            try connection.execute(
                """
                UPDATE unlock_keys SET content =
                    (SELECT content FROM unlock_keys WHERE id = x'\(String(repeating: "01", count: 16))')
                """)
        }
        #expect(try await UnlockKeys(store).find(id(1))?.content == [1])
        await #expect(throws: RepositoryError.unavailable(.brokenSeal)) { _ = try await UnlockKeys(store).find(id(2)) }
        #expect(try await store.check() == ["Sealed values in unlock_keys that do not open: 1."])
        await store.close()
    }

    @Test func `counts and locks outlive a restart`() async throws {
        let store = try await open()
        for number in 1...2 as ClosedRange<UInt8> {
            try await UnlockKeys(store).add(id(number), content: [number], now: Sample.now)
            for _ in 0..<(number == 1 ? 3 : 2) {
                _ = try await UnlockKeys(store).settle(id(number), .password(isRight: false), now: Sample.now)
            }
        }
        await store.close()
        let again = try await open()
        #expect(try await UnlockKeys(again).settle(id(1), .password(isRight: true), now: Sample.now) == .locked)
        #expect(try await UnlockKeys(again).settle(id(2), .password(isRight: false), now: Sample.now) == .locked)
        await again.close()
    }

    @Test func `a restored backup has them as they were then, locks too`() async throws {
        let stage = RestoreStage()
        try await stage.serving { store async throws in
            for number in 1...2 as ClosedRange<UInt8> {
                try await UnlockKeys(store).add(id(number), content: [number], now: Sample.now)
            }
            for _ in 0..<3 { _ = try await UnlockKeys(store).settle(id(1), .password(isRight: false), now: Sample.now) }
            try await store.backup(to: stage.backup)
            for _ in 0..<3 { _ = try await UnlockKeys(store).settle(id(2), .password(isRight: false), now: Sample.now) }
            try await UnlockKeys(store).add(id(3), content: [3], now: Sample.now)
        }
        try await stage.restore()
        try await stage.serving { store async throws in
            #expect(try await UnlockKeys(store).settle(id(1), .password(isRight: true), now: Sample.now) == .locked)
            #expect(try await UnlockKeys(store).find(id(2))?.content == [2])
            #expect(try await UnlockKeys(store).find(id(3)) == nil)
            #expect(try await store.check().isEmpty)
        }
    }

    @Test func `a success that changes nothing writes nothing`() async throws {
        let store = try await open()
        try await UnlockKeys(store).add(id(1), content: [1], now: Sample.now)
        let before = store.writer.counts.groups
        for attempt in [UnlockAttempt.password(isRight: true), .longSecret] {
            #expect(try await UnlockKeys(store).settle(id(1), attempt, now: Sample.now + 86_000) == .unlocked)
        }
        #expect(store.writer.counts.groups == before)
        #expect(try await UnlockKeys(store).settle(id(1), .longSecret, now: Sample.now + 86_401) == .unlocked)
        #expect(store.writer.counts.groups == before + 1)
        await store.close()
    }
}
