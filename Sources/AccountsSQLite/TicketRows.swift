public import Accounts

/// Link tickets: what was verified about somebody who is no user yet, kept until the app has asked the rest.
struct TicketRows {
    struct Ticket {
        let provider: String
        let subject: Subject
        let profile: Profile
        let authentication: Authentication
    }

    private static let insert = Query(
        """
        INSERT INTO tickets (hash, provider, issuer, subject, client, profile, expires, acr, amr, auth_time,
            authenticated)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    // One conditional statement: of two that redeem the same ticket at once only one gets the row.
    private static let take = Query(
        """
        DELETE FROM tickets WHERE hash = ? AND client = ? AND expires > ?
        RETURNING provider, issuer, subject, profile, acr, amr, auth_time, authenticated
        """)

    let connection: Connection
    let sealer: StoreSealer

    func insert(_ ticket: OneTimeUse, _ record: SignInRecord) throws(RepositoryError) {
        let profile = try sealer.sealing(Profile(record.statement), .profile(of: ticket.hash))
        try connection.run(
            Self.insert, ticket.hash, record.provider, record.subject.issuer, record.subject.value,
            record.session.client, profile, ticket.expiresAt, record.session.acr,
            record.session.amr.joined(separator: " "), record.session.authTime, record.session.authenticatedAt)
    }

    /// Takes a live ticket of this client away.
    func take(_ hash: TokenHash, client: String, now: Int64) throws(RepositoryError) -> Ticket? {
        try connection.first(Self.take, hash, client, now) { row throws(RepositoryError) in
            Ticket(
                provider: row.text(0), subject: Subject(issuer: row.text(1), value: row.text(2)),
                profile: try sealer.profile(row.blob(3), .profile(of: hash), connection),
                authentication: Authentication(
                    acr: row.optionalText(4), amr: row.text(5).split(separator: " ").map(String.init),
                    time: row.optionalInteger(6), authenticatedAt: row.integer(7)))
        }
    }
}

extension SQLiteAccounts {
    public func redeemTicket(_ redemption: TicketRedemption) async throws(RepositoryError) -> RedeemedTicket {
        try await writer.write { [sealer] connection throws(RepositoryError) in
            let ticket = try TicketRows(connection: connection, sealer: sealer)
                .take(redemption.ticket, client: redemption.session.client, now: redemption.now)
            guard let ticket else { throw .invalidTicket }
            guard try !IdentityRows(connection: connection).exists(ticket.subject) else { throw .identityInUse }
            var session = redemption.session
            let authentication = ticket.authentication
            (session.acr, session.amr) = (authentication.acr, authentication.amr)
            (session.authTime, session.authenticatedAt) = (authentication.time, authentication.authenticatedAt)
            var profile = ticket.profile
            profile.own = redemption.own
            let signedIn = try RegistrationTransaction(connection: connection, sealer: sealer, now: redemption.now).run(
                ticket.subject, provider: ticket.provider, reference: redemption.reference, profile: profile,
                session: session)
            return RedeemedTicket(signedIn: signedIn, authentication: authentication)
        }
    }
}
