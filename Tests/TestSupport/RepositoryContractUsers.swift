import Accounts
import Testing

extension RepositoryContract {
    static let userClauses = editingClauses + erasureClauses + subjectClauses

    private static let subjectClauses = [
        RepositoryContract("what apps see as sub is the store's as soon as there are users") { store in
            #expect(try await store.subjectForm(nil) == .reference)
            #expect(try await store.subjectForm(.number) == .number)
            #expect(try await store.subjectForm(nil) == .number)
            #expect(try await store.subjectForm(.reference) == .reference)
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
            #expect(try await store.subjectForm(nil) == .reference)
            #expect(try await store.subjectForm(.reference) == .reference)
            let fault = StoreOpenError.otherSubjects(found: .reference, wanted: .number, users: 1)
            await #expect(throws: RepositoryError.notOpened(fault)) { try await store.subjectForm(.number) }
        },
        RepositoryContract("in a store whose users came before anybody asked, sub is their number") { store in
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
            _ = try await store.signedIn(Sample.signIn(Sample.subject("2")))
            #expect(try await store.subjectForm(nil) == .number)
            let fault = StoreOpenError.otherSubjects(found: .number, wanted: .reference, users: 2)
            await #expect(throws: RepositoryError.notOpened(fault)) { try await store.subjectForm(.reference) }
            #expect(try await store.subjectForm(nil) == .number)
        },
    ]

    private static let editingClauses = [
        RepositoryContract("what the app collected at the registration is the user's own") { store in
            let ticket = Sample.code()
            _ = try await store.signIn(Sample.signIn(Sample.subject("1"), registration: .ticket(ticket)))
            let own: Attributes = ["email": "own@example.com", "username": "jane"]
            let signedIn = try await store.redeemed(
                Sample.redemption(
                    ticket: ticket.hash, session: Sample.session(), reference: "abc", own: own, now: Sample.now)
            ).signedIn
            #expect(signedIn.profile == Profile(Sample.said, own: own))
            #expect(try await store.user(signedIn.user)?.profile == signedIn.profile)
        },
        RepositoryContract("a user's own values are set and taken away, and the carrier's stay beneath") { store in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            let edited = try await store.editProfile(
                of: user, [ProfileEdit("email", "own@example.com"), ProfileEdit("name", "J.")], now: Sample.now + 1)
            #expect(edited.profile == Profile(Sample.said, own: ["name": "J.", "email": "own@example.com"]))
            #expect(edited.updatedAt == Sample.now + 1)
            #expect(try await store.user(user) == edited)
            let again = try await store.editProfile(of: user, [ProfileEdit("email", nil)], now: Sample.now + 2)
            #expect(again.profile == Profile(Sample.said, own: ["name": "J."]))
            #expect(try await store.user(user) == again)
        },
        RepositoryContract("an edit that changes nothing does not count as an update") { store in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            for edit in [ProfileEdit("email", nil), ProfileEdit("email", "jane@example.com")] {
                let edited = try await store.editProfile(of: user, [edit], now: Sample.now + 1)
                #expect(edited.updatedAt == Sample.now)
                #expect(edited.profile == Profile(Sample.said))
                #expect(try await store.user(user) == edited)
            }
        },
        RepositoryContract("no profile is edited under a session that is gone") { store in
            await #expect(throws: Refusal.sessionGone) {
                try await store.edited(
                    under: Sample.sessionID(), [ProfileEdit("name", "X")], demands: Sample.demands, now: Sample.now)
            }
        },
        RepositoryContract("a later sign-in changes what the carrier said and never what the user said") { store in
            let subject = Sample.subject("1")
            let user = try await store.signedIn(Sample.signIn(subject)).user
            _ = try await store.editProfile(of: user, [ProfileEdit("email", "own@example.com")], now: Sample.now)
            let sent: Attributes = ["email": "carrier@example.com"]
            let later = try await store.signedIn(Sample.signIn(subject, attributes: sent, now: Sample.now + 1))
            #expect(later.profile.own == ["email": "own@example.com"])
            #expect(later.profile.carrier.email == "carrier@example.com")
            #expect(later.profile.shown.email == "carrier@example.com")
            #expect(try await store.user(user)?.profile == later.profile)
        },
    ]

    private static let erasureClauses = [
        RepositoryContract("an erased user is gone with identities and sessions, and only the trail says so") { store in
            let subject = Sample.subject("1")
            let session = Sample.session()
            let user = try await store.signedIn(Sample.signIn(subject, session: session)).user
            let other = try await store.signedIn(Sample.signIn(Sample.subject("2"))).user
            _ = try await store.refresh(Sample.refresh(session.id, 1, of: user))
            #expect(try await store.erase(user, now: Sample.now + 1))
            #expect(try await store.user(user) == nil)
            #expect(try await !store.isKnown(subject))
            #expect(try await store.identities(of: user).isEmpty)
            #expect(try await store.sessions(of: user, now: Sample.now).isEmpty)
            #expect(try await store.session(session.id, now: Sample.now) == nil)
            #expect(try await store.refresh(Sample.refresh(session.id, 1, of: user)) == .refused)
            let trail = try await store.auditEvents(after: 0, limit: 10)
            #expect(trail.map(\.kind) == [.userCreated, .userCreated, .userErased])
            #expect(trail.last?.user == user)
            #expect(trail.last?.at == Sample.now + 1)
            #expect(try await store.user(other) != nil)
            #expect(try await store.sessions(of: other, now: Sample.now).count == 1)
            #expect(try await !store.erase(user, now: Sample.now + 2))
            #expect(try await store.auditTrail().count == 3)
        },
        RepositoryContract("the subject of an erased user is a new user with a new number") { store in
            let subject = Sample.subject("1")
            let user = try await store.signedIn(Sample.signIn(subject)).user
            _ = try await store.erase(user, now: Sample.now)
            let again = try await store.signedIn(Sample.signIn(subject))
            #expect(again.isNewUser)
            #expect(again.user != user)
        },
        RepositoryContract("a ticket for a subject of an erased user opens nothing") { store in
            let subject = Sample.subject("1")
            let ticket = Sample.code()
            _ = try await store.signIn(Sample.signIn(subject, registration: .ticket(ticket)))
            let user = try await store.signedIn(Sample.signIn(subject)).user
            _ = try await store.erase(user, now: Sample.now)
            let redemption = Sample.redemption(
                ticket: ticket.hash, session: Sample.session(), reference: "abc", now: Sample.now)
            await #expect(throws: Refusal.invalidTicket) { try await store.redeemed(redemption) }
        },
        RepositoryContract("what erased rows left behind is overwritten on demand") { store in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            _ = try await store.erase(user, now: Sample.now)
            #expect(try await store.scrub())
            #expect(try await store.check().isEmpty)
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
        },
    ]
}
