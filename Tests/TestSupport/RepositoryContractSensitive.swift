import Accounts
import Testing

extension RepositoryContract {
    static let sensitiveClauses = authenticationClauses + identityAgeClauses

    /// A user with an identity and a session, authenticated five seconds before ``Sample/now``.
    private static func jane(
        _ store: any AccountRepository, now: Int64 = Sample.now
    ) async throws -> (SignedIn, session: SessionID) {
        let session = Sample.session()
        let record = Sample.signIn(Sample.subject("1"), session: session, now: now)
        return (try await store.signedIn(record), session.id)
    }

    private static let authenticationClauses = [
        RepositoryContract("nothing sensitive is done long after the user authenticated") { store in
            let (jane, session) = try await jane(store)
            let (late, tooOld) = (Sample.now + 296, Refusal.authenticationTooOld(maximumAgeSeconds: 300))
            await #expect(throws: tooOld) {
                try await store.linked(
                    Sample.link(Sample.subject("2"), session, demands: Sample.usualDemands, now: late))
            }
            await #expect(throws: tooOld) {
                try await store.unlinked(jane.identity, under: session, demands: Sample.usualDemands, now: late)
            }
            await #expect(throws: tooOld) {
                try await store.erased(under: session, demands: Sample.usualDemands, now: late)
            }
            #expect(try await !store.isKnown(Sample.subject("2")))
            #expect(try await store.user(jane.user) != nil)
            let inTime = late - 1
            _ = try await store.linked(
                Sample.link(Sample.subject("2"), session, demands: Sample.usualDemands, now: inTime))
            try await store.erased(under: session, demands: Sample.usualDemands, now: inTime)
            #expect(try await store.user(jane.user) == nil)
            #expect(try await store.auditTrail().last == .userErased)
        },
        RepositoryContract("a time that the provider did not tell shows nothing, and an answer to a challenge little") {
            store in
            // As an earlier version stores it: the time of the ID token in the place of that of the authentication.
            for (number, challengedAt) in ([nil, Sample.now - 5] as [Int64?]).enumerated() {
                var session = Sample.session()
                session.authentication.time = nil
                (session.authenticatedAt, session.challengedAt) = (Sample.now - 5, challengedAt)
                let subject = Sample.subject("silent \(number)")
                let user = try await store.signedIn(Sample.signIn(subject, session: session)).user
                let other = Sample.session()
                _ = try await store.signedIn(Sample.signIn(subject, session: other))
                let stored = try await store.session(session.id, now: Sample.now)
                #expect(stored?.authenticatedAt == Session.neverAuthenticated)
                #expect(stored?.challengedAt == challengedAt)
                let (demands, late) = (Sample.usualDemands, Sample.now + 296)
                let tooOld = Refusal.authenticationTooOld(maximumAgeSeconds: 300)
                let link = Sample.link(Sample.subject("added \(number)"), session.id, demands: demands)
                await #expect(throws: tooOld) { try await store.linked(link) }
                await #expect(throws: tooOld) {
                    try await store.edited(
                        under: session.id, [ProfileEdit("email", "else")], demands: demands, now: Sample.now)
                }
                let last = challengedAt == nil ? Sample.now : late
                await #expect(throws: tooOld) {
                    try await store.ended(nil, under: session.id, demands: demands, now: last)
                }
                await #expect(throws: tooOld) {
                    try await store.erased(under: session.id, demands: demands, now: last)
                }
                guard challengedAt != nil else { continue }
                #expect(try await store.ended(other.id, under: session.id, demands: demands, now: late - 1) == 1)
                var everything = demands
                everything.challenge = .everything
                let more = Sample.link(
                    Sample.subject("added \(number)"), session.id, demands: everything, now: late - 1)
                _ = try await store.linked(more)
                try await store.erased(under: session.id, demands: demands, now: late - 1)
                #expect(try await store.user(user) == nil)
            }
        },
        RepositoryContract("a ticket's session shows what the ticket's sign-in has shown") { store in
            for challengedAt in [nil, Sample.now - 5] as [Int64?] {
                var session = Sample.session()
                session.authentication.time = nil
                (session.authenticatedAt, session.challengedAt) = (Sample.now - 5, challengedAt)
                session.source = challengedAt == nil ? .tokenExchange : .signIn
                let ticket = Sample.code()
                let subject = Sample.subject("ticket \(challengedAt ?? 0)")
                let record = Sample.signIn(subject, registration: .ticket(ticket), session: session)
                #expect(try await store.signIn(record) == .unlinked)
                let opened = Sample.session()
                _ = try await store.redeemed(
                    Sample.redemption(ticket: ticket.hash, session: opened, reference: "reference", now: Sample.now))
                let stored = try await store.session(opened.id, now: Sample.now)
                #expect(stored?.authenticatedAt == Session.neverAuthenticated)
                #expect(stored?.challengedAt == challengedAt)
                #expect(stored?.source == session.source)
            }
        },
        RepositoryContract("a refresh does not renew the authentication") { store in
            let session = Sample.session()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            _ = try await store.refresh(Sample.refresh(session.id, 1, of: user, now: Sample.now + 295))
            #expect(try await store.session(session.id, now: Sample.now)?.authenticatedAt == Sample.now - 5)
            await #expect(throws: Refusal.authenticationTooOld(maximumAgeSeconds: 300)) {
                try await store.erased(under: session.id, demands: Sample.usualDemands, now: Sample.now + 296)
            }
        },
        RepositoryContract("how the user is reached changes only just after the user authenticated") { store in
            let (jane, session) = try await jane(store)
            let late = Sample.now + 296
            for name in ["phone_number", "email", "username"] {
                await #expect(throws: Refusal.authenticationTooOld(maximumAgeSeconds: 300)) {
                    try await store.edited(
                        under: session, [ProfileEdit("name", "X"), ProfileEdit(name, "else")],
                        demands: Sample.usualDemands, now: late)
                }
            }
            #expect(try await store.user(jane.user)?.profile == Profile(Sample.said))
            let edited = try await store.edited(
                under: session, [ProfileEdit("name", "X")], demands: Sample.usualDemands, now: late)
            #expect(edited.profile.own == ["name": "X"])
            let inTime = try await store.edited(
                under: session, [ProfileEdit("email", "else")], demands: Sample.usualDemands, now: late - 1)
            #expect(inTime.profile.own.email == "else")
        },
        RepositoryContract("other sessions end only just after the user authenticated, and one's own at any time") {
            store in
            let (jane, session) = try await jane(store)
            let other = Sample.session()
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: other))
            let (late, demands) = (Sample.now + 296, Sample.usualDemands)
            for end in [other.id, nil] {
                await #expect(throws: Refusal.authenticationTooOld(maximumAgeSeconds: 300)) {
                    try await store.ended(end, under: session, demands: demands, now: late)
                }
            }
            #expect(try await store.sessions(of: jane.user, now: late).count == 2)
            // A stranger's session is no more there than one that never was.
            let stranger = Sample.session()
            _ = try await store.signedIn(Sample.signIn(Sample.subject("2"), session: stranger))
            for none in [stranger.id, Sample.sessionID()] {
                #expect(try await store.ended(none, under: session, demands: demands, now: late) == nil)
            }
            #expect(try await store.session(stranger.id, now: late) != nil)
            #expect(try await store.ended(session, under: session, demands: demands, now: late) == 1)
            #expect(try await store.session(session, now: late) == nil)
            // The last one is one's own, by either way.
            #expect(try await store.ended(nil, under: other.id, demands: demands, now: late) == 1)
            await #expect(throws: Refusal.sessionGone) {
                try await store.ended(nil, under: other.id, demands: demands, now: late)
            }
            #expect(try await store.auditTrail().suffix(2) == [.sessionRevoked, .sessionsRevoked])
        },
        RepositoryContract("a fresh session ends others, one and all") { store in
            let (jane, session) = try await jane(store)
            let others = [Sample.session(), Sample.session()]
            for other in others { _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: other)) }
            let demands = Sample.usualDemands
            #expect(try await store.ended(others[0].id, under: session, demands: demands, now: Sample.now) == 1)
            #expect(try await store.session(others[0].id, now: Sample.now) == nil)
            #expect(try await store.ended(nil, under: session, demands: demands, now: Sample.now) == 2)
            #expect(try await store.sessions(of: jane.user, now: Sample.now).isEmpty)
        },
        RepositoryContract("nobody is erased under a session that is gone") { store in
            let (jane, session) = try await jane(store)
            #expect(try await store.revokeSession(session, now: Sample.now))
            await #expect(throws: Refusal.sessionGone) {
                try await store.erased(under: session, demands: Sample.demands, now: Sample.now)
            }
            await #expect(throws: Refusal.sessionGone) {
                try await store.unlinked(jane.identity, under: session, demands: Sample.demands, now: Sample.now)
            }
            #expect(try await store.user(jane.user) != nil)
        },
    ]

    /// The ways in which an identity is added to a user who is there; each adds subject "2".
    private static let additions:
        [(name: String, add: @Sendable (any AccountRepository, SessionID) async throws -> Void)] = [
            (
                "linked", { store, session in _ = try await store.linked(Sample.link(Sample.subject("2"), session)) }
            ),
            (
                "ported",
                { store, _ in
                    _ = try await store.signedIn(
                        Sample.signIn(Sample.subject("2"), ported: [Sample.ported(Sample.subject("1"))]))
                }
            ),
            (
                "re-pointed",
                { store, session in
                    let user = try #require(try await store.session(session, now: Sample.now)).user
                    _ = try await store.repoint(Sample.subject("2"), provider: "zenkey", to: user, now: Sample.now)
                }
            ),
            (
                "imported",
                { store, _ in
                    let identities = ["1", "2"].map {
                        ImportedUser.Identity(provider: "zenkey", subject: Sample.subject($0), emailStoppedAt: nil)
                    }
                    _ = try await store.importUsers(
                        [
                            ImportedUser(
                                reference: "abc", profile: Profile(), createdAt: Sample.now - 900_000,
                                identities: identities)
                        ], now: Sample.now)
                }
            ),
        ]

    private static let identityAgeClauses =
        additions.map { addition in
            RepositoryContract("an identity that was just \(addition.name) takes nothing over for a day") { store in
                let (jane, session) = try await jane(store, now: Sample.now - 1)
                try await addition.add(store, session)
                let thief = Sample.session()
                var record = Sample.signIn(Sample.subject("2"), session: thief)
                record.draft.now = Sample.now + 1
                #expect(try await store.signedIn(record).user == jane.user)
                let now = Sample.now + 2
                let tooNew = Refusal.identityTooNew(waitSeconds: 86_398)
                await #expect(throws: tooNew) {
                    try await store.linked(
                        Sample.link(Sample.subject("3"), thief.id, demands: Sample.usualDemands, now: now))
                }
                await #expect(throws: tooNew) {
                    try await store.erased(under: thief.id, demands: Sample.usualDemands, now: now)
                }
                for name in ["phone_number", "email", "username"] {
                    await #expect(throws: tooNew) {
                        try await store.edited(
                            under: thief.id, [ProfileEdit(name, "else")], demands: Sample.usualDemands, now: now)
                    }
                }
                if try await store.session(session, now: now) != nil {
                    for other in [session, nil] {
                        await #expect(throws: tooNew) {
                            try await store.ended(other, under: thief.id, demands: Sample.usualDemands, now: now)
                        }
                    }
                    #expect(try await store.session(session, now: now) != nil)
                }
                if let other = try await store.identities(of: jane.user).first(where: { $0.id == jane.identity }) {
                    await #expect(throws: tooNew) {
                        try await store.unlinked(other.id, under: thief.id, demands: Sample.usualDemands, now: now)
                    }
                }
                var transaction = Sample.transaction(Sample.subject("2"), thief.id)
                (transaction.minimumIdentityAgeSeconds, transaction.now) = (86_400, now)
                await #expect(throws: tooNew) { try await store.receipted(transaction) }
                #expect(try await store.receipts(of: jane.user).isEmpty)

                var later = Sample.transaction(Sample.subject("2"), thief.id)
                (later.minimumIdentityAgeSeconds, later.now) = (86_400, Sample.now + 86_399)
                await #expect(throws: Refusal.identityTooNew(waitSeconds: 1)) {
                    try await store.receipted(later)
                }
                var nextDay = Sample.transaction(Sample.subject("2"), Sample.sessionID())
                let lasting = Sample.session(expiresAt: Sample.now + 900_000)
                _ = try await store.signedIn(Sample.signIn(Sample.subject("2"), session: lasting))
                (nextDay.session, nextDay.minimumIdentityAgeSeconds, nextDay.now) = (
                    lasting.id, 86_400, Sample.now + 86_400
                )
                guard case .stored = try await store.receipted(nextDay) else {
                    Issue.record("an identity that is a day old approves nothing")
                    return
                }
            }
        } + [
            RepositoryContract("the identity a user registered with approves and links at once") { store in
                let (jane, session) = try await jane(store)
                var transaction = Sample.transaction(Sample.subject("1"), session)
                transaction.minimumIdentityAgeSeconds = 86_400
                guard case .stored = try await store.receipted(transaction) else {
                    Issue.record("the first identity approves nothing")
                    return
                }
                _ = try await store.linked(
                    Sample.link(Sample.subject("2"), session, demands: Sample.usualDemands, now: Sample.now))
                try await store.erased(under: session, demands: Sample.usualDemands, now: Sample.now)
                #expect(try await store.user(jane.user) == nil)
            },
            RepositoryContract("an imported user is as good as one who registered here") { store in
                let identity = ImportedUser.Identity(
                    provider: "zenkey", subject: Sample.subject("1"), emailStoppedAt: nil)
                _ = try await store.importUsers(
                    [
                        ImportedUser(
                            reference: "abc", profile: Profile(), createdAt: Sample.now, identities: [identity])
                    ], now: Sample.now)
                let (jane, session) = try await jane(store)
                try await store.erased(under: session, demands: Sample.usualDemands, now: Sample.now)
                #expect(try await store.user(jane.user) == nil)
            },
            RepositoryContract("a new identity takes itself away, and nothing else") { store in
                let (jane, session) = try await jane(store)
                let linked = try await store.linked(Sample.link(Sample.subject("2"), session)).identity
                let own = Sample.session()
                _ = try await store.signedIn(Sample.signIn(Sample.subject("2"), session: own))
                let outcome = try await store.unlinked(
                    linked.id, under: own.id, demands: Sample.usualDemands, now: Sample.now)
                #expect(outcome == .unlinked)
                #expect(try await store.identities(of: jane.user).map(\.id) == [jane.identity])
            },
        ]
}
