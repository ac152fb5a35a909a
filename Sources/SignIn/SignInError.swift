public import Accounts
internal import HTTPClient
public import OpenIDConnect

/// Why somebody is not signed in, by who can do something about it. The web API answers each case with one status and
/// one code.
public enum SignInError: Error, Equatable, Sendable {
    // The app's developer:
    case invalidParameter(InvalidParameter)
    case unknownClient
    case unknownProvider
    case redirectURINotAllowed
    /// The `iss` that came back with the code is not the issuer that the code would go to (RFC 9207 §2.4).
    case issuerMismatch
    /// No carrier serves that network; the page lets the user choose one.
    case providerNotFound(discoveryUI: String?)
    /// The code or the refresh token is refused, used, expired or another client's.
    case invalidGrant(GrantProblem)
    case invalidIDToken(IDTokenFault)
    case userinfoMismatch
    /// The provider demands a nonce of ours, and there is none.
    case challengeRequired
    /// The nonce is none of ours though it should be, or it has expired or been used.
    case invalidChallenge
    /// The session token is missing, expired, revoked or not ours.
    case invalidToken
    /// The user must authenticate again for this, within so many seconds of it, at one of these levels where the provider's
    /// section demands some (RFC 9470 §3).
    case insufficientAuthentication(maximumAgeSeconds: Int64, acrValues: String?)
    // The user:
    case accessDenied
    /// The user did not answer in time.
    case authenticationTimedOut
    /// The identity was added to the user too recently for this; in so many seconds it may.
    case identityTooNew(retryAfterSeconds: Int64)
    /// Nobody has this identity; the ticket lets the app register its user.
    case unlinked(LinkTicket)
    /// That identity belongs to another user.
    case identityInUse
    /// Without this identity nobody could sign in as the user any more.
    case lastIdentity
    /// The user has no such identity or session.
    case notFound
    /// The accounts at the old and the new carrier both exist.
    case migrationConflict
    // The provider:
    case providerError(ProviderProblem)
    case providerUnavailable
    /// It failed so often of late that it is not asked for so many seconds.
    case providerResting(retryAfterSeconds: Int64)
    case providerTimeout
    // Us:
    /// The reason is for the log: an app can do nothing with it.
    case storageUnavailable(Unavailability)
    case overloaded

    public enum GrantProblem: Sendable {
        case refusedByProvider, codeAlreadyUsed, codeSentElsewhere, unknownRefreshToken, reusedRefreshToken,
            invalidTicket
    }

    /// What went wrong at the provider, for the log and the developer; never what it sent.
    public struct ProviderProblem: Error, Equatable, Sendable {
        public enum Step: String, Sendable { case discovery, keys, token, userinfo }
        public let step: Step
        public let failure: ProviderFailure

        public init(_ step: Step, _ failure: ProviderFailure) {
            self.step = step
            self.failure = failure
        }
    }
}

extension SignInError {
    /// Sorts a failed call into what the app can be told.
    init(_ step: ProviderProblem.Step, _ failure: ProviderFailure) {
        switch failure {
        case .transport(.timedOut(requestSent: _)): self = .providerTimeout
        case .transport(.cancelled): self = .providerTimeout
        case .transport(.shutDown): self = .overloaded
        case .transport(.couldNotConnect), .transport(.couldNotResolve),
            .transport(.connectionBroken(requestSent: false)):
            self = .providerUnavailable
        case .circuitOpen(let seconds): self = .providerResting(retryAfterSeconds: seconds)
        case .tooManyLookups: self = .overloaded
        case .noCarrier(let discoveryUI): self = .providerNotFound(discoveryUI: discoveryUI)
        case .status(429): self = .providerUnavailable
        case .refused(.invalidGrant): self = .invalidGrant(.refusedByProvider)
        // Whatever it is called, it is about this code. Discovery and userinfo take none.
        case .refused(.unknown) where step == .token: self = .invalidGrant(.refusedByProvider)
        case .refused(.verifierMissing):
            self = .invalidParameter(InvalidParameter("code_verifier", "is missing, and the provider demands it"))
        case .refused(.loginHintRefused):
            self = .invalidParameter(
                InvalidParameter("login_hint", "of the authorization request was refused by the provider"))
        case .refused(.accessDenied): self = .accessDenied
        case .refused(.authenticationTimedOut): self = .authenticationTimedOut
        case .refused(.userNotFound): self = .providerNotFound(discoveryUI: nil)
        case .refused(.temporarilyUnavailable): self = .providerUnavailable
        default: self = .providerError(ProviderProblem(step, failure))
        }
    }
}
