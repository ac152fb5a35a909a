import Accounts
import Testing

extension RepositoryContract {
    private static func errors<Value>(_ outcomes: [Result<Value, any Error>]) -> [Refusal] {
        outcomes.compactMap { outcome in
            guard case .failure(let error) = outcome else { return nil }
            return error as? Refusal
        }
    }

    static let userRaceClauses = [
        RepositoryContract("one challenge presented twice at once wins once") { store, other in
            for round in 0..<rounds {
                let challenge = Sample.code()
                let records = ["a", "b"].map { value in
                    var record = Sample.signIn(Sample.subject("\(value)-\(round)"))
                    record.draft.challenge = challenge
                    return record
                }
                let outcomes = await both(
                    { try await store.signedIn(records[0]) }, { try await other.signedIn(records[1]) })
                #expect(errors(outcomes) == [.challengeAlreadyUsed])
            }
        },
        RepositoryContract("an erasure beside a refresh leaves the erased user no session") { store, other in
            for round in 0..<rounds {
                let session = Sample.session()
                let record = Sample.signIn(Sample.subject("\(round)"), session: session)
                let user = try await store.signedIn(record).user
                let outcomes = await both(
                    { try await store.erase(user, now: Sample.now) },
                    {
                        let outcome = try await other.refresh(Sample.refresh(session.id, 1, of: user))
                        return outcome != .refused
                    })
                #expect(try outcomes[0].get())
                _ = try outcomes[1].get()
                #expect(try await store.session(session.id, now: Sample.now) == nil)
                #expect(try await store.sessions(of: user, now: Sample.now).isEmpty)
                #expect(try await store.user(user) == nil)
            }
        },
        RepositoryContract("an erasure beside a sign-in leaves a whole user or none") { store, other in
            for round in 0..<rounds {
                let subject = Sample.subject("\(round)")
                let session = Sample.session()
                let user = try await store.signedIn(Sample.signIn(subject)).user
                let outcomes = await both(
                    {
                        _ = try await store.erase(user, now: Sample.now)
                        return user
                    },
                    { try await other.signedIn(Sample.signIn(subject, session: session)).user })
                let signedIn = try outcomes[1].get()
                #expect(try await store.user(user) == nil)
                let live = try await store.session(session.id, now: Sample.now) != nil
                #expect(live == (signedIn != user))
                #expect(try await store.isKnown(subject) == live)
            }
        },
        RepositoryContract("a link beside a sign-in of that subject gives it to one user") { store, other in
            for round in 0..<rounds {
                let session = Sample.session()
                let subject = Sample.subject("new-\(round)")
                let user = try await store.signedIn(
                    Sample.signIn(Sample.subject("user-\(round)"), session: session)
                ).user
                let outcomes = await both(
                    { try await store.linked(Sample.link(subject, session.id)).identity.user },
                    { try await other.signedIn(Sample.signIn(subject)).user })
                let owner = try outcomes[1].get()
                if owner == user {
                    #expect(try outcomes[0].get() == user)
                } else {
                    #expect(errors(outcomes) == [.identityInUse])
                }
                #expect(try await store.identities(of: user).count == (owner == user ? 2 : 1))
                #expect(try await store.identities(of: owner).contains { $0.subject == subject })
            }
        },
        RepositoryContract("two identities unlinked at once leave one") { store, other in
            for round in 0..<rounds {
                let session = Sample.session()
                let first = try await store.signedIn(
                    Sample.signIn(Sample.subject("a-\(round)"), session: session))
                let second = try await store.linked(Sample.link(Sample.subject("b-\(round)"), session.id)).identity
                // Each takes the other one away, so that neither ends its own session.
                let another = Sample.session()
                _ = try await store.signedIn(Sample.signIn(Sample.subject("b-\(round)"), session: another))
                let outcomes = await both(
                    {
                        try await store.unlinked(
                            first.identity, under: another.id, demands: Sample.demands, now: Sample.now)
                    },
                    { try await other.unlinked(second.id, under: session.id, demands: Sample.demands, now: Sample.now) }
                )
                // Who comes second has lost the session with the identity.
                #expect(errors(outcomes) == [.sessionGone])
                #expect(outcomes.compactMap { try? $0.get() } == [.unlinked])
                #expect(try await store.identities(of: first.user).count == 1)
            }
        },
        RepositoryContract("a link beside the end of its session adds nothing after it") { store, other in
            for round in 0..<rounds {
                let session = Sample.session()
                let user = try await store.signedIn(
                    Sample.signIn(Sample.subject("user-\(round)"), session: session)
                ).user
                let outcomes = await both(
                    { try await store.revokeSessions(of: user, except: nil, now: Sample.now) == 1 },
                    { try await other.linked(Sample.link(Sample.subject("new-\(round)"), session.id)).isNew })
                #expect(try outcomes[0].get())
                let isLinked = errors(outcomes) != [.sessionGone]
                #expect(try await store.isKnown(Sample.subject("new-\(round)")) == isLinked)
            }
        },
    ]
}
