public import Accounts
public import Apps
public import Providers

/// Everything that can end a request without the answer it asked for, by who can do something about it. The web API
/// answers each case with one status and one code.
public enum ServiceError: Error, Equatable, Sendable {
    // The app's developer:
    /// The body is neither JSON nor a form, or a parameter in it is wrong; the sentence says what, and nothing of what
    /// was sent.
    case invalidRequest(String)
    case invalidParameter(ParameterError)
    case unsupportedMediaType
    case unsupportedGrantType
    case invalidAPIKey
    case unknownPath
    case methodNotAllowed(allow: [String])
    /// This client has done something too often; in so many seconds it may again.
    case rateLimited(AddressLimit, retryAfterSeconds: Int64)
    case unknownClient
    case unknownProvider
    /// An app that has a secret, or a resource server, has not shown who it is (RFC 6749 §5.2).
    case invalidClient
    case redirectURINotAllowed
    /// The `iss` that came back with the code is not the issuer that the code would go to (RFC 9207 §2.4).
    case issuerMismatch
    /// No carrier serves that network; the page lets the user choose one.
    case providerNotFound(discoveryUI: String?)
    /// The code or the refresh token is refused, used, expired or another client's.
    case invalidGrant(GrantProblem)
    case invalidIDToken(IDTokenError)
    case userinfoMismatch
    case invalidLogoutToken(EventTokenError)
    case invalidEvent(EventTokenError)
    /// A provider's access token that is to sign its user in proves not enough for it.
    case invalidSubjectToken(AccessTokenError)
    /// Tokens are asked for something that is none of ours (RFC 8693 §2.2.2).
    case invalidTarget
    /// The provider demands a nonce of ours, and there is none.
    case challengeRequired
    /// The nonce is none of ours though it should be, or it has expired or been used.
    case invalidChallenge
    /// The app's section does not allow this.
    case unauthorizedClient
    /// The provider has no userinfo to ask.
    case noUserinfo
    /// The request shows no session token.
    case missingToken
    /// The session token is expired, revoked or not ours.
    case invalidToken
    /// The token can't be used for this (RFC 6750 §3.1).
    case insufficientScope(Permission)
    /// Nothing of the scope that was asked for can be granted (RFC 6749 §5.2).
    case invalidScope
    /// A server-initiated sign-in came to its end without one.
    case pushEnded(PushEnd)
    /// The app asks for one more often than once a second.
    case polledTooOften
    /// This user, or one of that name, was asked too often of late, or is being asked; in so many seconds it may be
    /// again.
    case pushedTooOften(retryAfterSeconds: Int64)
    /// The user must authenticate again for this, within so many seconds of it, at one of these levels where the
    /// provider's section demands some (RFC 9470 §3).
    case insufficientAuthentication(maximumAgeSeconds: Int64, acrValues: String?)
    // The user:
    case accessDenied
    /// No tokens of the provider's are kept for the user, or they are over: a sign-in there brings others.
    case providerSignInRequired
    /// The user did not answer in time.
    case authenticationTimedOut
    /// The provider sent the user's browser back without a code.
    case authorizationRefused(AuthorizationRefusal)
    /// The user, or the identity, is locked.
    case locked
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
    /// Both accounts that are to become one are known to the directory of one provider.
    case mergeConflict
    /// What one wing alone has to say.
    case ofWing(WingError)
    // An operator:
    /// The admin token is missing or wrong; or there is none, and the request may come from a web page.
    case invalidAdminToken
    /// The admin token of that name is right, and its time is over.
    case expiredAdminToken(String)
    /// The operator of that name has these roles, and one of those is needed.
    case insufficientRole(name: String, has: [String], needs: [String])
    /// What is wrong with an operator's reason, as it completes "The field X-Reason … ".
    case invalidReason(String)
    case unknownUser
    // The provider:
    case providerError(ProviderProblem)
    /// The carrier could not ask its subscriber, or what it said of that can't be used.
    case pushFailed
    case providerUnavailable
    /// It failed so often of late that it is not asked for so many seconds.
    case providerCircuitOpen(retryAfterSeconds: Int64)
    /// It has not taken the request, and says to come again in so many seconds.
    case providerBusy(retryAfterSeconds: Int64)
    case providerTimeout
    // Us:
    /// The reason is for the log: an app can do nothing with it.
    case storageUnavailable(Unavailability)
    case overloaded

    /// How a server-initiated sign-in ends that signs nobody in.
    public enum PushEnd: String, Sendable, CaseIterable {
        case expired, cancelled, denied
    }

    public enum GrantProblem: Sendable {
        case refusedByProvider, codeAlreadyUsed, codeSentElsewhere, unknownRefreshToken, reusedRefreshToken,
            locked, invalidTicket, invalidAppCode, reusedAppCode
    }
}

/// An error that a wing brings beside those of all: how the API tells it, and what the document says of it.
public struct WingError: Error, Equatable, Sendable {
    /// An HTTP status.
    public let status: Int
    /// Stable.
    public let code: String
    /// For the developer.
    public let sentence: String
    /// When it comes, as the document says it.
    public let meaning: String
    /// For the log, of an error that operators must see.
    public private(set) var cause: Unavailability?

    public init(status: Int, code: String, sentence: String, meaning: String) {
        (self.status, self.code, self.sentence, self.meaning) = (status, code, sentence, meaning)
    }

    /// The same, for a reason of ours.
    public func because(_ cause: Unavailability) -> WingError {
        var error = self
        error.cause = cause
        return error
    }
}
