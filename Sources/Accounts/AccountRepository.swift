/// Where users, identities and sessions are kept.
///
/// Each call is one transaction, and the caller never holds one. When a call that changes something has returned, the
/// change is on disk; when it has thrown, nothing has changed but what the error says. Calls may run at once from any
/// number of tasks. All times are seconds since 1970 and come from the caller.
public protocol AccountRepository: SignInRepository, ChallengeRepository, UserRepository, IdentityRepository,
    SessionRepository, ReceiptRepository, KeyRepository, MasterKeyRepository, OperatorRepository,
    FailedSignInRepository,
    MaintenanceRepository
{}
