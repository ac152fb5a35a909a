import Accounts
import AccountsPostgres
import PostgresTestSupport
import TestSupport
import Testing

@Suite struct `A claim on a code between instances` {
    private func withTwo(_ body: (PostgresAccounts, PostgresAccounts) async throws -> Void) async throws {
        try await SharedServer.withEmptyTables { address in
            try await withStore(at: address) { store in
                try await withStore(at: address) { other in try await body(store, other) }
            }
        }
    }

    @Test func `is one request's, and known again by it`() async throws {
        try await withTwo { store, other async throws in
            let code = Sample.code()
            let rival = OneTimeUse(hash: code.hash, expiresAt: code.expiresAt)
            #expect(try await store.claim(code, for: Sample.issuer) == .claimed)
            #expect(try await other.claim(rival, for: Sample.issuer) == .used)
            // As after a connection that was lost before the answer.
            #expect(try await store.claim(code, for: Sample.issuer) == .claimed)
            #expect(try await !other.hasUsed(code))
        }
    }

    @Test func `binds the nonce it answers, so that another code with it does not leave at another instance`()
        async throws
    {
        try await withTwo { store, other async throws in
            let (code, rival) = (Sample.code(), Sample.code())
            let challenge = OneTimeUse(hash: Sample.hash(), expiresAt: Sample.now + 600)
            #expect(try await store.bindChallenge(challenge, to: code, now: Sample.now))
            #expect(try await !other.bindChallenge(challenge, to: rival, now: Sample.now))
            // The same code may be sent again, by whichever instance.
            #expect(try await other.bindChallenge(challenge, to: code, now: Sample.now))
        }
    }

    @Test func `is settled by its own sign-in, and by no other`() async throws {
        try await withTwo { store, other in
            let code = Sample.code()
            let rival = OneTimeUse(hash: code.hash, expiresAt: code.expiresAt)
            for subject in ["new", "known"] {
                _ = try await store.signedIn(Sample.signIn(Sample.subject("known")))
                let (code, rival) = subject == "new" ? (code, rival) : (Sample.code(), Sample.code())
                _ = try await store.claim(code, for: Sample.issuer)
                let stolen = OneTimeUse(hash: code.hash, expiresAt: code.expiresAt, owner: rival.owner)
                await #expect(throws: Refusal.codeAlreadyUsed) {
                    try await other.signedIn(Sample.signIn(Sample.subject(subject), code: stolen))
                }
                _ = try await store.signedIn(Sample.signIn(Sample.subject(subject), code: code))
                #expect(try await other.hasUsed(code))
                #expect(try await other.claim(stolen, for: Sample.issuer) == .used)
            }
        }
    }

    @Test func `whose issuer has not taken the code may be made again for that issuer alone`() async throws {
        try await withTwo { store, other in
            let code = Sample.code()
            _ = try await store.claim(code, for: Sample.issuer)
            try await store.releaseCode(code, .refused, now: Sample.now)
            let again = OneTimeUse(hash: code.hash, expiresAt: code.expiresAt)
            #expect(try await other.claim(again, for: Sample.oldIssuer) == .sentElsewhere)
            #expect(try await other.claim(again, for: Sample.issuer) == .claimed)
        }
    }

    @Test func `that was not sent leaves nothing, and is given up by nobody else`() async throws {
        try await withTwo { store, other in
            let code = Sample.code()
            let rival = OneTimeUse(hash: code.hash, expiresAt: code.expiresAt)
            _ = try await store.claim(code, for: Sample.issuer)
            try await other.releaseCode(rival, .notSent, now: Sample.now)
            #expect(try await other.claim(rival, for: Sample.issuer) == .used)
            try await store.releaseCode(code, .notSent, now: Sample.now)
            #expect(try await other.claim(rival, for: Sample.oldIssuer) == .claimed)
        }
    }
}

extension PostgresAccounts {
    fileprivate func claim(_ code: OneTimeUse, for issuer: String) async throws -> CodeClaim {
        try await claimCode(code, for: issuer, now: Sample.now)
    }

    fileprivate func hasUsed(_ code: OneTimeUse) async throws -> Bool {
        try await isCodeUsed(code.hash, now: Sample.now)
    }
}
