public import Accounts

/// What ends sessions, with a line in time that is drawn at the very beginning of the second: what the samples begin in
/// it lies behind.
extension AccountRepository {
    public func revokeSessions(of user: UserID, except: SessionID?, now: Int64) async throws(RepositoryError) -> Int {
        try await revokeSessions(of: user, except: except, line: .sample(now), now: now)
    }

    public func endSessions(
        under session: SessionID, demands: SensitiveDemands, now: Int64
    ) async throws(RepositoryError) -> SignOutOutcome {
        try await endSessions(under: session, demands: demands, line: .sample(now), now: now)
    }

    /// By a logout token that has never come before.
    public func endSessions(_ logout: ProviderLogout, now: Int64) async throws(RepositoryError) -> Int {
        let record = LogoutRecord(
            logout: logout, token: OneTimeUse(hash: Sample.hash(), expiresAt: now + 600), openedBy: now + 60,
            line: .sample(now), now: now)
        return try await endSessions(record) ?? -1
    }

    public func take(_ events: [IdentityEvent], now: Int64) async throws(RepositoryError) -> Int {
        try await take(events, line: .sample(now), now: now)
    }

    public func unlink(
        _ identity: IdentityID, under session: SessionID, demands: SensitiveDemands, now: Int64
    ) async throws(RepositoryError) -> UnlinkOutcome {
        try await unlink(identity, under: session, demands: demands, line: .sample(now), now: now)
    }

    public func repoint(
        _ subject: Subject, provider: String, to user: UserID, now: Int64
    ) async throws(RepositoryError) -> RepointOutcome {
        try await repoint(subject, provider: provider, to: user, line: .sample(now), now: now)
    }

    public func erase(_ user: UserID, now: Int64) async throws(RepositoryError) -> Bool {
        try await erase(user, line: .sample(now), now: now)
    }

    public func erase(
        under session: SessionID, demands: SensitiveDemands, now: Int64
    ) async throws(RepositoryError) -> ErasureOutcome {
        try await erase(under: session, demands: demands, line: .sample(now), now: now)
    }
}

extension NotBefore {
    fileprivate static func sample(_ now: Int64) -> NotBefore { NotBefore(drawnAt: now * 1000) }
}
