public import Accounts

/// A sign-in from the verified identity to the open session, in the order it happens.
package struct SignInTransaction {
    let connection: any StoreConnection
    let sealer: StoreSealer
    let record: SignInRecord

    package init(connection: any StoreConnection, sealer: StoreSealer, record: SignInRecord) {
        (self.connection, self.sealer, self.record) = (connection, sealer, record)
    }

    private var portTokens: PortTokenRows { PortTokenRows(connection: connection, now: record.now) }
    private var identities: IdentityRows { IdentityRows(connection: connection) }
    private var users: UserRows { UserRows(connection: connection, sealer: sealer) }
    private var sessions: SessionRows { SessionRows(connection: connection) }
    private var audit: AuditTrail { AuditTrail(connection: connection, now: record.now) }
    private var lines: NotBeforeRows { NotBeforeRows(connection: connection, sealer: sealer, now: record.now) }
    private var pushes: PushRows { PushRows(connection: connection) }
    private var source: SessionSource { record.session.source }
    /// Where what it opens comes from; and the same where it opens nothing.
    private var opening: AuditOrigin { connection.auditOrigin.opening(record.session) }
    private var refused: AuditOrigin { connection.auditOrigin.about(nil, record.session.client) }
    private var crossClientKeys: CrossClientKeyRows {
        CrossClientKeyRows(connection: connection, issuer: record.subject.issuer)
    }

    /// After the code and the challenge were used up.
    package func run() throws(RepositoryError) -> SignInOutcome {
        let outcome = try decided()
        // What is kept with the use of the code is a known user's, as nearly everybody is.
        if case .signedIn(let signedIn) = outcome, signedIn.isNewUser || signedIn.migrated,
            let use = record.evidence.oneTimeUse, let answer = record.answer(to: signedIn.migrated ? .migrated : .new)
        {
            try KeptAnswerRows(connection: connection).set(answer, of: use)
        }
        if case .signedIn = outcome, let approval = record.approval {
            _ = try ReceiptRows(connection: connection).store(TransactionRecord(approval, record))
        }
        return outcome
    }

    private func decided() throws(RepositoryError) -> SignInOutcome {
        if let push = record.push, try !pushes.isPending(push.notification, now: record.now) {
            return .refused(.pushOver)
        }
        let current = try find(record.subject)
        if let refusal = try refusal(of: current) { return .refused(refusal) }
        if demand?.isSilent == true, lacksConsent(agreed: current?.agreed) { return .refused(.consentRequired) }
        // Nearly everybody is known and brings nothing that there could be a decision about.
        if let current, record.ported.isEmpty { return .signedIn(try signIn(current)) }
        var ported: [Migration.Ported] = []
        var old: [IdentityRows.Found] = []
        for token in record.ported {
            let found = try find(token.subject)
            if let found { old.append(found) }
            ported.append(
                Migration.Ported(
                    subject: token.subject, isUsed: try portTokens.isUsed(token.token.hash), known: found?.known))
        }
        if current == nil, let former = try transferred() {
            old.append(former.found)
            ported.append(former.ported)
        }
        switch Migration.decide(subject: record.subject, current: current?.known, ported: ported) {
        case .signIn(let known):
            guard let current, current.known == known else { throw .unavailable(.corrupt) }
            return .signedIn(try signIn(current))
        case .offer(let known, let other):
            guard let current, current.known == known else { throw .unavailable(.corrupt) }
            let signedIn = try signIn(current, offeringMerge: true)
            try audit.add(
                .mergeOffered, user: known.user, old: other.identity, new: known.identity, origin: opening)
            return .signedIn(signedIn)
        case .migrate(let known):
            guard let found = old.first(where: { $0.known == known }) else { throw .unavailable(.corrupt) }
            // A lock is carried along: a port takes nobody out of it.
            if let refusal = try bar.refusal(of: found.bar) { return .refused(refusal) }
            return try noting(ported, .signedIn(try migrate(found)))
        case .create:
            if let joined = try join() { return try noting(ported, joined) }
            return try noting(ported, try register())
        case .conflict:
            let user = old.first?.known.user
            try noteRefused(ported, user)
            try audit.add(.migrationConflict, user: user, old: old.first?.known.identity, origin: refused)
            return .refused(.migrationConflict)
        }
    }

    private var demand: ConsentDemand? { record.appCode?.consent }

    /// An identity, with what its user has agreed to where that matters.
    private func find(_ subject: Subject) throws(RepositoryError) -> IdentityRows.Found? {
        try identities.find(subject, opening: source, for: demand == nil ? nil : record.session.client)
    }

    private func lacksConsent(agreed: String?) -> Bool {
        demand?.isLacking(record.session.scope, agreed: agreed) ?? false
    }

    /// The session that is opened: where its user has yet to agree, it waits for that.
    private func session(_ lacksConsent: Bool, offeringMerge: Bool = false) -> NewSession {
        var session = record.session
        session.isMergeOffered = offeringMerge
        if lacksConsent, let demand { session.expiresAt = demand.waitsUntil }
        return session
    }

    /// Keeps what the user has agreed to on the way here, where that is more than is kept: else nothing is written.
    private func noteConsent(of user: UserID, agreed: String?) throws(RepositoryError) {
        guard demand?.rule == .given, let scope = record.session.scope,
            agreed == nil || Consent.joined(agreed ?? "", scope) != agreed
        else { return }
        try ConsentRows(connection: connection, now: record.now)
            .add(scope, of: user, to: record.session.client, agreed: agreed, for: record.session.id)
    }

    private var bar: SignInBar { SignInBar(record, connection: connection, sealer: sealer) }

    private func refusal(of current: IdentityRows.Found?) throws(RepositoryError) -> Refusal? {
        if let current { return try bar.refusal(of: current.bar) }
        return try bar.refusal(unknown: record.subject)
    }

    /// Who somebody was whose subject is new because the app has moved to another team. A known subject is not asked
    /// for: it signs in as it always has, as one with port tokens does.
    private func transferred() throws(RepositoryError) -> (found: IdentityRows.Found, ported: Migration.Ported)? {
        guard case .transfer(let hash) = record.personKey,
            let subject = try TransferSubjectRows(connection: connection)
                .subject(of: hash, at: record.provider, record.subject.issuer),
            let found = try find(subject)
        else { return nil }
        // What was used is gone with the identity that it has moved.
        return (found, Migration.Ported(subject: subject, isUsed: false, known: found.known))
    }

    /// Writes down the port tokens that proved nothing, and how many of those were used before.
    private func noting(
        _ ported: [Migration.Ported], _ outcome: SignInOutcome
    ) throws(RepositoryError) -> SignInOutcome {
        guard case .signedIn(var signedIn) = outcome else {
            try noteRefused(ported, nil)
            return outcome
        }
        try noteRefused(ported, signedIn.user)
        signedIn.usedPortTokens = ported.count { $0.isUsed }
        return .signedIn(signedIn)
    }

    private func noteRefused(_ ported: [Migration.Ported], _ user: UserID?) throws(RepositoryError) {
        for _ in 0..<(record.refusedPortTokens + ported.count { $0.isUsed }) {
            try audit.add(.portTokenRefused, user: user, origin: refused)
        }
    }

    private func signIn(
        _ found: IdentityRows.Found, offeringMerge: Bool = false
    ) throws(RepositoryError) -> SignedIn {
        try identities.touch(found.known.identity, opening: source, now: record.now)
        try identities.settle(found, as: record.subject, origin: opening, now: record.now)
        if let key = record.crossClientKey { try crossClientKeys.note(key, of: found.known.identity) }
        if let limits = record.sessionLimits, found.room < 1 || found.roomOf != limits.number {
            try SessionRoom(connection: connection, source: source, limits: limits)
                .make(for: found.known.user, found.known.identity, opening: record.session.app)
        }
        return try open(
            found, identity: found.known.identity, migrated: false, left: nil, offeringMerge: offeringMerge)
    }

    private func migrate(_ found: IdentityRows.Found) throws(RepositoryError) -> SignedIn {
        let former = try identities.find(found.known.identity, of: found.known.user)?.provider
        try GrantRows(connection: connection, sealer: sealer, now: record.now)
            .revoke(found.known.identity, of: found.known.user)
        // A row of its own for the new identity: the audit trail tells old from new by their numbers.
        try identities.delete(found.known.identity)
        let identity = try identities.insert(
            record.subject, user: found.known.user, provider: record.provider, origin: .migration, now: record.now)
        try lines.carry(from: record.subject, to: identity)
        for token in record.ported { try portTokens.insert(token.token) }
        // The holder of a session from the old carrier's days may be the number's next owner.
        try sessions.deleteAll(of: found.known.user)
        if let limits = record.sessionLimits {
            try SessionRoom(connection: connection, source: source, limits: limits)
                .make(for: found.known.user, identity, opening: record.session.app)
        }
        try audit.add(
            .identityMigrated, user: found.known.user, old: found.known.identity, new: identity, origin: opening)
        try LedgerRows(connection: connection, sealer: sealer, now: record.now)
            .add(.identityMoved(found.known.identity, from: found.known.user))
        let left = try former.flatMap { former throws(RepositoryError) in
            try identities.isAny(of: found.known.user, at: former) ? nil : former
        }
        return try open(found, identity: identity, migrated: true, left: left)
    }

    /// Signs in somebody whose subject is new as the user whose cross-client key it comes with, or whose account in the
    /// provider's directory. The identity is as new as this sign-in: what takes an identity of some age, takes another
    /// one.
    ///
    /// - Returns: nil where the key is nobody's, or does not tell whose it is.
    private func join() throws(RepositoryError) -> SignInOutcome? {
        guard let key = record.personKey else { return nil }
        guard case .crossClient(let hash) = key else { return try joinAccount(key) }
        guard case .user(let user) = try crossClientKeys.owner(of: hash) else { return nil }
        if let refusal = try bar.refusal(unknown: record.subject, joining: user) { return .refused(refusal) }
        let signedIn = try join(user, origin: .link, .identityLinked)
        try crossClientKeys.note(hash, of: signedIn.identity)
        return .signedIn(signedIn)
    }

    private func joinAccount(_ key: PersonKey) throws(RepositoryError) -> SignInOutcome? {
        let join = DirectoryJoin(connection: connection, sealer: sealer, record: record)
        switch try join.decide(key) {
        case .nobody: return nil
        case .conflict(let user):
            try audit.add(.migrationConflict, user: user, origin: refused)
            return .refused(.migrationConflict)
        case .account(let account, let isFirstIdentity):
            if let refusal = try bar.refusal(unknown: record.subject, joining: account.user) {
                return .refused(refusal)
            }
            var signedIn = try self.join(account.user, origin: isFirstIdentity ? .signIn : .link, .directoryJoined)
            signedIn.isNewUser = isFirstIdentity
            try join.note(account)
            return .signedIn(signedIn)
        }
    }

    /// Signs in somebody whose subject is new as a user who is there.
    private func join(
        _ user: UserID, origin: Identity.Origin, _ event: AuditEvent.Kind
    ) throws(RepositoryError) -> SignedIn {
        let identity = try identities.insert(
            record.subject, user: user, provider: record.provider, origin: origin, now: record.now)
        try lines.carry(from: record.subject, to: identity)
        if let limits = record.sessionLimits {
            try SessionRoom(connection: connection, source: source, limits: limits)
                .make(for: user, identity, opening: record.session.app)
        }
        try audit.add(event, user: user, new: identity, origin: opening)
        guard let found = try find(record.subject) else { throw .unavailable(.corrupt) }
        return try open(found, identity: identity, migrated: false, left: nil)
    }

    /// Writes down the key of an identity that has just been made, and that it did not tell whose it is.
    private func noteKey(of signedIn: SignedIn?) throws(RepositoryError) {
        guard let key = record.crossClientKey else { return }
        if case .several = try crossClientKeys.owner(of: key) {
            try audit.add(
                .crossClientKeyAmbiguous, user: signedIn?.user, new: signedIn?.identity,
                origin: signedIn == nil ? refused : opening)
        }
        if let signedIn { try crossClientKeys.note(key, of: signedIn.identity) }
    }

    /// - Parameter left: the provider at which the user has no identity any more.
    private func open(
        _ found: IdentityRows.Found, identity: IdentityID, migrated: Bool, left: String?, offeringMerge: Bool = false
    ) throws(RepositoryError) -> SignedIn {
        let user = found.known.user
        let merge = ProfileMerge(connection: connection, sealer: sealer, record: record)
        let profile = try merge.run(found.sealedProfile, of: user, identity: identity, left: left)
        let lacksConsent = lacksConsent(agreed: found.agreed)
        try sessions.insert(
            session(lacksConsent, offeringMerge: offeringMerge), user: user, identity: identity,
            provider: record.provider, now: record.now)
        try deliver(lacksConsent)
        try noteConsent(of: user, agreed: found.agreed)
        if let kept = record.kept { try keep(kept, for: identity, record.session.id) }
        var signedIn = SignedIn(
            user: user, identity: identity, isNewUser: false, migrated: migrated, reference: found.reference,
            profile: profile)
        signedIn.lacksConsent = lacksConsent
        signedIn.isMergeOffered = offeringMerge
        return signedIn
    }

    private func register() throws(RepositoryError) -> SignInOutcome {
        switch record.registration {
        case .automatic(let reference):
            let registration = RegistrationTransaction(connection: connection, sealer: sealer, now: record.now)
            let lacksConsent = lacksConsent(agreed: nil)
            try deliver(lacksConsent)
            var signedIn = try registration.run(
                record.subject, provider: record.provider, reference: reference(),
                profile: Profile(record.statement, own: record.own?.attributes ?? Attributes()),
                session: session(lacksConsent))
            signedIn.lacksConsent = lacksConsent
            try noteConsent(of: signedIn.user, agreed: nil)
            try noteKey(of: signedIn)
            if let kept = record.kept { try keep(kept, for: signedIn.identity, record.session.id) }
            return .signedIn(signedIn)
        case .ticket(let ticket):
            try TicketRows(connection: connection, sealer: sealer).insert(ticket, record)
            try noteKey(of: nil)
            if let use = record.evidence.oneTimeUse, let answer = use.answer(.ticket(ticket.hash), at: record.now) {
                try KeptAnswerRows(connection: connection).set(answer, of: use)
            }
            if let push = record.push { try pushes.deliver(push, session: nil) }
            return .unlinked
        }
    }

    private func keep(
        _ kept: KeptTokens, for identity: IdentityID, _ session: SessionID
    ) throws(RepositoryError) {
        try GrantRows(connection: connection, sealer: sealer, now: record.now).keep(kept, for: identity, session)
    }

    /// Leaves the session for the app that it waits for.
    private func deliver(_ lacksConsent: Bool) throws(RepositoryError) {
        if var code = record.appCode {
            if lacksConsent, let demand { code.expiresAt = demand.waitsUntil }
            try AppCodeRows(connection: connection).insert(code, of: record.session)
        }
        if let push = record.push { try pushes.deliver(push, session: record.session.id) }
    }
}

extension TransactionRecord {
    /// An approval by the user of the session that a sign-in opens.
    fileprivate init(_ approval: SignInApproval, _ record: SignInRecord) {
        self.init(
            evidence: record.evidence, challenge: nil, session: record.session.id, subject: record.subject,
            minimumIdentityAgeSeconds: approval.minimumIdentityAgeSeconds, receipt: approval.receipt,
            contextHash: approval.contextHash, nonce: approval.nonce, authentication: record.session.authentication,
            provider: record.provider, client: record.session.client, now: record.now)
    }
}

/// What a provider says of a user, merged into what is known.
package struct ProfileMerge {
    let connection: any StoreConnection
    let sealer: StoreSealer
    let record: SignInRecord

    package init(connection: any StoreConnection, sealer: StoreSealer, record: SignInRecord) {
        (self.connection, self.sealer, self.record) = (connection, sealer, record)
    }

    private var users: UserRows { UserRows(connection: connection, sealer: sealer) }

    /// - Parameter left: the provider at which the user has no identity any more.
    func run(
        _ sealed: [UInt8], of user: UserID, identity: IdentityID, left: String?
    ) throws(RepositoryError) -> Profile {
        var profile = try sealer.profile(sealed, .profile(of: user), connection)
        if let left { profile.forget(provider: left) }
        guard profile.merge(record.statement) || left != nil else { return profile }
        // Opened again rather than kept: few sign-ins change anything.
        let before = try sealer.profile(sealed, .profile(of: user), connection)
        try users.setProfile(of: user, profile, before: before, now: record.now)
        if profile.hasOtherEmail(than: before, by: record.provider) {
            try IdentityEventRows(connection: connection, sealer: sealer, now: record.now).resumeEmail(of: identity)
        }
        return profile
    }

    /// The same for a user whose profile is to be read first.
    ///
    /// - Returns: nil where there is no such user any more.
    package func run(of user: UserID, identity: IdentityID) throws(RepositoryError) -> Profile? {
        guard let sealed = try users.sealedProfile(of: user) else { return nil }
        return try run(sealed, of: user, identity: identity, left: nil)
    }
}

extension SQLStore {
    public func signIn(_ record: SignInRecord) async throws(RepositoryError) -> SignInOutcome {
        try await write(
            of: .subject(record.subject), consuming: record.evidence, record.challenge,
            answer: record.answer(to: .known), now: record.now
        ) {
            [sealer] connection throws(RepositoryError) in
            try SignInTransaction(connection: connection, sealer: sealer, record: record).run()
        }
    }
}

/// A new user with the first identity and session.
struct RegistrationTransaction {
    let connection: any StoreConnection
    let sealer: StoreSealer
    let now: Int64

    func run(
        _ subject: Subject, provider: String, reference: String, profile: Profile, session: NewSession
    ) throws(RepositoryError) -> SignedIn {
        let user = try UserRows(connection: connection, sealer: sealer)
            .insert(reference: reference, profile: profile, now: now)
        let identity = try IdentityRows(connection: connection)
            .insert(subject, user: user, provider: provider, origin: .signIn, now: now)
        try NotBeforeRows(connection: connection, sealer: sealer, now: now).carry(from: subject, to: identity)
        try SessionRows(connection: connection)
            .insert(session, user: user, identity: identity, provider: provider, now: now)
        try AuditTrail(connection: connection, now: now).add(
            .userCreated(user, by: identity, connection.auditOrigin, opening: session, at: now))
        return SignedIn(
            user: user, identity: identity, isNewUser: true, migrated: false, reference: reference, profile: profile)
    }
}
