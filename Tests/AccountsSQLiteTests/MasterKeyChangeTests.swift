import Accounts
import Patience
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

@Suite struct `A changed master key` {
    let folder = TemporaryFolder()

    /// Opens only data keys that begin with the master key's byte.
    private static func unlocker(_ master: UInt8) -> KeyRingUnlocker {
        { (stored: [KeyRingEntry]) throws(SealingError) -> UnlockedKeyRing in
            guard stored.allSatisfy({ $0.sealedKey.first == master }) else { throw .notAuthentic }
            let first = KeyRingEntry(number: 1, sealedKey: [master], createdAt: 1)
            let added = stored.isEmpty ? [first] : []
            return UnlockedKeyRing(
                sealer: TransparentSealer(numbers: Set((stored + added).map(\.number))), added: added)
        }
    }

    private static func maker(_ master: UInt8) -> DataKeyMaker {
        { stored throws(SealingError) in
            let number = (stored.map(\.number).max() ?? 0) + 1
            return KeyRingEntry(number: number, sealedKey: [master], createdAt: 1)
        }
    }

    private func open(
        _ master: UInt8, _ access: SQLiteSettings.Access
    ) async throws(RepositoryError) -> SQLiteAccounts {
        let settings = SQLiteSettings(path: folder.database, access: access, tables: .own)
        return try await SQLiteAccounts.open(settings, now: Sample.now, unlockKeyRing: Self.unlocker(master))
    }

    private static func change(
        _ store: SQLiteAccounts, to master: UInt8, replacements: [SigningKey]? = nil
    ) async throws -> Int {
        try await store.changeMasterKey(
            MasterKeyChange(
                rewrap: { stored in
                    stored.map { KeyRingEntry(number: $0.number, sealedKey: [master], createdAt: $0.createdAt) }
                },
                makeDataKey: maker(master), unlock: unlocker(master), replacements: replacements, now: Sample.now))
    }

    @Test func `opens the store from then on, and leaves one data key, which the old one never had`() async throws {
        let server = try await open(1, .server)
        let user = try await server.signedIn(Sample.signIn(Sample.subject("1"))).user
        try await server.addSigningKey(SigningKey(kid: "a", purpose: .session, privateKey: [1], createdAt: 1))
        let secrets = try await server.secretKeys(for: .challenge)
        let refreshKeys = try await server.secretKeys(for: .refresh)
        _ = try await server.rotateDataKey(Self.maker(1))
        await server.close()

        let old = try await open(1, .insteadOfServer)
        #expect(try await Self.change(old, to: 2) == 0)
        await old.close()
        await #expect(throws: RepositoryError.wrongMasterKey) { try await open(1, .server) }

        let new = try await open(2, .insteadOfServer)
        #expect(try await new.unfinishedMasterKeyChange() == .ordinary)
        #expect(try await !new.finishMasterKeyChange(), "nothing is sealed anew yet")
        try await untilNothingIsLeft { try await new.reseal(limit: 1) }
        #expect(try await !new.finishMasterKeyChange(), "nothing is hashed anew yet")
        try await untilNothingIsLeft { try await new.indexContacts(limit: 1) }
        #expect(try await new.finishMasterKeyChange())
        #expect(try await new.unfinishedMasterKeyChange() == nil)
        #expect(try await new.keyRing().map(\.number) == [3])
        #expect(try await new.user(user)?.profile.carrier == Sample.jane)
        #expect(try await new.signingKeys().map(\.kid) == ["a"])
        #expect(try await new.secretKeys(for: .challenge).count == 1)
        #expect(try await new.secretKeys(for: .challenge) != secrets)
        // Users stay signed in, so what has signed their refresh tokens stays; another signs from now on.
        #expect(try await new.secretKeys(for: .refresh).count == 2)
        #expect(try await Array(new.secretKeys(for: .refresh).dropFirst()) == refreshKeys)
        #expect(try await new.check().isEmpty)
        await new.close()
        let again = try await open(2, .server)
        #expect(try await again.user(user)?.profile.carrier == Sample.jane)
        let found = try await again.users(with: .email, "jane@example.com", limit: 5)
        #expect(found.matches.map(\.user.id) == [user])
        await again.close()
    }

    @Test func `a changed master key is not taken over by a tool that has the store open, which writes nothing more`()
        async throws
    {
        let server = try await open(1, .server)
        let user = try await server.signedIn(Sample.signIn(Sample.subject("1"))).user
        await server.close()
        let tool = try await open(1, .besideServer)
        let changer = try await open(1, .insteadOfServer)
        _ = try await Self.change(changer, to: 2)
        #expect(try await tool.user(user)?.profile.carrier == Sample.jane)
        await #expect(throws: RepositoryError.wrongMasterKey) {
            try await tool.editProfile(of: user, [ProfileEdit("nickname", "lost")], now: Sample.now)
        }
        await #expect(throws: RepositoryError.wrongMasterKey) { try await tool.rotateDataKey(Self.maker(1)) }
        await #expect(throws: RepositoryError.wrongMasterKey) { try await tool.reloadKeyRing() }
        // Nor does who has changed it: what it sealed would lie under a key that goes.
        await #expect(throws: RepositoryError.unavailable(.closed)) {
            try await changer.addSigningKey(
                SigningKey(kid: "lost", purpose: .session, privateKey: [1], createdAt: 1))
        }
        await tool.close()
        await changer.close()
    }

    @Test func `a changed master key is a matter for when no server runs, and none starts meanwhile`() async throws {
        let server = try await open(1, .server)
        await #expect(throws: RepositoryError.notOpened(.inUse)) { try await open(1, .insteadOfServer) }
        await server.close()
        let changer = try await open(1, .insteadOfServer)
        await #expect(throws: RepositoryError.notOpened(.inUse)) { try await open(1, .server) }
        await changer.close()
    }

    @Test func `takes a store to be changed`() async throws {
        await #expect(throws: RepositoryError.notOpened(.noStore)) { try await open(1, .insteadOfServer) }
        try write([], to: folder.database)
        await #expect(throws: RepositoryError.notOpened(.noStore)) { try await open(1, .insteadOfServer) }
    }

    @Test func `ends every session when the old one has leaked, in the same transaction`() async throws {
        let server = try await open(1, .server)
        let session = Sample.session()
        _ = try await server.signedIn(Sample.signIn(Sample.subject("1"), session: session))
        let refreshKeys = try await server.secretKeys(for: .refresh)
        await server.close()
        let old = try await open(1, .insteadOfServer)
        let keys = SigningKeyEntry.Purpose.allCases.map {
            SigningKey(kid: "new \($0)", purpose: $0, privateKey: [2], createdAt: 2)
        }
        #expect(try await Self.change(old, to: 2, replacements: keys) == 1)
        await old.close()
        let new = try await open(2, .insteadOfServer)
        #expect(try await new.unfinishedMasterKeyChange() == .leaked)
        #expect(try await new.session(session.id, now: Sample.now) == nil)
        let renewed = try await new.secretKeys(for: .refresh)
        #expect(renewed.count == 1 && Set(renewed.map(\.bytes)).isDisjoint(with: refreshKeys.map(\.bytes)))
        #expect(try await Set(new.signingKeys().map(\.kid)) == Set(keys.map(\.kid)))
        await new.close()
    }
}
