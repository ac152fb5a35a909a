public import Accounts

/// Another identity for the user of a session.
struct LinkTransaction {
    let connection: any StoreConnection
    let sealer: StoreSealer
    let record: LinkRecord

    private var identities: IdentityRows { IdentityRows(connection: connection) }
    private var audit: AuditTrail { AuditTrail(connection: connection, now: record.now) }

    /// After the code and the challenge were used up.
    func run() throws(RepositoryError) -> LinkOutcome {
        let user: UserID
        switch try SensitiveSession(connection: connection, now: record.now)
            .check(record.session, .link, demands: record.demands)
        {
        case .allowed(let session): user = session.user
        case .refused(let refusal): return .refused(refusal)
        }
        let id: IdentityID
        let current = try identities.find(record.subject)
        if let refusal = try refusal(of: current, joining: user) { return .refused(refusal) }
        let found = current?.known
        if let current, let found {
            guard found.user == user else {
                try audit.add(.linkConflict, user: user, old: found.identity)
                return .refused(.identityInUse)
            }
            id = found.identity
            try identities.touch(id, now: record.now)
            try identities.settle(current, as: record.subject, now: record.now)
        } else {
            id = try identities.insert(
                record.subject, user: user, provider: record.provider, origin: .link, now: record.now)
            try NotBeforeRows(connection: connection, sealer: sealer, now: record.now)
                .carry(from: record.subject, to: id)
            try audit.add(.identityLinked, user: user, new: id)
        }
        try mergeProfile(of: user)
        if let kept = record.kept {
            try GrantRows(connection: connection, sealer: sealer, now: record.now).keep(kept.tokens, for: id)
        }
        guard let identity = try identities.find(id, of: user) else { throw .unavailable(.corrupt) }
        if let use = record.evidence.oneTimeUse,
            let answer = use.answer(.linked(id, isNew: found == nil), at: record.now)
        {
            try KeptAnswerRows(connection: connection).set(answer, of: use)
        }
        return .linked(identity, isNew: found == nil)
    }

    private func refusal(
        of current: IdentityRows.Found?, joining user: UserID
    ) throws(RepositoryError) -> Refusal? {
        let bar = SignInBar(record, connection: connection, sealer: sealer)
        // That it is another user's is told by itself.
        if let current { return current.known.user == user ? try bar.refusal(of: current.bar) : nil }
        return try bar.refusal(unknown: record.subject, joining: user)
    }

    private func mergeProfile(of user: UserID) throws(RepositoryError) {
        let users = UserRows(connection: connection, sealer: sealer)
        guard let before = try users.find(user)?.profile else { throw .unavailable(.corrupt) }
        var profile = before
        profile.merge(record.statement)
        if profile != before { try users.setProfile(of: user, profile, before: before, now: record.now) }
    }
}

extension SQLStore {
    public func link(_ record: LinkRecord) async throws(RepositoryError) -> LinkOutcome {
        try await write(
            of: .subject(record.subject), consuming: record.evidence, record.challenge, answer: nil, now: record.now
        ) {
            [sealer] connection throws(RepositoryError) in
            try LinkTransaction(connection: connection, sealer: sealer, record: record).run()
        }
    }
}
