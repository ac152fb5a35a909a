public import Accounts

/// What follows from what a provider says of one of its users: sessions end, and with them what it has granted; and it
/// is marked whether mail arrives.
struct IdentityEventRows {
    static let tickets = Query(
        "DELETE FROM tickets WHERE subject = ? AND issuer = ? AND authenticated <= ?")
    private static let email = Query("SELECT email_stopped, email_said FROM identities WHERE id = ?")
    private static let setEmail = Query("UPDATE identities SET email_stopped = ?2, email_said = ?3 WHERE id = ?1")
    private static let resumeEmail = Query(
        "UPDATE identities SET email_stopped = 0, email_said = ?2 WHERE id = ?1 AND email_stopped <> 0")

    let connection: any StoreConnection
    let sealer: StoreSealer
    /// Drawn now; where an event is older, its own time is the line's.
    var line: NotBefore = .none
    let now: Int64

    /// - Returns: whether anything is other than before.
    func take(_ event: IdentityEvent) throws(RepositoryError) -> Bool {
        let known = try IdentityRows(connection: connection).find(event.subject)?.known
        if let openedBy = event.effect.openedBy {
            // A link ticket would become a session, of somebody whom nobody knows yet.
            for subject in [event.subject] + connection.formerIssuers.subjects(event.subject) {
                try connection.run(Self.tickets, subject.value, subject.issuer, openedBy)
            }
            let line = event.effect.line(line)
            let lines = NotBeforeRows(connection: connection, sealer: sealer, now: now)
            if let known { try lines.draw(line, for: known.identity) } else { try lines.draw(line, for: event.subject) }
        }
        guard let known else { return false }
        let hasChanged =
            switch event.effect {
            case .endsSessions(let openedBy, reauthenticate: _): try endSessions(of: known, openedBy: openedBy)
            case .locks(let openedBy, let wholeUser):
                try lock(known, wholeUser: wholeUser, openedBy: openedBy, at: event.time)
            case .unlocks: try unlock(known, at: event.time)
            case .stopsEmail: try setEmail(of: known.identity, isStopped: true, at: event.time)
            case .resumesEmail: try setEmail(of: known.identity, isStopped: false, at: event.time)
            case .none: false
            }
        let audit = AuditTrail(connection: connection, now: now)
        let since = min(event.time, now - IdentityEvent.noteIntervalSeconds)
        let isNoted = try audit.has(event.kind, user: known.user, old: known.identity, since: since)
        if hasChanged || !isNoted {
            try audit.add(event.kind, user: known.user, old: known.identity)
        }
        return hasChanged
    }

    private func endSessions(of known: Migration.Known, openedBy: Int64) throws(RepositoryError) -> Bool {
        guard let provider = try IdentityRows(connection: connection).find(known.identity, of: known.user)?.provider
        else { return false }
        // Not all that ends sessions there ends tokens, too. What was no good any more is told to nobody's harm.
        let hadGrant = try GrantRows(connection: connection, sealer: sealer, now: now)
            .revoke(known.identity, of: known.user, obtainedBy: openedBy)
        let count = try SessionRows(connection: connection).deleteAll(
            of: known.user, identity: known.identity, provider: provider, openedBy: openedBy, now: now)
        return hadGrant || count > 0
    }

    private func lock(
        _ known: Migration.Known, wholeUser: Bool, openedBy: Int64, at time: Int64
    ) throws(RepositoryError) -> Bool {
        let hasEnded = try endSessions(of: known, openedBy: openedBy)
        let locks = LockRows(connection: connection, now: now)
        let identity = wholeUser ? nil : known.identity
        if let last = try locks.find(known.user, identity), last.holds(now: now) || last.since >= time {
            return hasEnded
        }
        try locks.put(
            Lock(cause: .provider, reason: nil, since: time, until: nil), on: known.user, identity,
            recordedBy: sealer)
        if wholeUser {
            _ = try SessionEnd(connection: connection, sealer: sealer, now: now)
                .endAll(of: known.user, except: nil, NotBefore(at: line.at, authenticatedAfter: time))
        }
        return true
    }

    /// The word stays, since an earlier one that comes late must not lock.
    private func unlock(_ known: Migration.Known, at time: Int64) throws(RepositoryError) -> Bool {
        let locks = LockRows(connection: connection, now: now)
        let last = try locks.find(known.user, known.identity)
        if let last, last.since >= time || last.cause != .provider { return false }
        try locks.put(
            Lock(cause: .provider, reason: nil, since: time, until: time), on: known.user, known.identity,
            recordedBy: sealer)
        return last?.holds(now: now) ?? false
    }

    /// The time is kept with the newest word, also where that says nothing new: an older one that comes late must not
    /// count.
    private func setEmail(of identity: IdentityID, isStopped: Bool, at time: Int64) throws(RepositoryError) -> Bool {
        let last = try connection.first(Self.email, identity) { ($0.integer(0) != 0, $0.optionalInteger(1)) }
        guard let last, last.1.map({ $0 < time }) ?? true else { return false }
        try connection.run(Self.setEmail, identity, isStopped ? 1 as Int64 : 0, time)
        return last.0 != isStopped
    }

    /// As it was elsewhere, for an identity that is new here.
    func stopEmail(of identity: IdentityID, at time: Int64) throws(RepositoryError) {
        try connection.run(Self.setEmail, identity, 1 as Int64, time)
    }

    /// The provider gives another address, of which it has not said that mail does not arrive.
    func resumeEmail(of identity: IdentityID) throws(RepositoryError) {
        try connection.run(Self.resumeEmail, identity, now)
    }
}

extension IdentityEvent.Effect {
    /// By when the sessions were opened that end; nil where none do.
    fileprivate var openedBy: Int64? {
        switch self {
        case .endsSessions(let openedBy, reauthenticate: _), .locks(let openedBy, wholeUser: _): openedBy
        case .unlocks, .stopsEmail, .resumesEmail, .none: nil
        }
    }

    /// - Parameter drawn: the line of this moment, beyond which no event reaches.
    fileprivate func line(_ drawn: NotBefore) -> NotBefore {
        guard let openedBy else { return .none }
        let at = min(openedBy * 1000, drawn.at)
        guard case .endsSessions(_, reauthenticate: true) = self else {
            return NotBefore(at: at, authenticatedAfter: nil)
        }
        return NotBefore(at: at, authenticatedAfter: at / 1000)
    }
}

extension SQLStore {
    public func take(
        _ events: [IdentityEvent], line: NotBefore, now: Int64
    ) async throws(RepositoryError) -> Int {
        try await write { [sealer] connection throws(RepositoryError) in
            let rows = IdentityEventRows(connection: connection, sealer: sealer, line: line, now: now)
            var count = 0
            for event in events where try rows.take(event) { count += 1 }
            return count
        }
    }
}
