import Accounts
import Testing

extension RepositoryContract {
    private static func entry(_ value: String, _ hash: TokenHash = Sample.hash()) -> SubjectTransfer {
        SubjectTransfer(subject: Sample.subject(value), hash: hash)
    }

    private static func signIn(
        _ store: any AccountRepository, _ values: String..., at issuer: String = Sample.issuer
    ) async throws -> [SignedIn] {
        var all: [SignedIn] = []
        for value in values {
            all.append(try await store.signedIn(Sample.signIn(Sample.subject(value, at: issuer))))
        }
        return all
    }

    static let transferListClauses = [
        RepositoryContract("a provider's identities are listed for a transfer until it is noted, page by page") {
            store in
            let ids = try await signIn(store, "a", "b", "c").map(\.identity)
            _ = try await signIn(store, "foreign", at: Sample.oldIssuer)
            var elsewhere = Sample.signIn(Sample.subject("elsewhere"))
            elsewhere.draft.provider = "other"
            _ = try await store.signedIn(elsewhere)
            let first = try await store.identitiesToTransfer(Sample.transfer, after: nil, limit: 2)
            #expect(first.map(\.id) == Array(ids[..<2]) && first.map(\.subject.value) == ["a", "b"])
            let rest = try await store.identitiesToTransfer(Sample.transfer, after: ids[1], limit: 2)
            #expect(rest.map(\.subject.value) == ["c"])
            #expect(try await store.transferCounts(Sample.transfer) == TransferCounts(identities: 3, noted: 0))
            #expect(try await store.noteTransfers([entry("b")], of: Sample.transfer) == [.noted])
            let left = try await store.identitiesToTransfer(Sample.transfer, after: nil, limit: 9)
            #expect(left.map(\.subject.value) == ["a", "c"])
            #expect(try await store.transferCounts(Sample.transfer) == TransferCounts(identities: 3, noted: 1))
        },
        RepositoryContract("what is noted for another team is listed again, and replaced") { store in
            let user = try await signIn(store, "a")[0].user
            let (former, present) = (Sample.hash(), Sample.hash())
            _ = try await store.noteTransfers([entry("a", former)], of: Sample.transfer)
            var other = Sample.transfer
            other.team = "OTHERTEAM1"
            #expect(try await store.identitiesToTransfer(other, after: nil, limit: 9).count == 1)
            #expect(try await store.noteTransfers([entry("a", present)], of: other) == [.noted])
            #expect(try await store.transferCounts(Sample.transfer).noted == 0)
            #expect(try await store.transferCounts(other).noted == 1)
            #expect(try await store.signedIn(Sample.signIn(Sample.subject("x"), transfer: former)).isNewUser)
            #expect(try await store.signedIn(Sample.signIn(Sample.subject("y"), transfer: present)).user == user)
        },
        RepositoryContract("one transfer leads to no second identity, whatever the list says") { store in
            let users = try await signIn(store, "a", "b").map(\.user)
            let hash = Sample.hash()
            #expect(
                try await store.noteTransfers([entry("a", hash), entry("b", hash)], of: Sample.transfer)
                    == [.noted, .taken])
            #expect(try await store.noteTransfers([entry("b", hash)], of: Sample.transfer) == [.taken])
            #expect(try await store.signedIn(Sample.signIn(Sample.subject("x"), transfer: hash)).user == users[0])
        },
        RepositoryContract("transfers that were noted the wrong way round are put right") { store in
            let users = try await signIn(store, "a", "b").map(\.user)
            let (first, second) = (Sample.hash(), Sample.hash())
            _ = try await store.noteTransfers([entry("a", second), entry("b", first)], of: Sample.transfer)
            let notes = try await store.noteTransfers([entry("a", first), entry("b", second)], of: Sample.transfer)
            #expect(notes == [.noted, .noted])
            #expect(try await store.signedIn(Sample.signIn(Sample.subject("x"), transfer: first)).user == users[0])
            #expect(try await store.signedIn(Sample.signIn(Sample.subject("y"), transfer: second)).user == users[1])
        },
        RepositoryContract(
            "a transfer of an identity that is gone, or another provider's or issuer's, is noted nowhere"
        ) {
            store in
            let user = try await signIn(store, "a")[0].user
            _ = try await signIn(store, "foreign", at: Sample.oldIssuer)
            #expect(try await store.erase(user, now: Sample.now))
            var elsewhere = Sample.signIn(Sample.subject("elsewhere"))
            elsewhere.draft.provider = "other"
            _ = try await store.signedIn(elsewhere)
            let batch = [entry("a"), entry("foreign"), entry("elsewhere"), entry("nobody")]
            let notes = try await store.noteTransfers(batch, of: Sample.transfer)
            #expect(notes == [.unknown, .unknown, .unknown, .unknown])
        },
    ]
}
