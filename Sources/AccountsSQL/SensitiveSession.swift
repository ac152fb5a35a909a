import Accounts

/// The session under which something is done that could take its account over, looked at in the very transaction.
struct SensitiveSession {
    private static let columns = """
        SELECT origin, linked, users.created FROM identities JOIN users ON users.id = user_id
        """
    private static let ofIdentity = Query("\(columns) WHERE identities.id = ? AND user_id = ?")
    private static let ofUser = Query("\(columns) WHERE user_id = ?")

    enum Outcome {
        case allowed(Session)
        case refused(Refusal)
    }

    let connection: any StoreConnection
    let now: Int64

    /// The live session, where it shows what is demanded for an act.
    ///
    /// - Returns: refused with `.sessionGone`, `.authenticationTooOld` or `.identityTooNew`.
    func check(
        _ id: SessionID, _ act: SensitiveAct, demands: SensitiveDemands
    ) throws(RepositoryError) -> Outcome {
        guard let session = try SessionRows(connection: connection).find(id, now: now) else {
            return .refused(.sessionGone)
        }
        let identities = try histories(of: session)
        guard !identities.isEmpty else { return .refused(.sessionGone) }
        let decision = SensitiveDecision.decide(
            act, session.shownAuthentication, identities: identities, demands: demands, now: now)
        return Refusal(decision).map { .refused($0) } ?? .allowed(session)
    }

    /// How one identity of a user came to them; nil when it is not theirs.
    func history(of identity: IdentityID, _ user: UserID) throws(RepositoryError) -> IdentityHistory? {
        try connection.first(Self.ofIdentity, identity, user) { row throws(RepositoryError) in try Self.history(row) }
    }

    private func histories(of session: Session) throws(RepositoryError) -> [IdentityHistory] {
        if let identity = session.identity {
            return try history(of: identity, session.user).map { [$0] } ?? []
        }
        return try connection.all(Self.ofUser, session.user) { row throws(RepositoryError) in try Self.history(row) }
    }

    private static func history(_ row: any Statement) throws(RepositoryError) -> IdentityHistory {
        guard let origin = Identity.Origin(rawValue: row.text(0)) else { throw .unavailable(.corrupt) }
        return IdentityHistory(origin: origin, linkedAt: row.integer(1), userCreatedAt: row.integer(2))
    }
}

extension Refusal {
    /// - Returns: nil when the decision allows.
    init?(_ decision: SensitiveDecision) {
        switch decision {
        case .allow: return nil
        case .authenticateAgain(let seconds): self = .authenticationTooOld(maximumAgeSeconds: seconds)
        case .wait(let seconds): self = .identityTooNew(waitSeconds: seconds)
        }
    }
}
