import Accounts
import Testing

extension RepositoryContract {
    private static func link(
        _ ticket: TokenHash, _ session: SessionID, request: RequestDigest = Sample.request(),
        demands: SensitiveDemands = Sample.demands, client: String = "ccid-0123456789abcdef", now: Int64 = Sample.now
    ) -> TicketLink {
        TicketLink(
            ticket: ticket, client: client, session: session, demands: demands, request: request, now: now)
    }

    /// A user's session, and a ticket of somebody nobody knows.
    private static func begin(
        _ store: any AccountRepository, _ name: String = ""
    ) async throws -> (user: UserID, session: SessionID, ticket: TokenHash, subject: Subject) {
        let (session, ticket) = (Sample.session(), Sample.code())
        let subject = Sample.subject("new \(name)")
        let user = try await store.signedIn(Sample.signIn(Sample.subject("known \(name)"), session: session)).user
        var record = Sample.signIn(subject, registration: .ticket(ticket), attributes: ["locale": "en-US"])
        record.draft.kept = KeptTokens(tokens: Sample.tokens(), idToken: nil)
        #expect(try await store.signIn(record) == .unlinked)
        return (user, session.id, ticket.hash, subject)
    }

    static let ticketLinkClauses = [
        RepositoryContract("a ticket links what it proves to the user of a session, and is used up by it") { store in
            let (user, session, ticket, subject) = try await begin(store)
            let request = Sample.request()
            guard
                case .linked(let identity, isNew: true) = try await store.link(
                    link(ticket, session, request: request, now: Sample.now + 9))
            else { throw ContractViolation.notSignedIn }
            #expect(identity.subject == subject && identity.origin == .link && identity.linkedAt == Sample.now + 9)
            #expect(identity.provider == "zenkey" && identity.user == user)
            #expect(try await store.user(user)?.profile.carrier["locale"] == "en-US")
            #expect(try await store.providerGrant(identity.id, of: user)?.tokens == Sample.tokens())
            #expect(try await store.auditTrail() == [.userCreated, .identityLinked])
            #expect(try await store.link(link(ticket, session)) == .refused(.invalidTicket))
            let kept = try await store.redeemedTicket(
                ticket, client: "ccid-0123456789abcdef", now: Sample.now + 9)
            #expect(kept?.outcome == .linked(identity.id, isNew: true))
            #expect(kept?.answers(request, now: Sample.now + 9) == true)
            await #expect(throws: Refusal.identityInUse) {
                _ = try await store.signedIn(Sample.signIn(subject))
                try await store.linked(Sample.link(subject, try await begin(store, "other").session))
            }
        },
        RepositoryContract("a ticket that is refused stays good, and links to nobody") { store in
            let (user, session, ticket, subject) = try await begin(store)
            let late = Sample.now + 301
            #expect(
                try await store.link(link(ticket, session, demands: Sample.usualDemands, now: late))
                    == .refused(.authenticationTooOld(maximumAgeSeconds: 300)))
            #expect(try await store.link(link(ticket, Sample.sessionID())) == .refused(.sessionGone))
            #expect(try await store.link(link(ticket, session, client: "another")) == .refused(.invalidTicket))
            #expect(try await store.link(link(Sample.hash(), session)) == .refused(.invalidTicket))
            #expect(try await store.link(link(ticket, session, now: Sample.now + 600)) == .refused(.invalidTicket))
            #expect(try await store.identities(of: user).count == 1)
            #expect(try await !store.isKnown(subject))
            guard case .linked = try await store.link(link(ticket, session, now: late)) else {
                throw ContractViolation.notSignedIn
            }
        },
        RepositoryContract("a ticket from before a line, or of a subject that is somebody's, links nothing") { store in
            let (jane, own, second, other) = try await begin(store, "second")
            let john = try await store.signedIn(Sample.signIn(other))
            #expect(try await store.link(link(second, own)) == .refused(.identityInUse))
            let last = try await store.auditEvents(after: 0, limit: 99).last
            #expect(last?.kind == .linkConflict && last?.user == jane && last?.oldIdentity == john.identity)
            let (_, _, ticket, subject) = try await begin(store)
            try await store.draw(
                NotBefore(drawnAt: Sample.now * 1000 + 500), for: .provider("zenkey"), isNoted: false, now: Sample.now)
            // The session is from behind the line, and the ticket is not.
            var session = Sample.session()
            session.id = Sample.sessionID(now: Sample.now + 1)
            session.family = session.id
            _ = try await store.signedIn(
                Sample.signIn(Sample.subject("known "), session: session, now: Sample.now + 1))
            #expect(
                try await store.link(link(ticket, session.id, now: Sample.now + 2))
                    == .refused(.authenticationTooOld(maximumAgeSeconds: 2)))
            #expect(try await !store.isKnown(subject))
        },
        RepositoryContract("one ticket that is linked and redeemed at once is good for one of both") { store, other in
            for round in 0..<rounds {
                let (user, session, ticket, subject) = try await begin(store, "\(round)")
                let outcomes = await both(
                    {
                        guard case .linked = try await store.link(link(ticket, session)) else { return false }
                        return true
                    },
                    {
                        let redemption = Sample.redemption(
                            ticket: ticket, session: Sample.session(), reference: "abc", now: Sample.now)
                        guard case .redeemed = try await other.redeemTicket(redemption) else { return false }
                        return true
                    })
                let (isLinked, isRedeemed) = (try outcomes[0].get(), try outcomes[1].get())
                #expect(isLinked != isRedeemed)
                #expect((try await store.user(with: subject) == user) == isLinked)
            }
        },
    ]
}
