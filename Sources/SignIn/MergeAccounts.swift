public import Accounts
internal import Apps
internal import System

/// Two accounts of one person that become one, by that person's word: as both users, each of whom has just proven who
/// they are, by an identity that is not new. That two accounts have a number or an address in common proves nothing.
public struct MergeAccounts: Sendable {
    private let repository: any IdentityRepository
    private let sessions: Sessions
    private let sensitive: SensitiveActions
    private let clock: Clock

    init(repository: any IdentityRepository, sessions: Sessions, sensitive: SensitiveActions, clock: Clock) {
        (self.repository, self.sessions, self.sensitive, self.clock) = (repository, sessions, sensitive, clock)
    }

    /// Makes another account part of the one whose session asks, which stays.
    ///
    /// - Parameters:
    ///   - token: an access token of the other account, of the same client, which may do what this takes.
    ///   - principal: of the account that stays.
    /// - Throws: `ServiceError.invalidParameter` for a token that shows too little, `.invalidRequest` for one of the
    ///   same account, `.insufficientAuthentication`, `.identityTooNew`, `.locked`, `.mergeConflict`.
    public func merge(_ token: String, into principal: Principal) async throws(ServiceError) -> MergedUsers {
        let (session, other) = (principal.session, try await other(token, beside: principal))
        let now = clock.seconds
        try sensitive.check(session, for: .merge, now: now)
        let (own, others) = (sensitive.demands(on: session), sensitive.demands(on: other))
        if let seconds = others.missingAuthentication(for: .merge, other.shownAuthentication, now: now) {
            throw .invalidParameter(
                ParameterError("token", "is of a user who has not authenticated within the last \(seconds) seconds"))
        }
        let record = MergeRecord(
            .users(
                kept: MergeRecord.Proof(session: session.id, demands: own),
                absorbed: MergeRecord.Proof(session: other.id, demands: others)),
            line: clock.line, now: now)
        let outcome = try await stored { () throws(RepositoryError) in try await repository.merge(record) }
        if case .refused(let refusal) = outcome { throw sensitive.error(refusal, under: session) }
        return try outcome.users()
    }

    /// The session of the other account. Another client's token is refused: an app that has got hold of one must not
    /// make the account of another app's user part of its own user's.
    private func other(_ token: String, beside principal: Principal) async throws(ServiceError) -> Session {
        let fault = ServiceError.invalidParameter(
            ParameterError("token", "is no access token of this client's with the permission account.identities"))
        let other: Principal
        do throws(ServiceError) { other = try await sessions.principal(of: token) } catch {
            if case .invalidToken = error { throw fault }
            throw error
        }
        guard other.app?.clientID == principal.app?.clientID, other.permissions.contains(.accountIdentities) else {
            throw fault
        }
        return other.session
    }
}
