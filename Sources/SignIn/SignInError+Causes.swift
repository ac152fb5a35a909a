public import Accounts
internal import HTTPClient
internal import OpenIDConnect

extension SignInError {
    /// What a repository's failure means for whoever asked.
    public init(_ error: RepositoryError) {
        self =
            switch error {
            case .codeAlreadyUsed: .invalidGrant(.codeAlreadyUsed)
            case .challengeAlreadyUsed: .invalidChallenge
            case .migrationConflict: .migrationConflict
            case .identityInUse: .identityInUse
            case .invalidTicket: .invalidGrant(.invalidTicket)
            case .sessionGone: .invalidToken
            case .authenticationTooOld(let seconds):
                .insufficientAuthentication(maximumAgeSeconds: seconds, acrValues: nil)
            case .identityTooNew(let seconds): .identityTooNew(retryAfterSeconds: seconds)
            case .unavailable(.overloaded): .overloaded
            case .unavailable(let reason): .storageUnavailable(reason)
            case .wrongMasterKey: .storageUnavailable(.brokenSeal)
            // What keeps a store from being opened does not befall one that is open.
            case .newerSchema, .olderThanLedger, .noStore, .fileExists, .inUse: .storageUnavailable(.cannotOpen)
            }
    }

    init(_ error: UserinfoError) {
        self =
            switch error {
            case .mismatch: .userinfoMismatch
            case .provider(let failure): SignInError(.userinfo, failure)
            }
    }
}

extension ProviderFailure {
    /// Whether the code may have been spent though no tokens came: then it must not be sent again. A clear refusal
    /// leaves nothing to remember, and remembering it would let anybody fill the store with invented codes.
    var mayHaveSpentCode: Bool {
        switch self {
        case .transport(.timedOut(requestSent: let requestSent)),
            .transport(.connectionBroken(requestSent: let requestSent)):
            requestSent
        case .transport(.responseTooLarge), .transport(.malformedResponse), .transport(.cancelled): true
        // A broken server or a redirect says nothing of the code; a client error says that it was not taken.
        case .status(let status): !(400..<500).contains(status)
        case .notJSON, .invalidMember: true
        default: false
        }
    }
}

extension ProviderFailure {
    /// Whether the provider may have seen the code at all.
    var mayHaveSentCode: Bool {
        switch self {
        case .transport(.couldNotConnect), .transport(.couldNotResolve), .transport(.timedOut(requestSent: false)),
            .transport(.connectionBroken(requestSent: false)), .transport(.shutDown), .circuitOpen, .refusedEndpoint:
            false
        default: true
        }
    }
}

extension AccountRepository {
    /// Calls the repository and says what its failure means for a sign-in.
    func stored<Result: Sendable>(
        _ call: (any AccountRepository) async throws(RepositoryError) -> Result
    ) async throws(SignInError) -> Result {
        do throws(RepositoryError) { return try await call(self) } catch { throw SignInError(error) }
    }
}
