import Accounts
import Testing

/// What happens to one of two accounts while they become one.
private enum MergeRival: CaseIterable {
    case signIn, exchange, link, erasureOfAbsorbed, erasureOfKept, mergeTheOtherWay, mergeAgain, port, refresh, lock
    case signOut

    /// Does it at one of the instances; what is refused is one way for it to end.
    func run(on store: any AccountRepository, _ pair: Pair, _ round: Int) async throws {
        // What begins behind every line that is drawn here.
        let beginning = SignInBeginning.seen((Sample.now + 1) * 1000)
        switch self {
        case .signIn: _ = try await store.signIn(Sample.signIn(pair.subjects.absorbed, beginning: beginning))
        case .exchange:
            var record = Sample.signIn(pair.subjects.absorbed, beginning: beginning)
            record.draft.evidence = .accessToken(nil)
            record.draft.session.source = .tokenExchange
            _ = try await store.signIn(record)
        case .link: _ = try await store.link(Sample.link(Sample.subject("linked \(round)"), pair.absorbed.session))
        case .erasureOfAbsorbed: _ = try await store.erase(pair.absorbed.user, now: Sample.now)
        case .erasureOfKept: _ = try await store.erase(pair.kept.user, now: Sample.now)
        case .mergeTheOtherWay: _ = try? await store.merged(pair.kept.user, into: pair.absorbed.user)
        case .mergeAgain: _ = try? await store.merged(pair.absorbed.user, into: pair.kept.user)
        case .port:
            let ported = [Sample.ported(pair.subjects.absorbed)]
            _ = try await store.signIn(
                Sample.signIn(Sample.subject("ported \(round)"), ported: ported, beginning: beginning))
        case .refresh:
            _ = try await store.refresh(Sample.refresh(pair.absorbed.session, 1, of: pair.absorbed.user))
        case .lock:
            let lock = Lock(cause: .operator, reason: nil, since: Sample.now, until: nil)
            _ = try await store.lock(pair.absorbed.user, lock, line: .none, now: Sample.now)
        case .signOut:
            _ = try await store.revokeSessions(
                of: pair.absorbed.user, except: nil, line: .none, now: Sample.now)
        }
    }
}

extension Pair {
    /// That nothing is half of anything: who is there is whole, and nothing is left of who is not.
    ///
    /// - Parameter subjects: all that either may have had.
    /// - Returns: who is there.
    func expectWhole(_ subjects: [Subject], _ comment: Comment) async throws -> [UserID] {
        var there: [UserID] = []
        for user in [kept.user, absorbed.user] {
            let found = try await store.user(user)
            let identities = try await store.identities(of: user)
            let sessions = try await store.sessions(of: user, now: Sample.now)
            if found == nil {
                #expect(identities.isEmpty && sessions.isEmpty, comment)
                continue
            }
            there.append(user)
            #expect(!identities.isEmpty, comment)
            for session in sessions {
                #expect(identities.contains { $0.id == session.identity }, comment)
            }
        }
        for subject in subjects {
            guard let owner = try await store.user(with: subject) else { continue }
            #expect(try await store.user(owner) != nil, comment)
            #expect(try await store.identities(of: owner).contains { $0.subject == subject }, comment)
        }
        return there
    }
}

extension RepositoryContract {
    static let mergeRaceClauses = [
        RepositoryContract("a merge beside whatever else happens leaves one account or two whole ones") {
            store, other in
            var ended: [MergeRival: Int] = [:]
            for round in 0..<rounds {
                let rival = MergeRival.allCases[round % MergeRival.allCases.count]
                let pair = try await Pair(store, " \(round)")
                let outcomes = await both(
                    { () -> MergedUsers? in
                        // By whose word it is done changes what it meets.
                        if round / MergeRival.allCases.count % 2 == 0 {
                            return try await store.merged(pair.absorbed.user, into: pair.kept.user)
                        }
                        return try await store.merged(pair.kept.session, pair.absorbed.session)
                    },
                    {
                        try await rival.run(on: other, pair, round)
                        return nil
                    })
                let name: Comment = "\(rival), round \(round)"
                let subjects = [
                    pair.subjects.kept, pair.subjects.absorbed, Sample.subject("linked \(round)"),
                    Sample.subject("ported \(round)"),
                ]
                let there = try await pair.expectWhole(subjects, name)
                _ = try outcomes[1].get()
                switch outcomes[0] {
                case .success(let merged):
                    #expect(merged?.kept == pair.kept.user, name)
                    // The second one takes what is left: nobody is there twice.
                    #expect(there == (rival == .erasureOfKept ? [] : [pair.kept.user]), name)
                    ended[rival, default: 0] += 1
                case .failure(let error as Refusal):
                    #expect([.sessionGone, .locked].contains(error), name)
                case .failure(let error as ContractViolation):
                    #expect(error == .notMerged, name)
                case .failure(let error): Issue.record("\(name): \(error)")
                }
                if case .failure = outcomes[0] {
                    let expected: [UserID] =
                        switch rival {
                        case .erasureOfAbsorbed, .mergeAgain: [pair.kept.user]
                        case .erasureOfKept, .mergeTheOtherWay: [pair.absorbed.user]
                        default: [pair.kept.user, pair.absorbed.user]
                        }
                    #expect(there == expected, name)
                }
            }
            // Most come through: else nothing was tried.
            if rounds >= 100 { #expect(ended.values.reduce(0, +) > rounds / 4) }
        }
    ]
}
