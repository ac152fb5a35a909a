import Accounts
import TestSupport
import Testing

@testable import AccountsSQLite

@Suite struct `A changed master key` {
    let folder = TemporaryFolder()

    /// Opens only data keys that begin with the master key's byte.
    private func unlocker(_ master: UInt8) -> KeyRingUnlocker {
        { (stored: [KeyRingEntry]) throws(SealingError) -> UnlockedKeyRing in
            guard stored.allSatisfy({ $0.sealedKey.first == master }) else { throw .notAuthentic }
            let first = KeyRingEntry(number: 1, sealedKey: [master], createdAt: 1)
            let added = stored.isEmpty ? [first] : []
            return UnlockedKeyRing(
                sealer: TransparentSealer(numbers: Set((stored + added).map(\.number))), added: added)
        }
    }

    private func open(
        _ master: UInt8, _ access: SQLiteSettings.Access
    ) async throws(RepositoryError) -> SQLiteAccounts {
        let settings = SQLiteSettings(path: folder.database, access: access)
        return try await SQLiteAccounts.open(settings, now: Sample.now, unlockKeyRing: unlocker(master))
    }

    private func rewrap(_ store: SQLiteAccounts, to master: UInt8) async throws {
        _ = try await store.rewrapKeyRing { stored in
            stored.map { KeyRingEntry(number: $0.number, sealedKey: [master], createdAt: $0.createdAt) }
        }
    }

    @Test func `leaves a running server at work, and opens the store from then on`() async throws {
        let server = try await open(1, .server)
        let subject = Sample.subject("1")
        let user = try await server.signedIn(Sample.signIn(subject)).user
        let tool = try await open(1, .besideServer)
        try await rewrap(tool, to: 2)
        await tool.close()
        #expect(try await server.signedIn(Sample.signIn(subject)).user == user)
        #expect(try await server.user(user)?.profile.carrier == Sample.jane)
        await #expect(throws: RepositoryError.wrongMasterKey) { try await server.reloadKeyRing() }
        await server.close()
        await #expect(throws: RepositoryError.wrongMasterKey) { try await open(1, .server) }
        let again = try await open(2, .server)
        #expect(try await again.user(user)?.profile.carrier == Sample.jane)
        await again.close()
    }

    @Test func `leaves data keys made since then to whoever has it, and no value is lost`() async throws {
        let server = try await open(1, .server)
        let user = try await server.signedIn(Sample.signIn(Sample.subject("1"))).user
        try await rewrap(server, to: 2)
        let tool = try await open(2, .besideServer)
        _ = try await tool.rotateDataKey { stored throws(SealingError) in
            KeyRingEntry(number: Int64(stored.count + 1), sealedKey: [2], createdAt: 1)
        }
        #expect(try await tool.reseal(limit: 100) > 0)
        // The server can't open what lies under the new key now, says so, and goes on with everybody else.
        await #expect(throws: RepositoryError.unavailable(.brokenSeal)) { try await server.user(user) }
        await #expect(throws: RepositoryError.wrongMasterKey) {
            try await server.rotateDataKey { stored throws(SealingError) in
                KeyRingEntry(number: Int64(stored.count + 1), sealedKey: [1], createdAt: 1)
            }
        }
        let other = try await server.signedIn(Sample.signIn(Sample.subject("2"))).user
        #expect(try await tool.user(other)?.profile.carrier == Sample.jane)
        await server.close()
        #expect(try await tool.check().isEmpty)
        await tool.close()
    }
}
