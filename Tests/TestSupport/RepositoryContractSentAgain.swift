import Accounts
import Testing

/// What is answered once more, to the request that is sent again.
extension RepositoryContract {
    static let sentAgainClauses: [RepositoryContract] = [
        RepositoryContract("a code's use tells what came of it, to the same request and for a minute") { store in
            let request = Sample.request()
            let code = Sample.code(request: request)
            #expect(try await store.standing(of: code.hash, now: Sample.now) == .none)
            let record = Sample.signIn(Sample.subject("1"), code: code)
            let signedIn = try await store.signedIn(record)
            guard case .answered(let kept) = try await store.standing(of: code.hash, now: Sample.now) else {
                Issue.record("nothing is kept")
                return
            }
            #expect(kept.outcome == .session(record.session.id, .new))
            #expect(kept.answers(request, now: Sample.now + 60) && !kept.answers(request, now: Sample.now + 61))
            #expect(!kept.answers(Sample.request(), now: Sample.now))
            let again = try await store.repeatSignIn(record.session.id, .new, now: Sample.now + 60)
            #expect(again?.session == (try await store.session(record.session.id, now: Sample.now)))
            #expect(again?.signedIn == signedIn)
            #expect(try await store.auditTrail() == [.userCreated, .signInAnswerRepeated])
            #expect(try await store.sessions(of: signedIn.user, now: Sample.now).count == 1)
        },
        RepositoryContract("a known user's sign-in that is answered again makes nobody new") { store in
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
            // Within the second in which the user was made.
            let code = Sample.code(request: Sample.request())
            let record = Sample.signIn(Sample.subject("1"), code: code)
            _ = try await store.signedIn(record)
            guard case .answered(let kept) = try await store.standing(of: code.hash, now: record.now),
                case .session(_, let arrival) = kept.outcome
            else {
                Issue.record("nothing is kept")
                return
            }
            let again = try await store.repeatSignIn(record.session.id, arrival, now: record.now)
            #expect(again?.signedIn.isNewUser == false && again?.signedIn.migrated == false)
        },
        RepositoryContract("a use that no request may send again keeps nothing") { store in
            let code = Sample.code()
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), code: code))
            #expect(try await store.standing(of: code.hash, now: Sample.now) == .none)
            let failed = Sample.code(request: Sample.request())
            try await store.recordUsedCode(failed, now: Sample.now)
            #expect(try await store.standing(of: failed.hash, now: Sample.now) == .none)
        },
        RepositoryContract("a sign-in is not answered again once its session was refreshed, has ended, or is locked") {
            store in
            for end in 0..<3 {
                let record = Sample.signIn(Sample.subject("\(end)"), code: Sample.code(request: Sample.request()))
                let user = try await store.signedIn(record).user
                let id = record.session.id
                switch end {
                case 0: _ = try await store.refresh(Sample.refresh(id, 1, of: user))
                case 1: _ = try await store.revokeSession(id, of: user, now: Sample.now)
                default:
                    let lock = Lock(cause: .operator, reason: "stolen", since: Sample.now, until: nil)
                    _ = try await store.lock(user, lock, line: .none, now: Sample.now)
                }
                #expect(try await store.repeatSignIn(id, .new, now: Sample.now) == nil, "\(end)")
            }
        },
        RepositoryContract("a ticket that was handed out is handed out again, until it is redeemed") { store in
            let ticket = OneTimeUse(hash: Sample.hash(), expiresAt: Sample.now + 600)
            let code = Sample.code(request: Sample.request())
            var record = Sample.signIn(Sample.subject("1"), code: code)
            record.draft.registration = .ticket(ticket)
            #expect(try await store.signIn(record) == .unlinked)
            guard case .answered(let kept) = try await store.standing(of: code.hash, now: Sample.now) else {
                Issue.record("nothing is kept")
                return
            }
            #expect(kept.outcome == .ticket(ticket.hash))
            let told = try await store.repeatTicket(ticket.hash, now: Sample.now)
            #expect(told?.provider == record.provider && told?.profile.carrier == record.attributes)
            let redemption = Sample.redemption(
                ticket: ticket.hash, session: Sample.session(), reference: "r", now: Sample.now)
            guard case .redeemed(let redeemed) = try await store.redeemTicket(redemption) else {
                Issue.record("not redeemed")
                return
            }
            #expect(try await store.repeatTicket(ticket.hash, now: Sample.now) == nil)
            let answer = try await store.redeemedTicket(
                ticket.hash, client: redemption.session.client, now: Sample.now)
            #expect(answer?.answers(redemption.request, now: Sample.now) == true)
            #expect(answer?.outcome == .session(redemption.session.id, .new))
            #expect(try await store.redeemedTicket(ticket.hash, client: "other", now: Sample.now) == nil)
            guard case .refused(.invalidTicket) = try await store.redeemTicket(redemption) else {
                Issue.record("a ticket was redeemed twice")
                return
            }
            let again = try await store.repeatSignIn(redemption.session.id, .new, now: Sample.now)
            #expect(again?.signedIn.user == redeemed.signedIn.user && again?.signedIn.isNewUser == true)
        },
        RepositoryContract("an identity and a receipt are told again by the code that they came of") { store in
            let session = Sample.session()
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session))
            for isNew in [true, false] {
                let code = Sample.code(request: Sample.request())
                var link = Sample.link(Sample.subject("2"), session.id)
                link.evidence = .authorizationCode(code)
                guard case .linked(let identity, _) = try await store.link(link),
                    case .answered(let kept) = try await store.standing(of: code.hash, now: Sample.now)
                else {
                    Issue.record("not linked, or nothing is kept")
                    return
                }
                #expect(kept.outcome == .linked(identity.id, isNew: isNew))
            }
            let code = Sample.code(request: Sample.request())
            var transaction = Sample.transaction(Sample.subject("1"), session.id)
            transaction.evidence = .authorizationCode(code)
            _ = try await store.storeReceipt(transaction)
            guard case .answered(let kept) = try await store.standing(of: code.hash, now: Sample.now) else {
                Issue.record("nothing is kept of the receipt")
                return
            }
            #expect(kept.outcome == .receipt(transaction.receipt))
        },
        RepositoryContract("an app's code is redeemed again by the same request while its answer is on its way") {
            store in
            let (record, code) = Sample.appSignIn()
            let request = Sample.request()
            _ = try await store.signedIn(record)
            let first = try await store.redeem(Sample.redemption(of: code, in: request))
            #expect(try await store.redeem(Sample.redemption(of: code, in: request)) == first)
            // Another request with the right verifier is no copy of the first.
            #expect(try await store.redeem(Sample.redemption(of: code)) == .reused)
            #expect(try await store.session(record.session.id, now: Sample.now) == nil)
        },
        RepositoryContract("an app's code whose answer was taken is denied, and one whose answer was lost is not") {
            store in
            for (delivery, subject) in [([.taken], "1"), ([.taken, .lost], "2"), ([.lost, .taken], "3")]
                as [([AppCodeDelivery], String)]
            {
                let (record, code) = Sample.appSignIn(subject)
                let request = Sample.request()
                _ = try await store.signedIn(record)
                let first = try await store.redeem(Sample.redemption(of: code, in: request))
                for fate in delivery { try await store.note(fate, of: code.hash) }
                let again = try await store.redeem(Sample.redemption(of: code, in: request))
                #expect(again == (delivery.contains(.lost) ? first : .reused), "\(delivery)")
            }
        },
        RepositoryContract("an app's code whose answer was lost is denied after a minute, and after a refresh") {
            store in
            for isRefreshed in [false, true] {
                let (record, code) = Sample.appSignIn("\(isRefreshed)")
                let request = Sample.request()
                let user = try await store.signedIn(record).user
                _ = try await store.redeem(Sample.redemption(of: code, in: request))
                try await store.note(.lost, of: code.hash)
                if isRefreshed {
                    _ = try await store.refresh(Sample.refresh(record.session.id, 1, of: user, client: "acme-ios"))
                }
                let later = Sample.now + (isRefreshed ? 1 : 61)
                #expect(try await store.redeem(Sample.redemption(of: code, in: request, now: later)) == .reused)
            }
        },
    ]
}
