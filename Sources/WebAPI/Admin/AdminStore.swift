internal import Accounts
internal import HTTPServer
internal import SignIn
internal import System

/// What every endpoint for operators works on, and what all of them need of a request.
struct AdminStore: Sendable {
    typealias Repository = OperatorRepository & UserRepository & IdentityRepository & SessionRepository
        & FailedSignInRepository

    private let repository: any Repository
    let clock: Clock

    /// Seconds since 1970.
    var now: Int64 { clock.seconds }

    init(repository: any Repository, clock: Clock) {
        (self.repository, self.clock) = (repository, clock)
    }

    /// Calls the repository and says what its failure means here.
    ///
    /// - Parameter call: gets the repository, and the time in seconds since 1970.
    func ask<Result: Sendable>(
        _ call: (any Repository, Int64) async throws(RepositoryError) -> Result
    ) async throws(ServiceError) -> Result {
        do throws(RepositoryError) {
            return try await call(repository, clock.seconds)
        } catch {
            throw ServiceError(error)
        }
    }

    /// A line in time that is drawn now, for what ends sessions.
    ///
    /// - Parameter reauthenticate: whether users have to authenticate anew at their provider.
    func line(reauthenticate: Bool = false) -> NotBefore {
        NotBefore(drawnAt: clock.milliseconds, reauthenticate: reauthenticate)
    }

    /// Puts into the audit trail what an operator looks at.
    func note(_ kind: AuditEvent.Kind, of user: UserID? = nil, _ fields: [String] = []) async throws(ServiceError) {
        try await ask { repository, now throws(RepositoryError) in
            try await repository.note(kind, of: user, fields, now: now)
        }
    }

    /// Whom a path is about.
    ///
    /// - Throws: `ServiceError.unknownUser` also for what is no number: nobody has it.
    func user(_ request: HTTPRequest) throws(ServiceError) -> UserID {
        guard let number = request.parameters["user_id"].flatMap({ Int64($0) }), number > 0 else { throw .unknownUser }
        return UserID(rawValue: number)
    }
}
