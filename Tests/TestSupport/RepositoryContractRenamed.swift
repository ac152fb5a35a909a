public import Accounts
import Testing

extension FormerIssuers {
    /// What repositories are opened with that keep the contract: one issuer that was called otherwise, twice.
    public static let tested = FormerIssuers([
        Renamed.before: Renamed.now, "https://first.example": Renamed.now,
        "https://carrier-before.example": "https://c.example",
    ])
}

/// An issuer that has another name than it had.
enum Renamed {
    static let before = "https://before.example"
    static let now = "https://renamed.example"

    static func old(_ value: String = "1") -> Subject { Sample.subject(value, at: before) }
    static func new(_ value: String = "1") -> Subject { Sample.subject(value, at: now) }
}

extension RepositoryContract {
    static let renamedClauses =
        renamedSignInClauses + renamedBarClauses + renamedOtherClauses + [
            RepositoryContract("who comes at the same moment under an issuer's new name is moved once") {
                store, other in
                for round in 0..<rounds {
                    let user = try await store.signedIn(Sample.signIn(Renamed.old("\(round)"))).user
                    let outcomes = await both(
                        { try await store.signedIn(Sample.signIn(Renamed.new("\(round)"))) },
                        { try await other.signedIn(Sample.signIn(Renamed.new("\(round)"))) })
                    for outcome in outcomes { #expect(try outcome.get().user == user) }
                    let events = try await store.auditEvents(after: 0, limit: 9, user: user).map(\.kind)
                    #expect(events == [.userCreated, .identityRenamed])
                }
            }
        ]

    private static let renamedSignInClauses = [
        RepositoryContract("a user stored under a former name of the issuer is found by it, moved once, and it is told")
        {
            store in
            let session = Sample.session()
            let first = try await store.signedIn(Sample.signIn(Renamed.old(), session: session))
            #expect(try await store.isKnown(Renamed.new()))
            #expect(try await store.user(with: Renamed.new()) == first.user)
            for second in 1...3 as ClosedRange<Int64> {
                let again = try await store.signedIn(Sample.signIn(Renamed.new(), now: Sample.now + second))
                #expect(again.user == first.user && again.identity == first.identity)
                #expect(!again.isNewUser && !again.migrated && again.reference == first.reference)
            }
            let identities = try await store.identities(of: first.user)
            #expect(identities.map(\.subject) == [Renamed.new()])
            #expect(identities.map(\.id) == [first.identity] && identities.map(\.lastSignInAt) == [Sample.now + 3])
            #expect(try await store.session(session.id, now: Sample.now)?.identity == first.identity)
            let event = try await store.auditEvents(after: 0, limit: 9).last
            #expect(try await store.auditTrail() == [.userCreated, .identityRenamed])
            #expect(event?.oldIdentity == nil && event?.newIdentity == first.identity && event?.user == first.user)
            #expect(event?.origin?.session != nil)
        },
        RepositoryContract("under any of an issuer's former names a user is found") { store in
            let first = try await store.signedIn(Sample.signIn(Sample.subject("1", at: "https://first.example")))
            #expect(try await store.signedIn(Sample.signIn(Renamed.new())).user == first.user)
        },
        RepositoryContract("where there is an account under either name the current one wins, and the pair is listed") {
            store in
            let former = try await store.signedIn(Sample.signIn(Renamed.old("a")))
            // As if the issuer's new name had been configured without the old one: repointed by nobody.
            let stranger = try await store.signedIn(Sample.signIn(Renamed.new("b")))
            _ = try await store.signedIn(Sample.signIn(Renamed.old("b")))
            let again = try await store.signedIn(Sample.signIn(Renamed.new("b")))
            #expect(again.user == stranger.user)
            let pairs = try await store.doubleIdentities(after: nil, limit: 10)
            #expect(pairs.map(\.current) == [Migration.Known(identity: stranger.identity, user: stranger.user)])
            #expect(pairs.map(\.former.user) != [stranger.user] && pairs.map(\.former.user) != [former.user])
            #expect(try await store.doubleIdentities(after: pairs[0].former.identity, limit: 10).isEmpty)
            let counts = try await store.identityCounts()
            #expect(
                Set(counts.map { "\($0.issuer) \($0.count)" }) == ["\(Renamed.before) 2", "\(Renamed.now) 1"])
        },
        RepositoryContract("a newcomer at an issuer with former names is a newcomer") { store in
            let one = try await store.signedIn(Sample.signIn(Renamed.new("1")))
            let two = try await store.signedIn(Sample.signIn(Renamed.new("2")))
            #expect(one.isNewUser && two.isNewUser && one.user != two.user)
            #expect(try await store.auditTrail() == [.userCreated, .userCreated])
        },
        RepositoryContract("the same subject of another issuer is nobody's, whatever names an issuer has had") {
            store in
            let first = try await store.signedIn(Sample.signIn(Renamed.old()))
            for issuer in [Sample.issuer, "https://c.example", "https://carrier-before.example", Renamed.now + "/"] {
                let other = try await store.signedIn(Sample.signIn(Sample.subject("1", at: issuer)))
                #expect(other.user != first.user)
                #expect(try await store.identities(of: first.user).map(\.subject) == [Renamed.old()])
            }
            // Nor does the former name lead to who has the current one.
            let current = try await store.signedIn(Sample.signIn(Renamed.new("7")))
            #expect(try await store.signedIn(Sample.signIn(Renamed.old("7"))).user != current.user)
        },
    ]

    private static let renamedBarClauses = [
        RepositoryContract("a line drawn for an identity, and a lock, hold under its issuer's new name") { store in
            let user = try await store.signedIn(Sample.signIn(Renamed.old())).user
            let (line, later) = (NotBefore(drawnAt: (Sample.now + 5) * 1000), Sample.now + 6)
            _ = try await store.revokeSessions(of: user, except: nil, line: line, now: Sample.now + 5)
            let late = Sample.signIn(Renamed.new(), beginning: .seen(Sample.now * 1000), now: later)
            await #expect(throws: Refusal.self) { try await store.signedIn(late) }
            let lock = Lock(cause: .operator, reason: nil, since: later, until: nil)
            #expect(try await store.lock(user, lock, line: .none, now: later))
            func fresh() -> SignInRecord {
                Sample.signIn(Renamed.new(), beginning: .seen(later * 1000 + 9), now: later)
            }
            await #expect(throws: Refusal.locked) { try await store.signedIn(fresh()) }
            #expect(try await store.unlock(user, line: .none, now: later))
            #expect(try await store.signedIn(fresh()).user == user)
        },
        RepositoryContract("who was erased while locked stays locked under the issuer's new name") { store in
            let user = try await store.signedIn(Sample.signIn(Renamed.old())).user
            let lock = Lock(cause: .operator, reason: nil, since: Sample.now, until: nil)
            #expect(try await store.lock(user, lock, line: .none, now: Sample.now))
            #expect(try await store.erase(user, now: Sample.now + 1))
            let later = Sample.now + 100
            await #expect(throws: Refusal.locked) {
                try await store.signedIn(
                    Sample.signIn(Renamed.new(), beginning: .seen(later * 1000), now: later))
            }
        },
        RepositoryContract("what is under way when an identity is unlinked opens nothing under the issuer's new name") {
            store in
            let session = Sample.session()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("9"), session: session)).user
            let (identity, _) = try await store.linked(Sample.link(Renamed.old(), session.id))
            let later = Sample.now + 5
            let line = NotBefore(drawnAt: later * 1000)
            #expect(try await store.unlink(identity.id, of: user, line: line, now: later) == .unlinked)
            let late = Sample.signIn(Renamed.new(), beginning: .seen(Sample.now * 1000), now: later + 1)
            await #expect(throws: Refusal.self) { try await store.signedIn(late) }
        },
    ]

    private static let renamedOtherClauses = [
        RepositoryContract("a logout under an issuer's new name ends what its former name has opened") { store in
            let upstream = Sample.hash()
            for logout in [
                .subject(Renamed.new()), .session(Sample.hash(), of: nil, former: [upstream]),
                .session(Sample.hash(), of: Renamed.new(), former: [upstream]),
            ] as [ProviderLogout] {
                let record = Sample.signIn(Renamed.old(), under: upstream)
                _ = try await store.signedIn(record)
                #expect(try await store.endSessions(logout, now: Sample.now) == 1)
                #expect(try await store.session(record.session.id, now: Sample.now) == nil)
                _ = try await store.erase(try #require(try await store.user(with: Renamed.new())), now: Sample.now)
            }
        },
        RepositoryContract("an event under an issuer's new name locks who is stored under the former one") { store in
            let record = Sample.signIn(Renamed.old())
            _ = try await store.signedIn(record)
            let event = IdentityEvent(
                subject: Renamed.new(), kind: .providerAccountDisabled,
                effect: .locks(openedBy: Sample.now + 60, wholeUser: false), time: Sample.now)
            #expect(try await store.take([event], now: Sample.now) == 1)
            #expect(try await store.session(record.session.id, now: Sample.now) == nil)
        },
        RepositoryContract("a ticket made under a former name makes a user under the current one") { store in
            let (ticket, late) = (Sample.code(), Sample.code())
            _ = try await store.signIn(Sample.signIn(Renamed.old("1"), registration: .ticket(ticket)))
            _ = try await store.signIn(Sample.signIn(Renamed.old("2"), registration: .ticket(late)))
            let session = Sample.session()
            let signedIn = try await store.redeemed(
                Sample.redemption(ticket: ticket.hash, session: session, reference: "abc", now: Sample.now + 1)
            ).signedIn
            #expect(try await store.identities(of: signedIn.user).map(\.subject) == [Renamed.new("1")])
            _ = try await store.signedIn(Sample.signIn(Renamed.new("2")))
            await #expect(throws: Refusal.identityInUse) {
                try await store.redeemed(
                    Sample.redemption(
                        ticket: late.hash, session: Sample.session(), reference: "abd", now: Sample.now + 1))
            }
        },
        RepositoryContract("a port token under its issuer's new name moves who is stored under the former one") {
            store in
            let before = try await store.signedIn(Sample.signIn(Renamed.old()))
            let after = try await store.signedIn(
                Sample.signIn(Sample.subject("new"), ported: [Sample.ported(Renamed.new())]))
            #expect(after.migrated && after.user == before.user)
            #expect(try await !store.isKnown(Renamed.new()))
        },
        RepositoryContract("a cross-client key noted under a former name leads to its user") { store in
            let key = Sample.hash()
            let first = try await store.signedIn(Sample.signIn(Renamed.old("a"), key: key))
            let second = try await store.signedIn(Sample.signIn(Renamed.new("b"), key: key))
            #expect(second.user == first.user && second.identity != first.identity)
        },
        RepositoryContract("an identity under a former name is linked by its own user only, and moved") { store in
            let (mine, others) = (Sample.session(), Sample.session())
            let first = try await store.signedIn(Sample.signIn(Renamed.old(), session: mine))
            _ = try await store.signedIn(Sample.signIn(Sample.subject("2"), session: others))
            await #expect(throws: Refusal.identityInUse) {
                try await store.linked(Sample.link(Renamed.new(), others.id))
            }
            let (identity, isNew) = try await store.linked(Sample.link(Renamed.new(), mine.id))
            #expect(identity.id == first.identity && !isNew && identity.subject == Renamed.new())
        },
        RepositoryContract("an identity under a former name is repointed, imported and approves under the new one") {
            store in
            let session = Sample.session()
            let first = try await store.signedIn(Sample.signIn(Renamed.old(), session: session))
            let receipt = try await store.receipted(Sample.transaction(Renamed.new(), session.id))
            guard case .stored = receipt else { throw ContractViolation.notSignedIn }
            let entry = ImportedUser(
                reference: "ref", profile: Profile(Sample.said, own: Attributes()), createdAt: 1,
                identities: [ImportedUser.Identity(provider: "zenkey", subject: Renamed.new(), emailStoppedAt: nil)])
            #expect(try await store.importUsers([entry], now: Sample.now) == [.alreadyThere(first.user)])
            let other = try await store.signedIn(Sample.signIn(Sample.subject("2")))
            let outcome = try await store.repoint(
                Renamed.new(), provider: "zenkey", to: other.user, now: Sample.now)
            guard case .moved(let identity, from: first.user, identitiesLeft: 0) = outcome else {
                throw ContractViolation.notSignedIn
            }
            #expect(identity.subject == Renamed.new())
            #expect(try await !store.isKnown(Renamed.old()))
        },
        RepositoryContract("what was noted of the providers is there again, and the newest counts") { store in
            #expect(try await store.notedProviders() == nil)
            for content in [[1, 2], [3]] as [[UInt8]] {
                try await store.noteProviders(content)
                #expect(try await store.notedProviders() == content)
            }
        },
    ]
}
