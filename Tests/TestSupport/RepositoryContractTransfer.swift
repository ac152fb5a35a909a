public import Accounts
import Testing

extension RepositoryContract {
    private static let old = Sample.subject("old")
    private static let new = Sample.subject("new")

    /// A user by the old subject, with a note of what the other team will know this user by.
    private static func noted(
        _ store: any AccountRepository, _ hash: TokenHash, session: NewSession = Sample.session()
    ) async throws -> SignedIn {
        let signedIn = try await store.signedIn(Sample.signIn(old, session: session))
        #expect(
            try await store.noteTransfers([SubjectTransfer(subject: old, hash: hash)], of: Sample.transfer) == [.noted])
        return signedIn
    }

    static let transferClauses = [
        RepositoryContract(
            "a transfer moves the user as a port token does: new identity, no other session, trail written"
        ) {
            store in
            let (hash, before, after) = (Sample.hash(), Sample.session(), Sample.session())
            let former = try await noted(store, hash, session: before)
            let moved = try await store.signedIn(
                Sample.signIn(new, transfer: hash, session: after, now: Sample.now + 1))
            #expect(moved.user == former.user && moved.migrated && !moved.isNewUser)
            #expect(moved.profile == former.profile && moved.reference == former.reference)
            #expect(try await !store.isKnown(old))
            #expect(try await store.isKnown(new))
            let identities = try await store.identities(of: former.user)
            #expect(identities.map(\.id) == [moved.identity] && identities.map(\.origin) == [.migration])
            #expect(identities.map(\.linkedAt) == [Sample.now + 1])
            #expect(try await store.session(before.id, now: Sample.now + 1) == nil)
            #expect(try await store.session(after.id, now: Sample.now + 1)?.user == former.user)
            let event = try await store.auditEvents(after: 0, limit: 10).last
            #expect(event?.kind == .identityMigrated && event?.user == former.user)
            #expect(event?.oldIdentity == former.identity && event?.newIdentity == moved.identity)
        },
        RepositoryContract("a transfer moves one subject and no second") { store in
            let hash = Sample.hash()
            let former = try await noted(store, hash)
            _ = try await store.signedIn(Sample.signIn(new, transfer: hash))
            let thief = try await store.signedIn(Sample.signIn(Sample.subject("thief"), transfer: hash))
            #expect(thief.isNewUser && thief.user != former.user)
            #expect(try await store.identities(of: former.user).map(\.subject) == [new])
            // A moved user signs in as ever, whatever their tokens go on to show.
            let again = try await store.signedIn(Sample.signIn(new, transfer: hash))
            #expect(again.user == former.user && !again.migrated && !again.isNewUser)
            #expect(try await store.auditTrail() == [.userCreated, .identityMigrated, .userCreated])
        },
        RepositoryContract("of users who sign in at once by one transfer one is moved") { store in
            let hash = Sample.hash()
            let former = try await noted(store, hash)
            let users = try await withThrowingTaskGroup { group in
                for number in 0..<8 {
                    group.addTask {
                        try await store.signedIn(Sample.signIn(Sample.subject("new \(number)"), transfer: hash)).user
                    }
                }
                return try await group.reduce(into: [UserID]()) { $0.append($1) }
            }
            #expect(users.count { $0 == former.user } == 1 && Set(users).count == 8)
        },
        RepositoryContract("a transfer counts at the issuer and in the section that it was noted for, and nowhere else")
        {
            store in
            let hash = Sample.hash()
            let former = try await noted(store, hash)
            var elsewhere = Sample.signIn(Sample.subject("a"), transfer: hash)
            elsewhere.draft.provider = "other"
            #expect(try await store.signedIn(elsewhere).isNewUser)
            let foreign = Sample.signIn(Sample.subject("b", at: Sample.oldIssuer), transfer: hash)
            #expect(try await store.signedIn(foreign).isNewUser)
            #expect(try await store.signedIn(Sample.signIn(Sample.subject("c"), key: hash)).isNewUser)
            #expect(try await store.signedIn(Sample.signIn(new, transfer: hash)).user == former.user)
        },
        RepositoryContract("a transfer of somebody unknown makes a user, or a ticket, as ever") { store in
            let stranger = try await store.signedIn(Sample.signIn(new, transfer: Sample.hash()))
            #expect(stranger.isNewUser)
            var record = Sample.signIn(Sample.subject("other"), transfer: Sample.hash())
            record.draft.registration = .ticket(Sample.code())
            #expect(try await store.signIn(record) == .unlinked)
        },
        RepositoryContract("where registration is by ticket a transfer signs its user in without one") { store in
            let hash = Sample.hash()
            let former = try await noted(store, hash)
            var record = Sample.signIn(new, transfer: hash)
            record.draft.registration = .ticket(Sample.code())
            let moved = try await store.signedIn(record)
            #expect(moved.user == former.user && moved.migrated)
        },
        RepositoryContract("a subject with a user of its own stays with that user, and is moved after the erasure") {
            store in
            let hash = Sample.hash()
            let own = try await store.signedIn(Sample.signIn(new))
            let former = try await noted(store, hash)
            let again = try await store.signedIn(Sample.signIn(new, transfer: hash))
            #expect(again.user == own.user && !again.migrated)
            #expect(try await store.identities(of: former.user).map(\.subject) == [old])
            #expect(try await store.erase(own.user, now: Sample.now))
            #expect(try await store.signedIn(Sample.signIn(new, transfer: hash)).user == former.user)
        },
        RepositoryContract("a transfer and a port token of two users are a conflict that changes nothing but the trail")
        {
            store in
            let hash = Sample.hash()
            let former = try await noted(store, hash)
            let elsewhere = Sample.subject("elsewhere", at: Sample.oldIssuer)
            let other = try await store.signedIn(Sample.signIn(elsewhere))
            var record = Sample.signIn(new, ported: [Sample.ported(elsewhere)])
            record.draft.personKey = .transfer(hash)
            await #expect(throws: Refusal.migrationConflict) { try await store.signedIn(record) }
            #expect(try await !store.isKnown(new))
            #expect(try await store.identities(of: former.user).map(\.subject) == [old])
            #expect(try await store.identities(of: other.user).map(\.subject) == [elsewhere])
            #expect(try await store.auditTrail() == [.userCreated, .userCreated, .migrationConflict])
            // It is not used up by what came to nothing.
            #expect(try await store.signedIn(Sample.signIn(new, transfer: hash)).user == former.user)
        },
        RepositoryContract("a transfer goes with its identity, erased, unlinked or given to somebody else") { store in
            let hashes = (0..<3).map { _ in Sample.hash() }
            let former = try await noted(store, hashes[0])
            #expect(try await store.erase(former.user, now: Sample.now))
            let session = Sample.session()
            let user = try await store.signedIn(
                Sample.signIn(Sample.subject("x", at: Sample.oldIssuer), session: session)
            ).user
            let identity = try await linked(store, "unlinked", to: session.id, hashes[1])
            _ = try await linked(store, "repointed", to: session.id, hashes[2])
            try await store.unlinked(identity, under: session.id, demands: Sample.demands, now: Sample.now)
            let other = try await store.signedIn(Sample.signIn(Sample.subject("other"))).user
            _ = try await store.repoint(Sample.subject("repointed"), provider: "zenkey", to: other, now: Sample.now)
            for (number, hash) in hashes.enumerated() {
                let stranger = try await store.signedIn(Sample.signIn(Sample.subject("new \(number)"), transfer: hash))
                #expect(stranger.isNewUser && stranger.user != user && stranger.user != other)
            }
        },
        RepositoryContract(
            "what was granted to the old identity is revoked with it, and the next is kept for the new one"
        ) {
            store in
            _ = try await store.signedIn(Sample.keeping(old))
            let hash = Sample.hash()
            _ = try await store.noteTransfers([SubjectTransfer(subject: old, hash: hash)], of: Sample.transfer)
            var record = Sample.keeping(new, Sample.tokens("2"))
            record.draft.personKey = .transfer(hash)
            let moved = try await store.signedIn(record)
            #expect(try await store.outboxContents() == [.revocation(token: "refresh-1", isRefreshToken: true)])
            let grant = try await store.providerGrant(moved.identity, of: moved.user)
            #expect(grant?.tokens == Sample.tokens("2") && grant?.subject == new)
        },
        RepositoryContract("whom a transfer has moved approves and erases nothing for a day") { store in
            let (hash, session) = (Sample.hash(), Sample.session())
            _ = try await noted(store, hash)
            _ = try await store.signedIn(Sample.signIn(new, transfer: hash, session: session))
            var transaction = Sample.transaction(new, session.id)
            transaction.minimumIdentityAgeSeconds = 86_400
            await #expect(throws: Refusal.identityTooNew(waitSeconds: 86_400)) {
                try await store.receipted(transaction)
            }
            await #expect(throws: Refusal.identityTooNew(waitSeconds: 86_400)) {
                try await store.erased(under: session.id, demands: Sample.usualDemands, now: Sample.now)
            }
        },
    ]

    /// One more identity for the user of a session, with a transfer.
    private static func linked(
        _ store: any AccountRepository, _ value: String, to session: SessionID, _ hash: TokenHash
    ) async throws -> IdentityID {
        var record = Sample.link(Sample.subject(value), session)
        record.provider = "zenkey"
        let identity = try await store.linked(record).identity.id
        let entry = SubjectTransfer(subject: Sample.subject(value), hash: hash)
        #expect(try await store.noteTransfers([entry], of: Sample.transfer) == [.noted])
        return identity
    }
}

extension Sample {
    public static let transfer = TeamTransfer(provider: "zenkey", issuer: issuer, team: "NEWTEAM001")

    /// A sign-in whose ID token says who somebody was at the team that the app has left.
    public static func signIn(
        _ subject: Subject, transfer: TokenHash, session: NewSession = session(), now: Int64 = now
    ) -> SignInRecord {
        var record = signIn(subject, session: session, now: now)
        record.draft.personKey = .transfer(transfer)
        return record
    }
}
