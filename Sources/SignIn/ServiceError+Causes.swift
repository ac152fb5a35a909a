public import Accounts
internal import HTTPClient
package import Providers

extension ServiceError {
    /// Sorts a failed call into what the app can be told.
    private init(_ problem: ProviderProblem) {
        switch problem.failure {
        case .transport(.timedOut(requestSent: _)): self = .providerTimeout
        case .transport(.cancelled): self = .providerTimeout
        case .transport(.shutDown): self = .overloaded
        case .transport(.couldNotConnect), .transport(.couldNotResolve),
            .transport(.connectionBroken(requestSent: false)):
            self = .providerUnavailable
        case .circuitOpen(let seconds): self = .providerCircuitOpen(retryAfterSeconds: seconds)
        case .busy(let seconds): self = .providerBusy(retryAfterSeconds: seconds)
        case .tooManyLookups, .noClientKey: self = .overloaded
        case .noCarrier(let discoveryUI): self = .providerNotFound(discoveryUI: discoveryUI)
        case .status(429): self = .providerUnavailable
        case .refused(.invalidGrant): self = .invalidGrant(.refusedByProvider)
        // Whatever it is called, it is about this code. Discovery and userinfo take none.
        case .refused(.unknown) where problem.step == .token: self = .invalidGrant(.refusedByProvider)
        case .refused(.verifierMissing):
            self = .invalidParameter(ParameterError("code_verifier", "is missing, and the provider demands it"))
        case .refused(.loginHintRefused):
            self = .invalidParameter(
                ParameterError("login_hint", "of the authorization request was refused by the provider"))
        case .refused(.accessDenied): self = .accessDenied
        case .refused(.interactionRequired): self = .authorizationRefused(.interactionRequired)
        case .refused(.authenticationTimedOut): self = .authenticationTimedOut
        case .refused(.userNotFound): self = .providerNotFound(discoveryUI: nil)
        case .refused(.temporarilyUnavailable): self = .providerUnavailable
        default: self = .providerError(problem)
        }
    }

    /// What the failure of a call to a provider means.
    package init(_ error: ProviderError) {
        switch error {
        case .call(let problem): self.init(problem)
        case .idToken(let fault): self = .invalidIDToken(fault)
        case .userinfoMismatch: self = .userinfoMismatch
        case .logoutToken(let fault): self = .invalidLogoutToken(fault)
        case .event(let fault): self = .invalidEvent(fault)
        case .accessToken(let fault): self = .invalidSubjectToken(fault)
        }
    }

    /// What a repository's failure means for the caller.
    public init(_ error: RepositoryError) {
        self =
            switch error {
            case .unavailable(.overloaded): .overloaded
            case .unavailable(let reason): .storageUnavailable(reason)
            case .wrongMasterKey: .storageUnavailable(.brokenSeal)
            case .unstorableText: .invalidRequest("A text of the request has a NUL, which nothing can hold.")
            case .notOpened: .storageUnavailable(.cannotOpen)
            }
    }

    /// What a repository's refusal means for the caller.
    init(_ refusal: Refusal) {
        self =
            switch refusal {
            case .codeAlreadyUsed: .invalidGrant(.codeAlreadyUsed)
            case .challengeAlreadyUsed: .invalidChallenge
            case .migrationConflict: .migrationConflict
            case .identityInUse: .identityInUse
            case .locked: .locked
            case .consentRequired: .authorizationRefused(.consentRequired)
            case .invalidTicket: .invalidGrant(.invalidTicket)
            case .pushOver: .pushEnded(.cancelled)
            case .sessionGone: .invalidToken
            case .authenticationTooOld(let seconds):
                .insufficientAuthentication(maximumAgeSeconds: seconds, acrValues: nil)
            case .identityTooNew(let seconds): .identityTooNew(retryAfterSeconds: seconds)
            }
    }
}

extension MergeOutcome {
    /// - Throws: what it means for the caller that there are still two.
    package func users() throws(ServiceError) -> MergedUsers {
        switch self {
        case .merged(let users): return users
        case .sameUser: throw .invalidRequest("Both are one account already.")
        case .noSuchUser: throw .unknownUser
        case .bothInDirectory: throw .mergeConflict
        case .refused(let refusal): throw ServiceError(refusal)
        }
    }
}

/// Calls a repository and says what its failure means for the caller.
package func stored<Value: Sendable>(
    _ call: () async throws(RepositoryError) -> Value
) async throws(ServiceError) -> Value {
    do throws(RepositoryError) { return try await call() } catch { throw ServiceError(error) }
}

/// Asks a provider and says what its failure means for the caller.
package func asked<Value: Sendable>(
    _ call: () async throws(ProviderError) -> Value
) async throws(ServiceError) -> Value {
    do throws(ProviderError) { return try await call() } catch { throw ServiceError(error) }
}
