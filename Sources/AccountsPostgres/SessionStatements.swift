public import Accounts
import AccountsSQL
import Postgres

/// Looking a session up, and the rotation of a refresh token that is current: what apps do most, each without a
/// transaction of several statements.
enum SessionStatements {
    static let find = Postgres.Statement(
        """
        SELECT \(SessionColumn.readNames) FROM sessions
        WHERE id = $1 AND expires > $2 AND \(SessionRows.isNotBarred)
        """)
    static let findAuthenticatedUser = Postgres.Statement(
        """
        SELECT live.*, reference, profile, created, updated
        FROM (SELECT \(SessionColumn.readNames) FROM sessions
            WHERE id = $1 AND expires > $2 AND \(SessionRows.isNotBarred)) AS live (\(SessionColumn.readNamesOfHolder))
        JOIN users ON users.id = holder_user
        """)
    static let rotate = Postgres.Statement(rotation)
    static let rotateAndTell = Postgres.Statement("\(rotation) RETURNING \(PositionStatements.commitColumns)")
    // Of two who rotate one generation one finds it as it was.
    private static let rotation = """
        UPDATE sessions SET generation = generation + 1, rotated = $1, expires = $2,
            \(RefreshTransaction.countsLateGenerations)
        WHERE id = $3 AND generation = $4 AND expires > $1 AND \(SessionRows.isNotBarred)
        """
}

extension PostgresAccounts {
    private static let isKnown = Postgres.Statement("SELECT 1 FROM identities WHERE subject = $1 AND issuer = $2")

    public func isKnown(_ subject: Subject) async throws(RepositoryError) -> Bool {
        for subject in [subject] + settings.formerIssuers.subjects(subject)
        where try await Work(self).any(Self.isKnown, .text(subject.value), .text(subject.issuer)) {
            return true
        }
        return false
    }

    public func session(_ id: SessionID, now: Int64) async throws(RepositoryError) -> Session? {
        guard let row = try await Work(self).first(SessionStatements.find, .session(id), .integer(now)) else {
            return nil
        }
        return try Session(row)
    }

    public func authenticatedUser(of id: SessionID, now: Int64) async throws(RepositoryError) -> AuthenticatedUser? {
        guard let row = try await Work(self).first(SessionStatements.findAuthenticatedUser, .session(id), .integer(now))
        else {
            return nil
        }
        let session = try Session(row)
        let first = SessionColumn.readCount
        let user = User(
            id: session.user, reference: try row.text(first),
            profile: try await profile(try row.bytes(first + 1), of: session.user),
            createdAt: try row.integer(first + 2), updatedAt: try row.integer(first + 3))
        return AuthenticatedUser(session: session, user: user)
    }

    public func refresh(_ record: RefreshRecord) async throws(RepositoryError) -> RefreshOutcome {
        try await admit()
        return try await inTurn(of: .session(record.session)) { () async throws(RepositoryError) in
            if let rotated = try await rotated(record) { return .rotated(rotated) }
            return try await write(.serializable) { connection throws(RepositoryError) in
                try RefreshTransaction(connection: connection, record: record).run()
            }
        }
    }

    /// - Returns: nil where there is more to it than the rotation of a current token, or somebody else was first.
    private func rotated(_ record: RefreshRecord) async throws(RepositoryError) -> Session? {
        guard case .signed = record.presented, var session = try await session(record.session, now: record.now),
            session.generation > 0, record.client == session.app
        else { return nil }
        let chain = RefreshDecision.Chain(session, endsAt: record.absoluteSeconds.map { session.createdAt + $0 })
        let decision = RefreshDecision.decide(
            presented: record.presented, chain: chain, now: record.now, isReusable: record.isReusable,
            repeats: record.repeats)
        guard decision == .rotate else { return nil }
        let expiresAt = chain.expiry(ofSuccessor: record.expiresAt)
        let tellsCommit = fence.tellsCommits
        let command = Command(
            tellsCommit ? SessionStatements.rotateAndTell : SessionStatements.rotate, .integer(record.now),
            .integer(expiresAt), .session(session.id), .integer(session.generation))
        guard try await Work(self).rows(command, tellsCommit: tellsCommit).affected > 0 else { return nil }
        session.generation += 1
        session.rotatedAt = record.now
        session.expiresAt = expiresAt
        return session
    }
}
