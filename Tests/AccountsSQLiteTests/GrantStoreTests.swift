import Accounts
import Patience
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

/// What providers have granted, as it lies on disk.
@Suite struct `Grants in the store` {
    let folder = TemporaryFolder()

    private func record(_ subject: String = "1", _ token: String = "the-secret-token") -> SignInRecord {
        var record = Sample.signIn(Sample.subject(subject))
        record.draft.kept = KeptTokens(
            tokens: ProviderTokens(
                accessToken: "\(token)-access", refreshToken: "\(token)-refresh", expiresAt: Sample.now + 60,
                scope: nil),
            idToken: "\(token)-id")
        return record
    }

    private func grant(_ store: SQLiteAccounts, _ signedIn: SignedIn) async throws -> ProviderGrant {
        try #require(try await store.providerGrant(signedIn.identity, of: signedIn.user))
    }

    @Test func `a lease of a former life of the server is nobody's`() async throws {
        let store = try await folder.open()
        let signedIn = try await store.signedIn(record())
        let grant = try await grant(store, signedIn)
        let lease = GrantLease(grant: grant, holder: [1], expiresAt: Sample.now + 1_000_000)
        #expect(try await store.leaseGrant(lease, now: Sample.now) == .leased)
        await store.close()
        let again = try await folder.open()
        let other = GrantLease(grant: grant, holder: [2], expiresAt: Sample.now + 30)
        #expect(try await again.leaseGrant(other, now: Sample.now) == .leased)
        await again.close()
    }

    @Test func `a tool beside the server leaves its leases alone`() async throws {
        let store = try await folder.open()
        let signedIn = try await store.signedIn(record())
        let grant = try await grant(store, signedIn)
        let lease = GrantLease(grant: grant, holder: [1], expiresAt: Sample.now + 30)
        #expect(try await store.leaseGrant(lease, now: Sample.now) == .leased)
        let tool = try await folder.openTool()
        let other = GrantLease(grant: grant, holder: [2], expiresAt: Sample.now + 30)
        #expect(try await tool.leaseGrant(other, now: Sample.now) == .held(until: Sample.now + 30))
        await tool.close()
        await store.close()
    }

    @Test func `a new data key seals tokens, ID tokens, tickets and the outbox anew`() async throws {
        let store = try await folder.open()
        let kept = try await store.signedIn(record("1"))
        let gone = try await store.signedIn(record("2"))
        var ticket = record("3")
        ticket.draft.registration = .ticket(Sample.code())
        #expect(try await store.signIn(ticket) == .unlinked)
        #expect(try await store.erase(gone.user, now: Sample.now))
        #expect(try await store.rotateDataKey(TransparentSealer.maker) == 2)
        try await untilNothingIsLeft { try await store.reseal(limit: 2) }
        let sealed = try await store.readers.read { connection throws(RepositoryError) in
            var numbers: [String: Set<Int64?>] = [:]
            for column in StoreTables.own.sealed {
                let page = try column.page(connection, after: column.start, limit: 100)
                numbers["\(column.table).\(column.name)"] = Set(
                    page.map { TransparentSealer().keyNumber(of: $0.sealed) })
            }
            return numbers
        }
        for column in ["grants.tokens", "kept_id_tokens.token", "tickets.tokens", "outbox.content"] {
            #expect(sealed[column] == [2], "\(column)")
        }
        #expect(try await store.check().isEmpty)
        #expect(try await grant(store, kept).tokens?.refreshToken == "the-secret-token-refresh")
        #expect(try await store.takeDueMessages(limit: 9, leaseSeconds: 1, now: Sample.now).count == 2)
        await store.close()
    }

    @Test func `a value that was moved to another row does not open`() async throws {
        let store = try await folder.open()
        let first = try await store.signedIn(record("1"))
        let second = try await store.signedIn(record("2", "another"))
        try await store.writer.write { connection throws(RepositoryError) in
            try connection.execute(
                """
                UPDATE grants SET tokens = (SELECT tokens FROM grants WHERE identity_id = \(first.identity.rawValue))
                WHERE identity_id = \(second.identity.rawValue)
                """)
        }
        await #expect(throws: RepositoryError.unavailable(.brokenSeal)) {
            _ = try await store.providerGrant(second.identity, of: second.user)
        }
        #expect(try await store.check() == ["Sealed values in grants that do not open: 1."])
        await store.close()
    }

    @Test func `what one provider has in many places is the same tokens, read back`() throws {
        for tokens in [
            ProviderTokens(accessToken: "a", refreshToken: nil, expiresAt: nil, scope: nil),
            ProviderTokens(accessToken: "a", refreshToken: "r", expiresAt: 0, scope: ""),
            ProviderTokens(
                accessToken: String(repeating: "å", count: 5000), refreshToken: "r", expiresAt: .max, scope: "s"),
        ] {
            let read = try KeptTokens(encoded: KeptTokens(tokens: tokens, idToken: "i").encoded)
            #expect(read.tokens == tokens && read.idToken == "i")
            #expect(try KeptTokens(encoded: KeptTokens.encode(tokens)).idToken == nil)
        }
        for bytes in [[], [1], [2, 1, 1, 97], [1, 9, 1, 97], [1, 1, 200], [1, 3, 1, 120, 1, 1, 97]] as [[UInt8]] {
            #expect(throws: EncodedContentError.self) { try KeptTokens(encoded: bytes) }
            #expect(throws: EncodedContentError.self) { try OutboxMessage.Content(encoded: Array(bytes.dropFirst(2))) }
        }
    }
}
