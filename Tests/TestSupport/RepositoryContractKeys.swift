import Accounts
import Patience
import Testing

extension RepositoryContract {
    static let keyClauses = [
        RepositoryContract("a new data key takes the next number, and all stays readable") { store in
            let subject = Sample.subject("1")
            let user = try await store.signedIn(Sample.signIn(subject)).user
            try await store.addSigningKey(SigningKey(kid: "a", purpose: .session, privateKey: [1], createdAt: 1))
            #expect(try await store.rotateDataKey(TransparentSealer.maker) == 2)
            #expect(try await store.keyRing().map(\.number) == [1, 2])
            #expect(try await store.user(user)?.profile.carrier == Sample.jane)
            #expect(try await store.signingKeys().map(\.privateKey) == [[1]])
            _ = try await store.signedIn(Sample.signIn(Sample.subject("2")))
            #expect(try await store.rotateDataKey(TransparentSealer.maker) == 3)
            #expect(try await store.signedIn(Sample.signIn(subject)).profile.carrier == Sample.jane)
        },
        RepositoryContract("there is a secret key of every purpose, and it outlives a new data key") { store in
            let before = try await store.secretKeys(for: .challenge)
            #expect(before.map(\.bytes.count) == [SecretKey.byteCount])
            #expect(Set(before[0].bytes).count > 8, "that is no random key")
            _ = try await store.rotateDataKey(TransparentSealer.maker)
            _ = try await untilNothingIsLeft { try await store.reseal(limit: 100) }
            #expect(try await !store.reloadSecretKeys())
            #expect(try await store.secretKeys(for: .challenge) == before)
        },
        RepositoryContract("a new secret key comes first, and older ones stay for as long as they are needed") {
            store in
            let first = try #require(try await store.secretKeys(for: .challenge).first)
            func rotated(at now: Int64) async throws -> [SecretKey] {
                try await store.rotateSecretKey(for: .challenge, keepingSeconds: 300, now: now)
                return try await store.secretKeys(for: .challenge)
            }
            let one = try await rotated(at: Sample.now + 1000)
            #expect(one.count == 2)
            #expect(one.last == first)
            #expect(one[0].number > first.number)
            #expect(one[0].bytes != first.bytes)
            #expect(try await rotated(at: Sample.now + 1299).count == 3)
            let last = try await rotated(at: Sample.now + 1300)
            #expect(last.count == 3, "the first has been replaced for five minutes")
            #expect(!last.contains(first))
            #expect(last.last == one[0])
        },
        RepositoryContract("a data key that can't be made changes nothing") { store in
            await #expect(throws: RepositoryError.wrongMasterKey) {
                try await store.rotateDataKey { _ throws(SealingError) in throw .notAuthentic }
            }
            // A number that is taken.
            await #expect(throws: RepositoryError.wrongMasterKey) {
                try await store.rotateDataKey { stored throws(SealingError) in
                    guard let first = stored.first else { throw .unknownKey }
                    return first
                }
            }
            #expect(try await store.keyRing().map(\.number) == [1])
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
        },
        RepositoryContract("where there is one data key only, nothing is sealed anew") { store in
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
            #expect(try await store.reseal(limit: 10) == 0)
        },
        RepositoryContract("everything is sealed anew in steps, once, and stays what it was") { store in
            var users: [UserID] = []
            for value in 0..<5 {
                users.append(try await store.signedIn(Sample.signIn(Sample.subject("\(value)"))).user)
            }
            let ticket = Sample.code()
            _ = try await store.signIn(Sample.signIn(Sample.subject("new"), registration: .ticket(ticket)))
            try await store.addSigningKey(SigningKey(kid: "a", purpose: .session, privateKey: [1, 2], createdAt: 1))
            _ = try await store.rotateDataKey(TransparentSealer.maker)
            let steps = try await untilNothingIsLeft { try await store.reseal(limit: 2) }
            #expect(steps == [2, 2, 2, 2, 2, 2, 1, 0])
            for user in users {
                #expect(try await store.user(user)?.profile.carrier == Sample.jane)
                #expect(try await store.user(user)?.updatedAt == Sample.now)
            }
            #expect(try await store.signingKeys().map(\.privateKey) == [[1, 2]])
            let redemption = Sample.redemption(
                ticket: ticket.hash, session: Sample.session(), reference: "abc", now: Sample.now)
            #expect(try await store.redeemed(redemption).signedIn.profile.carrier == Sample.jane)
            #expect(try await store.check().isEmpty)
            // The next key is another walk, and a ticket that was redeemed is still there for a moment.
            _ = try await store.rotateDataKey(TransparentSealer.maker)
            #expect(try await untilNothingIsLeft { try await store.reseal(limit: 100) } == [14, 0])
        },
        RepositoryContract("a walk that is overtaken by another data key starts over") { store in
            for value in 0..<4 { _ = try await store.signedIn(Sample.signIn(Sample.subject("\(value)"))) }
            _ = try await store.rotateDataKey(TransparentSealer.maker)
            #expect(try await store.reseal(limit: 3) == 3)
            _ = try await store.rotateDataKey(TransparentSealer.maker)
            #expect(try await untilNothingIsLeft { try await store.reseal(limit: 100) } == [10, 0])
        },
        RepositoryContract("profiles edited while everything is sealed anew keep their edits") { store in
            var users: [UserID] = []
            for value in 0..<20 {
                users.append(try await store.signedIn(Sample.signIn(Sample.subject("\(value)"))).user)
            }
            let edited = users
            for round in 0..<10 {
                _ = try await store.rotateDataKey(TransparentSealer.maker)
                let outcomes = await both(
                    {
                        for user in edited {
                            _ = try await store.editProfile(
                                of: user, [ProfileEdit("nickname", "\(round)")], now: Sample.now)
                        }
                    },
                    { _ = try await untilNothingIsLeft { try await store.reseal(limit: 3) } })
                for outcome in outcomes { try outcome.get() }
                for user in users { #expect(try await store.user(user)?.profile.own["nickname"] == "\(round)") }
            }
        },
        RepositoryContract("a change of the master key that fails changes nothing") { store in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            let ring = try await store.keyRing()
            let secrets = try await store.secretKeys(for: .challenge)
            func change(
                rewrap: @escaping KeyRingRewrapper = { stored in stored },
                make: @escaping DataKeyMaker = TransparentSealer.maker,
                unlock: @escaping KeyRingUnlocker = TransparentSealer.unlocker()
            ) -> MasterKeyChange {
                MasterKeyChange(
                    rewrap: rewrap, makeDataKey: make, unlock: unlock, replacements: [], now: Sample.now)
            }
            let failing = [
                change(rewrap: { _ throws(SealingError) in throw .notAuthentic }), change(rewrap: { _ in [] }),
                change(make: { _ throws(SealingError) in throw .notAuthentic }),
                // A number that is taken.
                change(make: { stored in KeyRingEntry(number: stored.count == 1 ? 1 : 2, sealedKey: [1], createdAt: 1) }
                ),
                change(unlock: { _ throws(SealingError) in throw .notAuthentic }),
            ]
            for change in failing {
                await #expect(throws: RepositoryError.wrongMasterKey) { try await store.changeMasterKey(change) }
            }
            #expect(try await store.keyRing() == ring)
            #expect(try await store.unfinishedMasterKeyChange() == nil)
            #expect(try await !store.reloadSecretKeys())
            #expect(try await store.secretKeys(for: .challenge) == secrets)
            #expect(try await store.sessions(of: user, now: Sample.now).count == 1)
        },
        RepositoryContract("after a leak all signing keys are others, and nobody is signed in") { store in
            for (kid, purpose) in [("a", SigningKeyEntry.Purpose.session), ("b", .receipt), ("c", .session)] {
                try await store.addSigningKey(
                    SigningKey(kid: kid, purpose: purpose, privateKey: [1], createdAt: 1))
            }
            let sessions = [Sample.session(), Sample.session()]
            var users: [SessionID: UserID] = [:]
            for (index, session) in sessions.enumerated() {
                users[session.id] =
                    try await store.signedIn(Sample.signIn(Sample.subject("\(index)"), session: session)).user
            }
            let refreshKeys = try await store.secretKeys(for: .refresh)
            let keys = SigningKeyEntry.Purpose.allCases.map {
                SigningKey(kid: "new \($0)", purpose: $0, privateKey: [2], createdAt: 2)
            }
            #expect(try await store.replaceLeaked(with: keys, now: Sample.now) == 2)
            #expect(try await Set(store.signingKeys().map(\.kid)) == Set(keys.map(\.kid)))
            #expect(try await store.signingKeyEntries().count { $0.retiredAt == Sample.now } == 3)
            for session in sessions {
                #expect(try await store.session(session.id, now: Sample.now) == nil)
                let user = try #require(users[session.id])
                #expect(try await store.refresh(Sample.refresh(session.id, 1, of: user)) == .refused)
            }
            // With one of those anybody could make a refresh token for the sessions to come.
            let renewed = try await store.secretKeys(for: .refresh)
            #expect(renewed.count == 1 && Set(renewed.map(\.bytes)).isDisjoint(with: refreshKeys.map(\.bytes)))
            #expect(try await store.auditTrail().last == .sessionsRevoked)
            #expect(try await store.check().isEmpty)
        },
    ]
}
