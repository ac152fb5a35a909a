public import Accounts

/// Link tickets: what was verified about somebody who is no user yet, kept until the app has asked the rest.
struct TicketRows {
    struct Ticket {
        let provider: String
        let subject: Subject
        let profile: Profile
        let authentication: Authentication
        /// In seconds since 1970.
        let authenticatedAt: Int64
        let challengedAt: Int64?
        let source: SessionSource
        let upstreamSession: TokenHash?
        let kept: KeptTokens?
        /// In seconds since 1970; 0 where an earlier version has made it.
        let createdAt: Int64
        /// What the session of an app of ours may do, and whom its tokens are made out to; nil for who posts codes.
        let scope: String?
        let audience: String?
    }

    private static let insert = Query(
        """
        INSERT INTO tickets (hash, provider, issuer, subject, client, profile, expires, acr, amr, auth_time,
            authenticated, upstream_sid, tokens, challenged, source, created, scope, audience)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    private static let isLive = "hash = ? AND client = ? AND expires > ? AND answer IS NULL"
    // One conditional statement: of two that redeem the same ticket at once only one gets the row. It stays as it is
    // for a moment, for the one whose answer is lost.
    private static let take = Query("UPDATE tickets SET answer = ?, expires = ? WHERE \(isLive) RETURNING \(columns)")
    private static let columns = """
        provider, issuer, subject, profile, acr, amr, auth_time, authenticated, upstream_sid, tokens, challenged,
        source, created, scope, audience
        """
    private static let find = Query("SELECT \(columns) FROM tickets WHERE \(isLive)")
    private static let answer = Query(
        "SELECT answer FROM tickets WHERE hash = ? AND client = ? AND expires > ? AND answer IS NOT NULL")

    private static let subject = Query(
        "SELECT issuer, subject FROM tickets WHERE \(isLive)")

    private static let told = Query(
        "SELECT provider, profile FROM tickets WHERE hash = ? AND expires > ? AND answer IS NULL")

    let connection: any StoreConnection
    let sealer: StoreSealer

    /// What the holder of a live ticket was told with it.
    func repeated(_ hash: TokenHash, now: Int64) throws(RepositoryError) -> RepeatedTicket? {
        try connection.first(Self.told, hash, now) { row throws(RepositoryError) in
            RepeatedTicket(
                provider: row.text(0), profile: try sealer.profile(row.blob(1), .profile(of: hash), connection))
        }
    }

    func insert(_ ticket: OneTimeUse, _ record: SignInRecord) throws(RepositoryError) {
        let profile = try sealer.sealing(Profile(record.statement), .profile(of: ticket.hash))
        let kept = try record.kept.map { kept throws(RepositoryError) in
            try sealer.sealing(kept.encoded, .tokens(of: ticket.hash))
        }
        try connection.run(
            Self.insert, ticket.hash, record.provider, record.subject.issuer, record.subject.value,
            record.session.client, profile, ticket.expiresAt, record.session.authentication.acr,
            record.session.authentication.methods, record.session.authentication.time, record.session.authenticatedAt,
            record.session.upstreamSession, kept, record.session.challengedAt,
            record.session.source.rawValue, record.now, record.session.scope, record.session.audience)
    }

    /// Whom a live ticket of this client is about.
    func subject(_ hash: TokenHash, client: String, now: Int64) throws(RepositoryError) -> Subject? {
        try connection.first(Self.subject, hash, client, now) { subject($0.text(0), $0.text(1)) }
    }

    /// It is redeemed under the name that its issuer has by then.
    private func subject(_ issuer: String, _ value: String) -> Subject {
        connection.formerIssuers.current(Subject(issuer: issuer, value: value))
    }

    /// What came of a ticket of this client that was redeemed.
    func answer(_ hash: TokenHash, client: String, now: Int64) throws(RepositoryError) -> KeptAnswer? {
        try connection.first(Self.answer, hash, client, now) { KeptAnswer(encoded: $0.blob(0)) } ?? nil
    }

    /// Takes a live ticket of this client: it is good for nothing else from then on.
    ///
    /// - Parameter answer: what comes of it.
    func take(
        _ hash: TokenHash, client: String, _ answer: KeptAnswer, now: Int64
    ) throws(RepositoryError) -> Ticket? {
        let end = now + KeptAnswer.lifetimeSeconds
        return try connection.first(Self.take, answer.encoded, end, hash, client, now) { row throws(RepositoryError) in
            try ticket(hash, row)
        }
    }

    /// A live ticket of this client, which stays.
    func find(_ hash: TokenHash, client: String, now: Int64) throws(RepositoryError) -> Ticket? {
        try connection.first(Self.find, hash, client, now) { row throws(RepositoryError) in try ticket(hash, row) }
    }

    private func ticket(_ hash: TokenHash, _ row: any Statement) throws(RepositoryError) -> Ticket {
        let authentication = row.authentication(acr: 4, methods: 5, time: 6)
        return Ticket(
            provider: row.text(0), subject: subject(row.text(1), row.text(2)),
            profile: try sealer.profile(row.blob(3), .profile(of: hash), connection),
            authentication: authentication,
            authenticatedAt: authentication.authenticatedAt(stored: row.integer(7)),
            challengedAt: row.optionalInteger(10),
            source: SessionSource(rawValue: row.integer(11)) ?? .signIn,
            upstreamSession: row.isEmpty(8) ? nil : try row.hash(8),
            kept: row.isEmpty(9) ? nil : try sealer.keptTokens(row.blob(9), .tokens(of: hash), connection),
            createdAt: row.integer(12), scope: row.optionalText(13), audience: row.optionalText(14))
    }
}

extension TicketRows.Ticket {
    /// What was drawn or locked since the ticket was made keeps its bearer out. The sign-in that made it was held to
    /// what there was before.
    ///
    /// - Parameter user: whose identity it will be; nil where it makes a new user.
    func refusal(
        _ connection: any StoreConnection, _ sealer: StoreSealer, joining user: UserID? = nil, now: Int64
    ) throws(RepositoryError) -> Refusal? {
        try SignInBar(
            connection: connection, sealer: sealer, beginning: .seen(createdAt * 1000),
            authenticatedAt: authentication.time, provider: provider, app: nil, upstreamSession: upstreamSession,
            now: now
        ).refusal(unknown: subject, joining: user)
    }
}

extension SQLStore {
    public func redeemedTicket(
        _ ticket: TokenHash, client: String, now: Int64
    ) async throws(RepositoryError) -> KeptAnswer? {
        try await read { [sealer] connection throws(RepositoryError) in
            try TicketRows(connection: connection, sealer: sealer).answer(ticket, client: client, now: now)
        }
    }

    public func redeemTicket(_ redemption: TicketRedemption) async throws(RepositoryError) -> RedemptionOutcome {
        try await write(of: .value(redemption.ticket)) { [sealer] connection throws(RepositoryError) in
            let tickets = TicketRows(connection: connection, sealer: sealer)
            // What is refused changes nothing, so the ticket is taken last.
            guard
                let subject = try tickets.subject(
                    redemption.ticket, client: redemption.session.client, now: redemption.now)
            else { return .refused(.invalidTicket) }
            guard try !IdentityRows(connection: connection).exists(subject) else { return .refused(.identityInUse) }
            let answer = KeptAnswer(
                request: redemption.request, at: redemption.now, outcome: .session(redemption.session.id, .new))
            guard
                let ticket = try tickets.take(
                    redemption.ticket, client: redemption.session.client, answer, now: redemption.now)
            else { return .refused(.invalidTicket) }
            if let refusal = try ticket.refusal(connection, sealer, now: redemption.now) { return .refused(refusal) }
            var session = redemption.session
            session.authentication = ticket.authentication
            session.authenticatedAt = ticket.authenticatedAt
            session.challengedAt = ticket.challengedAt
            session.source = ticket.source
            session.upstreamSession = ticket.upstreamSession
            session.scope = ticket.scope
            session.audience = ticket.audience
            var profile = ticket.profile
            profile.own = redemption.own
            let signedIn = try RegistrationTransaction(connection: connection, sealer: sealer, now: redemption.now).run(
                ticket.subject, provider: ticket.provider, reference: redemption.reference, profile: profile,
                session: session)
            if let kept = ticket.kept {
                try GrantRows(connection: connection, sealer: sealer, now: redemption.now)
                    .keep(kept, for: signedIn.identity, session.id)
            }
            return .redeemed(RedeemedTicket(signedIn: signedIn, session: session))
        }
    }
}
