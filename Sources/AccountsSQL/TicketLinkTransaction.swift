public import Accounts

/// Another identity for the user of a session, which a link ticket proves.
struct TicketLinkTransaction {
    let connection: any StoreConnection
    let sealer: StoreSealer
    let link: TicketLink

    private var tickets: TicketRows { TicketRows(connection: connection, sealer: sealer) }
    private var identities: IdentityRows { IdentityRows(connection: connection) }
    private var audit: AuditTrail { AuditTrail(connection: connection, now: link.now) }

    func run() throws(RepositoryError) -> LinkOutcome {
        let user: UserID
        switch try SensitiveSession(connection: connection, now: link.now)
            .check(link.session, .link, demands: link.demands)
        {
        case .allowed(let session): user = session.user
        case .refused(let refusal): return .refused(refusal)
        }
        guard let ticket = try tickets.find(link.ticket, client: link.client, now: link.now) else {
            return .refused(.invalidTicket)
        }
        if let found = try identities.find(ticket.subject)?.known {
            // Nobody had it when the ticket was made, so the one who has it got it since.
            try audit.add(.linkConflict, user: user, old: found.identity)
            return .refused(.identityInUse)
        }
        if let refusal = try ticket.refusal(connection, sealer, joining: user, now: link.now) {
            return .refused(refusal)
        }
        let id = try identities.insert(
            ticket.subject, user: user, provider: ticket.provider, origin: .link, now: link.now)
        try NotBeforeRows(connection: connection, sealer: sealer, now: link.now).carry(from: ticket.subject, to: id)
        let answer = KeptAnswer(request: link.request, at: link.now, outcome: .linked(id, isNew: true))
        guard try tickets.take(link.ticket, client: link.client, answer, now: link.now) != nil else {
            throw .unavailable(.corrupt)
        }
        try audit.add(.identityLinked, user: user, new: id)
        try merge(ticket, into: user)
        if let kept = ticket.kept {
            try GrantRows(connection: connection, sealer: sealer, now: link.now).keep(kept.tokens, for: id)
        }
        guard let identity = try identities.find(id, of: user) else { throw .unavailable(.corrupt) }
        return .linked(identity, isNew: true)
    }

    private func merge(_ ticket: TicketRows.Ticket, into user: UserID) throws(RepositoryError) {
        let users = UserRows(connection: connection, sealer: sealer)
        guard let before = try users.find(user)?.profile else { throw .unavailable(.corrupt) }
        var profile = before
        profile.merge(
            ProviderStatement(
                provider: ticket.provider, subject: ticket.subject.value, attributes: ticket.profile.carrier,
                claims: ticket.profile.claims(of: ticket.provider),
                at: ticket.createdAt > 0 ? ticket.createdAt : link.now))
        if profile != before { try users.setProfile(of: user, profile, before: before, now: link.now) }
    }
}

extension SQLStore {
    public func link(_ link: TicketLink) async throws(RepositoryError) -> LinkOutcome {
        try await write(of: .value(link.ticket)) { [sealer] connection throws(RepositoryError) in
            try TicketLinkTransaction(connection: connection, sealer: sealer, link: link).run()
        }
    }
}
