import Accounts
import Glibc
import Testing

extension RepositoryContract {
    /// More of them by hand: `DEV_RACE_ROUNDS=1000 scripts/test --filter Accounts`.
    static let rounds =
        unsafe getenv("DEV_RACE_ROUNDS").flatMap { unsafe Int(String(cString: $0)) } ?? 100

    /// Runs both at once. Where a repository is one of several with one store, each is done by another of them.
    static func both<Value: Sendable>(
        _ first: @escaping @Sendable () async throws -> Value, _ second: @escaping @Sendable () async throws -> Value
    ) async -> [Result<Value, any Error>] {
        async let one = result(first)
        async let other = result(second)
        return await [one, other]
    }

    @concurrent
    private static func result<Value: Sendable>(
        _ body: @Sendable () async throws -> Value
    ) async -> Result<Value, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    static let raceClauses = [
        RepositoryContract("two sign-ins of one new subject at once make one user") { store, other in
            for round in 0..<rounds {
                let subject = Sample.subject("new-\(round)")
                let outcomes = await both(
                    { try await store.signedIn(Sample.signIn(subject)) },
                    { try await other.signedIn(Sample.signIn(subject)) })
                let signedIn = try outcomes.map { try $0.get() }
                #expect(Set(signedIn.map(\.user)).count == 1)
                #expect(signedIn.filter(\.isNewUser).count == 1)
            }
        },
        RepositoryContract("one code presented twice at once wins once") { store, other in
            for round in 0..<rounds {
                let code = Sample.code()
                let outcomes = await both(
                    { try await store.signedIn(Sample.signIn(Sample.subject("a-\(round)"), code: code)) },
                    { try await other.signedIn(Sample.signIn(Sample.subject("b-\(round)"), code: code)) })
                let errors = outcomes.compactMap { outcome -> Refusal? in
                    guard case .failure(let error) = outcome else { return nil }
                    return error as? Refusal
                }
                #expect(errors == [.codeAlreadyUsed])
            }
        },
        RepositoryContract("one refresh token presented twice at once makes one successor, told to both") {
            store, other in
            for round in 0..<rounds {
                let session = Sample.session()
                let user = try await store.signedIn(Sample.signIn(Sample.subject("\(round)"), session: session)).user
                // The clock may tick between the two, and the one that has read it later may come first.
                let later = Int64(round % 2)
                let outcomes = await both(
                    { try await store.refresh(Sample.refresh(session.id, 1, of: user, now: Sample.now + later)) },
                    { try await other.refresh(Sample.refresh(session.id, 1, of: user)) })
                var rotated: [Session] = []
                var repeated: [Session] = []
                for outcome in outcomes {
                    switch try outcome.get() {
                    case .rotated(let session): rotated.append(session)
                    case .repeated(let session): repeated.append(session)
                    case .repeatedEarlier, .extended, .reused, .refused, .locked:
                        Issue.record("an honest client was refused")
                    }
                }
                #expect(rotated.count == 1)
                #expect(rotated == repeated)
            }
        },
        RepositoryContract("one ticket redeemed twice at once makes one user") { store, other in
            for round in 0..<rounds {
                let ticket = Sample.code()
                let record = Sample.signIn(Sample.subject("\(round)"), registration: .ticket(ticket))
                _ = try await store.signIn(record)
                let redeem = { @Sendable (store: any AccountRepository) in
                    try await store.redeemed(
                        Sample.redemption(
                            ticket: ticket.hash, session: Sample.session(), reference: "abc", now: Sample.now))
                }
                let outcomes = await both({ try await redeem(store) }, { try await redeem(other) })
                #expect(outcomes.filter { if case .success = $0 { true } else { false } }.count == 1)
            }
        },
        RepositoryContract("a migration beside a sign-in with the old subject loses neither the user nor its identity")
        {
            store, other in
            for round in 0..<rounds {
                let old = Sample.subject("old-\(round)", at: Sample.oldIssuer)
                let new = Sample.subject("new-\(round)")
                let user = try await store.signedIn(Sample.signIn(old)).user
                let oldSession = Sample.session()
                let outcomes = await both(
                    { try await store.signedIn(Sample.signIn(old, session: oldSession)) },
                    { try await other.signedIn(Sample.signIn(new, ported: [Sample.ported(old)])) })
                let signedIn = try outcomes.map { try $0.get() }
                #expect(signedIn[1].user == user)
                #expect(signedIn[1].migrated)
                #expect(try await store.identities(of: user).map(\.subject) == [new])
                // Before the migration it was the same user's, and is revoked with it; after, a new user's, and lives.
                let survives = try await store.session(oldSession.id, now: Sample.now) != nil
                #expect(survives == signedIn[0].isNewUser)
                #expect((signedIn[0].user == user) == !signedIn[0].isNewUser)
            }
        },
        RepositoryContract("one port token at two new subjects at once moves the user once") { store, other in
            for round in 0..<rounds {
                let old = Sample.subject("old-\(round)", at: Sample.oldIssuer)
                let token = Sample.ported(old)
                let user = try await store.signedIn(Sample.signIn(old)).user
                let outcomes = await both(
                    { try await store.signedIn(Sample.signIn(Sample.subject("a-\(round)"), ported: [token])) },
                    { try await other.signedIn(Sample.signIn(Sample.subject("b-\(round)"), ported: [token])) })
                let signedIn = try outcomes.map { try $0.get() }
                #expect(signedIn.filter(\.migrated).map(\.user) == [user])
                #expect(signedIn.filter(\.isNewUser).count == 1)
            }
        },
    ]
}
