public import Accounts
import Testing
internal import Wings

extension AccountRepository {
    /// Merges by an operator's word.
    @discardableResult
    public func merged(_ absorbed: UserID, into kept: UserID, now: Int64 = Sample.now) async throws -> MergedUsers {
        try await merged(.operator(kept: kept, absorbed: absorbed), now: now)
    }

    /// Merges by the word of both users, of whom the first stays.
    @discardableResult
    public func merged(
        _ kept: SessionID, _ absorbed: SessionID, demands: SensitiveDemands = Sample.demands, now: Int64 = Sample.now
    ) async throws -> MergedUsers {
        let proofs = [kept, absorbed].map { MergeRecord.Proof(session: $0, demands: demands) }
        return try await merged(.users(kept: proofs[0], absorbed: proofs[1]), now: now)
    }

    private func merged(_ authority: MergeRecord.Authority, now: Int64) async throws -> MergedUsers {
        switch try await merge(MergeRecord(authority, line: NotBefore(drawnAt: now * 1000), now: now)) {
        case .merged(let users): return users
        case .refused(let refusal): throw refusal
        case .sameUser, .noSuchUser, .bothInDirectory: throw ContractViolation.notMerged
        }
    }
}

/// Two users whom a merge is to make one.
public struct Pair: Sendable {
    public let store: any AccountRepository
    public let kept: (user: UserID, identity: IdentityID, session: SessionID)
    public let absorbed: (user: UserID, identity: IdentityID, session: SessionID)
    public let subjects: (kept: Subject, absorbed: Subject)

    public init(_ store: any AccountRepository, _ name: String = "", attributes: Attributes = Sample.jane) async throws
    {
        self.store = store
        let (first, second) = (Sample.session(), Sample.session())
        subjects = (Sample.subject("kept\(name)"), Sample.subject("absorbed\(name)"))
        let kept = try await store.signedIn(Sample.signIn(subjects.kept, session: first))
        self.kept = (kept.user, kept.identity, first.id)
        var record = Sample.signIn(subjects.absorbed, attributes: attributes, session: second)
        record.draft.provider = "other"
        let absorbed = try await store.signedIn(record)
        self.absorbed = (absorbed.user, absorbed.identity, second.id)
    }
}

extension RepositoryContract {
    static let mergeClauses = [
        RepositoryContract("a merge leaves one user with both identities, and nobody under the other number") { store in
            let pair = try await Pair(store)
            let code = Sample.code()
            let linked = try await store.linked(Sample.link(Sample.subject("more"), pair.absorbed.session, code: code))
            let merged = try await store.merged(pair.absorbed.user, into: pair.kept.user, now: Sample.now + 9)
            #expect(
                merged
                    == MergedUsers(
                        kept: pair.kept.user, absorbed: pair.absorbed.user,
                        identities: [pair.absorbed.identity, linked.identity.id]))
            let identities = try await store.identities(of: pair.kept.user)
            #expect(identities.map(\.id) == [pair.kept.identity, pair.absorbed.identity, linked.identity.id])
            // They are as new as any that was added: what takes a mature one, takes the other.
            #expect(identities.map(\.origin) == [.signIn, .link, .link])
            #expect(identities.map(\.linkedAt) == [Sample.now, Sample.now + 9, Sample.now + 9])
            #expect(try await store.user(pair.absorbed.user) == nil)
            #expect(try await store.identities(of: pair.absorbed.user).isEmpty)
            #expect(try await store.userCount() == 1)
            for subject in [pair.subjects.kept, pair.subjects.absorbed, Sample.subject("more")] {
                #expect(try await store.user(with: subject) == pair.kept.user)
                let signedIn = try await store.signedIn(Sample.signIn(subject, now: Sample.now + 20))
                #expect(signedIn.user == pair.kept.user && !signedIn.isNewUser)
            }
        },
        RepositoryContract("the sessions of the account that goes end, and those of the other go on") { store in
            let pair = try await Pair(store)
            try await store.merged(pair.absorbed.user, into: pair.kept.user)
            #expect(try await store.session(pair.absorbed.session, now: Sample.now) == nil)
            #expect(try await store.session(pair.kept.session, now: Sample.now) != nil)
            let refused = Sample.refresh(pair.absorbed.session, 1, of: pair.absorbed.user)
            #expect(try await store.refresh(refused) == .refused)
            guard case .rotated = try await store.refresh(Sample.refresh(pair.kept.session, 1, of: pair.kept.user))
            else {
                Issue.record("the kept session is not refreshed")
                return
            }
        },
        RepositoryContract("a merge is in the trail of both numbers, with each identity") { store in
            let pair = try await Pair(store)
            try await store.merged(pair.absorbed.user, into: pair.kept.user)
            let events = try await store.auditEvents(after: 0, limit: .max).suffix(3)
            #expect(events.map(\.kind) == [.identityMerged, .usersMerged, .userAbsorbed])
            #expect(events.map(\.user) == [pair.kept.user, pair.kept.user, pair.absorbed.user])
            #expect(events.first?.oldIdentity == pair.absorbed.identity)
            #expect(events.first?.newIdentity == pair.absorbed.identity)
            #expect(
                events.map(\.fields)
                    == [[], ["from:\(pair.absorbed.user.rawValue)"], ["into:\(pair.kept.user.rawValue)"]])
            #expect(try await store.auditEvents(after: 0, limit: 9, user: pair.absorbed.user).count == 2)
        },
        RepositoryContract("the profile that stays wins, and what the other one has besides fills its gaps") { store in
            let pair = try await Pair(
                store, attributes: ["name": "Jane Roe", "email": "roe@example.com", "locale": "en-US"])
            try await store.editProfile(of: pair.kept.user, [ProfileEdit("nickname", "J")], now: Sample.now)
            try await store.editProfile(
                of: pair.absorbed.user, [ProfileEdit("nickname", "R"), ProfileEdit("zoneinfo", "UTC")], now: Sample.now)
            try await store.merged(pair.absorbed.user, into: pair.kept.user)
            let profile = try #require(try await store.user(pair.kept.user)?.profile)
            #expect(profile.carrier.name == "Jane Doe" && profile.carrier.email == "jane@example.com")
            #expect(profile.carrier["locale"] == "en-US")
            #expect(profile.own == ["nickname": "J", "zoneinfo": "UTC"])
            for email in ["jane@example.com", "roe@example.com"] {
                let found = try await store.users(with: .email, email, limit: 9).matches
                #expect(found.map(\.user.id) == [pair.kept.user])
            }
            let giver = try await store.users(with: .email, "roe@example.com", limit: 9).matches.first?.givers
            #expect(giver == [.provider("other", isVerified: false)])
        },
        RepositoryContract("grants, keys and receipts move with a merge, consents and tickets do not") { store in
            let pair = try await Pair(store)
            var record = Sample.keeping(pair.subjects.absorbed)
            record.draft.provider = "other"
            _ = try await store.signedIn(record)
            let keys = UnlockKeys(store)
            try await keys.add(.sample(), content: [1], of: pair.absorbed.user, now: Sample.now)
            _ = try await store.receipted(Sample.transaction(pair.subjects.absorbed, pair.absorbed.session))
            let directory = try await store.openAccount(
                under: pair.absorbed.session, demands: Sample.demands, provider: "zenkey", name: Sample.name(),
                now: Sample.now)
            #expect(try await store.insertNote(Sample.note(1, of: pair.absorbed.user)))
            try await store.merged(pair.absorbed.user, into: pair.kept.user)
            #expect(try await store.record(of: pair.kept.user, now: Sample.now)?.tables.count == 2)
            let grant = try await store.providerGrant(pair.absorbed.identity, of: pair.kept.user)
            #expect(grant?.tokens == Sample.tokens())
            #expect(try await store.outbox().isEmpty)
            #expect(try await keys.find(.sample())?.user == pair.kept.user)
            #expect(try await store.receipts(of: pair.kept.user).count == 1)
            guard case .account(let account) = directory,
                case .account(let found) = try await store.openAccount(
                    under: pair.kept.session, demands: Sample.demands, provider: "zenkey", name: Sample.name(),
                    now: Sample.now)
            else {
                Issue.record("there is no account in the directory")
                return
            }
            #expect(found.externalID == account.externalID && found.user == pair.kept.user)
            #expect(try await store.erase(pair.kept.user, now: Sample.now))
            #expect(try await keys.find(.sample()) == nil)
        },
        RepositoryContract("an app that one account has agreed to asks the other again") { store in
            let pair = try await Pair(store)
            var (record, code) = Sample.appSignIn()
            code.consent = ConsentDemand(rule: .given, isSilent: false, waitsUntil: Sample.now + 600)
            record.draft.subject = pair.subjects.absorbed
            record.draft.appCode = code
            record.draft.session.scope = "openid email"
            _ = try await store.signedIn(record)
            #expect(try await store.consents(of: pair.absorbed.user).count == 1)
            try await store.merged(pair.absorbed.user, into: pair.kept.user)
            #expect(try await store.consents(of: pair.kept.user).isEmpty)
        },
        RepositoryContract("a cross-client key leads to the user that is left") { store in
            let (pair, key) = (try await Pair(store), Sample.hash())
            _ = try await store.signedIn(Sample.signIn(pair.subjects.absorbed, key: key))
            try await store.merged(pair.absorbed.user, into: pair.kept.user)
            var another = Sample.signIn(Sample.subject("another"), key: key)
            another.draft.beginning = .seen((Sample.now + 1) * 1000)
            #expect(try await store.signedIn(another).user == pair.kept.user)
        },
        RepositoryContract("who must authenticate anew to be the one user must do so by what has come with the other") {
            store in
            let pair = try await Pair(store)
            let line = NotBefore(drawnAt: Sample.now * 1000, reauthenticate: true)
            _ = try await store.revokeSessions(of: pair.kept.user, except: nil, line: line, now: Sample.now)
            try await store.merged(pair.absorbed.user, into: pair.kept.user, now: Sample.now + 1)
            var record = Sample.signIn(pair.subjects.absorbed, now: Sample.now + 9)
            record.draft.session.authentication.time = Sample.now - 5
            guard case .refused(.authenticationTooOld) = try await store.signIn(record) else {
                Issue.record("an old authentication signs in")
                return
            }
        },
    ]

    static let mergeRefusalClauses = [
        RepositoryContract("a user is merged neither with itself nor with nobody") { store in
            let pair = try await Pair(store)
            func outcome(_ kept: UserID, _ absorbed: UserID) async throws -> MergeOutcome {
                try await store.merge(
                    MergeRecord(.operator(kept: kept, absorbed: absorbed), line: .none, now: Sample.now))
            }
            let nobody = UserID(rawValue: 4711)
            #expect(try await outcome(pair.kept.user, pair.kept.user) == .sameUser)
            #expect(try await outcome(pair.kept.user, nobody) == .noSuchUser(nobody))
            #expect(try await outcome(nobody, pair.kept.user) == .noSuchUser(nobody))
            #expect(try await store.userCount() == 2)
        },
        RepositoryContract("nobody is merged while either is locked, or one of their identities") { store in
            for (number, isKept) in [true, false, true, false].enumerated() {
                let pair = try await Pair(store, " \(number)")
                if number < 2 {
                    let lock = Lock(cause: .operator, reason: nil, since: Sample.now, until: Sample.now + 60)
                    let user = isKept ? pair.kept.user : pair.absorbed.user
                    #expect(try await store.lock(user, lock, line: .none, now: Sample.now))
                } else {
                    let event = IdentityEvent(
                        subject: isKept ? pair.subjects.kept : pair.subjects.absorbed, kind: .providerAccountDisabled,
                        effect: .locks(openedBy: Sample.now + 60, wholeUser: false), time: Sample.now)
                    #expect(try await store.take([event], now: Sample.now) == 1)
                }
                await #expect(throws: Refusal.locked) {
                    try await store.merged(pair.absorbed.user, into: pair.kept.user)
                }
                #expect(try await store.user(pair.absorbed.user) != nil)
                if number < 2 {
                    // It has ended by itself.
                    try await store.merged(pair.absorbed.user, into: pair.kept.user, now: Sample.now + 60)
                }
            }
        },
        RepositoryContract("two accounts of one directory stay two") { store in
            let pair = try await Pair(store)
            for session in [pair.kept.session, pair.absorbed.session] {
                _ = try await store.openAccount(
                    under: session, demands: Sample.demands, provider: "zenkey", name: Sample.name(), now: Sample.now)
            }
            let record = MergeRecord(
                .operator(kept: pair.kept.user, absorbed: pair.absorbed.user), line: .none, now: Sample.now)
            #expect(try await store.merge(record) == .bothInDirectory)
            #expect(try await store.user(pair.absorbed.user) != nil)
        },
        RepositoryContract("users merge by both sessions, each fresh, each by an identity that is not new") { store in
            let pair = try await Pair(store)
            let linked = Sample.subject("linked")
            try await store.linked(Sample.link(linked, pair.absorbed.session, now: Sample.now - 10))
            let (new, old) = (Sample.session(), Sample.session())
            var record = Sample.signIn(linked, session: new)
            _ = try await store.signedIn(record)
            record = Sample.signIn(pair.subjects.absorbed, session: old)
            record.draft.session.authenticatedAt = Sample.now - 301
            record.draft.session.authentication.time = Sample.now - 301
            _ = try await store.signedIn(record)
            let refusals: [(SessionID, Refusal)] = [
                (new.id, .identityTooNew(waitSeconds: 86_390)),
                (old.id, .authenticationTooOld(maximumAgeSeconds: 300)), (Sample.sessionID(), .sessionGone),
            ]
            for (session, refusal) in refusals {
                await #expect(throws: refusal) {
                    try await store.merged(pair.kept.session, session, demands: Sample.usualDemands)
                }
                await #expect(throws: refusal) {
                    try await store.merged(session, pair.kept.session, demands: Sample.usualDemands)
                }
            }
            #expect(try await store.userCount() == 2)
            let merged = try await store.merged(
                pair.kept.session, pair.absorbed.session, demands: Sample.usualDemands)
            #expect(merged.kept == pair.kept.user && merged.identities.count == 2)
            // What has come is on probation: it takes nothing away.
            let session = Sample.session()
            _ = try await store.signedIn(
                Sample.signIn(pair.subjects.absorbed, session: session, beginning: .seen((Sample.now + 1) * 1000)))
            await #expect(throws: Refusal.identityTooNew(waitSeconds: 86_400)) {
                try await store.unlinked(
                    pair.kept.identity, under: session.id, demands: Sample.usualDemands, now: Sample.now)
            }
        },
    ]
}
