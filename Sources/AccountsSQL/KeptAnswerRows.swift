public import Accounts

/// What is answered once more, to a request that is sent again because its answer was lost. What came of the use of a
/// code stands beside the code; what was answered is made again of what the store has.
struct KeptAnswerRows {
    private static let set = Query(
        "UPDATE used_codes SET answer = ? WHERE hash = ? AND expires = ?",
        postgres: "UPDATE code_uses SET answer = ? WHERE hash = ? AND expires = ?")
    private static let opened = Query(
        """
        SELECT reference FROM users JOIN identities ON identities.user_id = users.id WHERE users.id = ? AND identities.id = ?
        """)

    let connection: any StoreConnection

    /// Keeps another answer than what the use began with.
    func set(_ answer: KeptAnswer, of use: OneTimeUse) throws(RepositoryError) {
        try connection.run(Self.set, answer.encoded, use.hash, use.expiresAt)
    }

    /// A sign-in whose session is as it was opened: nobody has refreshed it, so nobody else has had its tokens for
    /// longer than the app that asks.
    func signIn(
        _ id: SessionID, _ arrival: KeptAnswer.Arrival, _ sealer: StoreSealer, now: Int64
    ) throws(RepositoryError) -> RepeatedSignIn? {
        guard let session = try SessionRows(connection: connection).find(id, now: now),
            session.generation == Session.firstGeneration, session.rotatedAt == nil, let identity = session.identity,
            try !LockRows(connection: connection, now: now).closes(session.user),
            let user = try UserRows(connection: connection, sealer: sealer).find(session.user)
        else { return nil }
        let signedIn = try connection.first(Self.opened, session.user, identity) { row throws(RepositoryError) in
            SignedIn(
                user: session.user, identity: identity, isNewUser: arrival == .new, migrated: arrival == .migrated,
                reference: row.text(0), profile: user.profile)
        }
        guard var signedIn else { return nil }
        signedIn.isMergeOffered = session.isMergeOffered
        try AuditTrail(connection: connection, now: now).add(
            .signInAnswerRepeated, user: session.user, new: identity,
            origin: connection.auditOrigin.about(session.id, session.client))
        return RepeatedSignIn(session: session, signedIn: signedIn)
    }
}

extension SQLStore {
    public func repeatSignIn(
        _ session: SessionID, _ arrival: KeptAnswer.Arrival, now: Int64
    ) async throws(RepositoryError) -> RepeatedSignIn? {
        try await write(of: .session(session)) { [sealer] connection throws(RepositoryError) in
            try KeptAnswerRows(connection: connection).signIn(session, arrival, sealer, now: now)
        }
    }

    public func repeatTicket(_ ticket: TokenHash, now: Int64) async throws(RepositoryError) -> RepeatedTicket? {
        try await read { [sealer] connection throws(RepositoryError) in
            try TicketRows(connection: connection, sealer: sealer).repeated(ticket, now: now)
        }
    }
}
