import Accounts
import Testing

extension RepositoryContract {
    static let challengeClauses = [
        RepositoryContract("a challenge is good for one sign-in, and the second uses up its code") { store in
            let challenge = Sample.code(expiresAt: Sample.now + 300)
            #expect(try await !store.isChallengeUsed(challenge.hash, now: Sample.now))
            var first = Sample.signIn(Sample.subject("1"))
            first.draft.challenge = challenge
            _ = try await store.signedIn(first)
            #expect(try await store.isChallengeUsed(challenge.hash, now: Sample.now + 299))
            var second = Sample.signIn(Sample.subject("2"))
            second.draft.challenge = OneTimeUse(hash: challenge.hash, expiresAt: challenge.expiresAt + 1)
            await #expect(throws: Refusal.challengeAlreadyUsed) { try await store.signedIn(second) }
            #expect(try await !store.isKnown(Sample.subject("2")))
            #expect(try await store.session(second.session.id, now: Sample.now) == nil)
            #expect(try await store.isCodeUsed(#require(second.evidence.code).hash, now: Sample.now))
            second.draft.challenge = nil
            await #expect(throws: Refusal.codeAlreadyUsed) { try await store.signedIn(second) }
        },
        RepositoryContract("a code that was used leaves the challenge that came with it unused") { store in
            let challenge = Sample.code()
            let code = Sample.code()
            try await store.recordUsedCode(code, now: Sample.now)
            var record = Sample.signIn(Sample.subject("1"), code: code)
            record.draft.challenge = challenge
            await #expect(throws: Refusal.codeAlreadyUsed) { try await store.signedIn(record) }
            #expect(try await !store.isChallengeUsed(challenge.hash, now: Sample.now))
        },
        RepositoryContract("links and receipts use up challenges too") { store in
            let session = Sample.session()
            let subject = Sample.subject("1")
            _ = try await store.signedIn(Sample.signIn(subject, session: session))
            let challenges = [Sample.code(), Sample.code()]
            var link = Sample.link(subject, session.id)
            link.challenge = challenges[0]
            _ = try await store.linked(link)
            var transaction = Sample.transaction(subject, session.id)
            transaction.challenge = challenges[1]
            _ = try await store.receipted(transaction)
            for challenge in challenges {
                #expect(try await store.isChallengeUsed(challenge.hash, now: Sample.now))
                var again = Sample.link(subject, session.id)
                again.challenge = challenge
                let secondLink = again
                await #expect(throws: Refusal.challengeAlreadyUsed) { try await store.linked(secondLink) }
                var second = Sample.transaction(subject, session.id)
                second.challenge = challenge
                let secondTransaction = second
                await #expect(throws: Refusal.challengeAlreadyUsed) {
                    try await store.receipted(secondTransaction)
                }
            }
        },
        RepositoryContract("used challenges go when they have expired") { store in
            var record = Sample.signIn(Sample.subject("1"))
            record.draft.challenge = Sample.code(expiresAt: Sample.now + 60)
            _ = try await store.signedIn(record)
            #expect(try await store.sweepExpired(now: Sample.now + 59, limit: 10) == 0)
            #expect(try await store.sweepExpired(now: Sample.now + 60, limit: 10) == 1)
        },
    ]

    static let receiptClauses = [
        RepositoryContract("a receipt is kept as it was given until the user is erased") { store in
            let session = Sample.session()
            let subject = Sample.subject("1")
            let user = try await store.signedIn(Sample.signIn(subject, session: session)).user
            let record = Sample.transaction(subject, session.id)
            let receipt = Receipt(
                id: record.receipt, user: user, session: session.id, contextHash: record.contextHash,
                nonce: "the-nonce", authentication: Sample.authentication(), provider: "zenkey", client: session.client,
                createdAt: Sample.now)
            #expect(try await store.receipted(record) == .stored(receipt))
            #expect(try await store.receipts(of: user) == [receipt])
            await #expect(throws: Refusal.codeAlreadyUsed) { try await store.receipted(record) }
            _ = try await store.revokeSession(session.id, now: Sample.now)
            #expect(try await store.receipts(of: user) == [receipt])
            _ = try await store.erase(user, now: Sample.now)
            #expect(try await store.receipts(of: user).isEmpty)
        },
        RepositoryContract("an approval by somebody else is no receipt, and its code is used") { store in
            let session = Sample.session()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            _ = try await store.signedIn(Sample.signIn(Sample.subject("2")))
            for value in ["2", "stranger"] {
                let record = Sample.transaction(Sample.subject(value), session.id)
                #expect(try await store.receipted(record) == .notThisUser)
                #expect(try await store.isCodeUsed(#require(record.evidence.code).hash, now: Sample.now))
            }
            #expect(try await store.receipts(of: user).isEmpty)
        },
        RepositoryContract("nothing is approved in the name of a session that is gone") { store in
            let session = Sample.session()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            _ = try await store.revokeSession(session.id, now: Sample.now)
            let record = Sample.transaction(Sample.subject("1"), session.id)
            await #expect(throws: Refusal.sessionGone) { try await store.receipted(record) }
            #expect(try await store.receipts(of: user).isEmpty)
            #expect(try await store.isCodeUsed(#require(record.evidence.code).hash, now: Sample.now))
        },
        RepositoryContract("a receipt may know nothing of how the user was authenticated") { store in
            let session = Sample.session()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            var record = Sample.transaction(Sample.subject("1"), session.id)
            record.authentication = Authentication(acr: nil, amr: [], time: nil)
            _ = try await store.receipted(record)
            #expect(try await store.receipts(of: user).map(\.authentication.amr) == [[]])
            #expect(try await store.receipts(of: user).map(\.authentication.acr) == [nil])
            #expect(try await store.receipts(of: user).map(\.authentication.time) == [nil])
        },
    ]
}
