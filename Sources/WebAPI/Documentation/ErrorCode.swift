internal import Accounts
internal import Apps
internal import HTTPServer
internal import Providers
package import SignIn

/// A stable code of errors, as the document lists it: what comes with it is asked of ``ErrorAnswer``, so that the
/// document can't say anything else than the service does.
package struct ErrorCode: Hashable, Sendable {
    package let rawValue: String
    /// When it comes, as the document says it.
    let meaning: String
    private let make: @Sendable () -> ErrorAnswer

    init(_ rawValue: String, _ answer: @autoclosure @escaping @Sendable () -> ErrorAnswer, _ meaning: String) {
        (self.rawValue, self.meaning) = (rawValue, meaning)
        make = answer
    }

    /// The code of an error that a wing brings.
    package init(_ error: WingError) {
        self.init(error.code, ErrorAnswer(.ofWing(error)), error.meaning)
    }

    /// The answer that is shown as this code's example.
    var answer: ErrorAnswer { make() }

    var status: Int { answer.status.code }

    package static func == (left: ErrorCode, right: ErrorCode) -> Bool { left.rawValue == right.rawValue }

    package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension ErrorCode {
    package static let invalidRequest = ErrorCode(
        "invalid_request", ErrorAnswer(.invalidParameter(ParameterError("code", "is missing"))),
        "The request breaks HTTP, or its body is neither JSON nor a form, or a parameter is missing, repeated or "
            + "ill-formed. The description names the parameter; correct the call. It also names what the provider "
            + "refused of the authorization request: `login_hint`, a hint that is wrong or expired (ask the user to "
            + "choose the carrier again, and send the request without it or with the new one), or `code_verifier`, "
            + "where a code challenge was sent and its verifier did not come with the code.")

    package static let unknownClient = ErrorCode(
        "unknown_client", ErrorAnswer(.unknownClient),
        "No provider is configured with this `client_id`.")

    package static let unknownProvider = ErrorCode(
        "unknown_provider", ErrorAnswer(.unknownProvider),
        "No provider of this name is configured.")

    package static let unsupportedGrantType = ErrorCode(
        "unsupported_grant_type", ErrorAnswer.client(.unsupportedGrantType),
        "The `grant_type` is one that this client can't use here.")

    package static let redirectURINotAllowed = ErrorCode(
        "redirect_uri_not_allowed", ErrorAnswer(.redirectURINotAllowed),
        "The `redirect_uri` is not one of the provider's.")

    package static let issuerMismatch = ErrorCode(
        "issuer_mismatch", ErrorAnswer(.issuerMismatch),
        "The `iss` that came back with the code is not the issuer that the code would be sent to. Nothing was sent: "
            + "the app has mixed up whose answer it got, or somebody wants it to.")

    package static let providerNotFound = ErrorCode(
        "provider_not_found", ErrorAnswer(.providerNotFound(discoveryUI: "https://discovery.example.com/ui")),
        "No carrier serves this mobile network, or the carrier no longer knows the user, who has changed "
            + "carriers. Send the user to `discovery_ui`, where there is one, with `prompt=true`, to choose the "
            + "carrier; then begin the sign-in again with the network that comes back.")

    package static let invalidAPIKey = ErrorCode(
        "invalid_api_key", ErrorAnswer(.invalidAPIKey),
        "API keys are configured, and `X-API-KEY` is missing or none of them.")

    package static let invalidClient = ErrorCode(
        "invalid_client", ErrorAnswer(.invalidClient),
        "The app has a secret and has not shown it, or shows one that it has not got; or the caller of "
            + "`/auth/introspect` is not configured as one of its callers.")

    package static let invalidToken = ErrorCode(
        "invalid_token", ErrorAnswer(.invalidToken),
        "The token is missing, wrong, expired or revoked.")

    package static let invalidGrant = ErrorCode(
        "invalid_grant", ErrorAnswer(.invalidGrant(.codeAlreadyUsed)),
        "The code or its verifier, the refresh token or the link ticket is refused, expired, used before or "
            + "another client's, or the code was sent to another issuer before; or a provider's access token is "
            + "not good, or not for this service, by the rule that the description names. Trying the same one "
            + "again is in vain: begin the sign-in again.")

    package static let invalidIDToken = ErrorCode(
        "invalid_id_token", ErrorAnswer(.invalidIDToken(.nonce)),
        "The provider's ID token breaks the rule that `reason` names.")

    package static let userinfoMismatch = ErrorCode(
        "userinfo_mismatch", ErrorAnswer(.userinfoMismatch),
        "The provider's userinfo is not about the user of the ID token, or of the access token that was handed in.")

    package static let invalidTarget = ErrorCode(
        "invalid_target", ErrorAnswer(.invalidTarget),
        "An exchange asks, by `audience` or `resource`, for tokens for somebody else than this service (RFC 8693 §2.2.2)."
    )

    package static let invalidEvent = ErrorCode(
        "invalid_event", ErrorAnswer(.invalidEvent(.audience)),
        "What was sent about an event breaks the rule that the description names, or is none of this provider's. Only "
            + "providers get it, with the members of RFC 8935.")

    package static let challengeRequired = ErrorCode(
        "challenge_required", ErrorAnswer(.challengeRequired),
        "The provider's section demands a nonce from `POST /auth/challenge`.")

    package static let invalidChallenge = ErrorCode(
        "invalid_challenge", ErrorAnswer(.invalidChallenge),
        "The nonce is none of ours though it should be, or has expired or been used.")

    package static let insufficientUserAuthentication = ErrorCode(
        "insufficient_user_authentication",
        ErrorAnswer(.insufficientAuthentication(maximumAgeSeconds: 300, acrValues: "a3")),
        "The user of the session authenticated too long ago for this, or nothing shows when; refreshing the session does "
            + "not help. Sign in again with the `max_age`, and the `acr_values` if there are some, of "
            + "`WWW-Authenticate` (RFC 9470), and with a nonce of `POST /auth/challenge` where the provider tells no "
            + "`auth_time`.")

    package static let insufficientRole = ErrorCode(
        "insufficient_role",
        ErrorAnswer(.insufficientRole(name: "anna", has: ["auditor"], needs: ["support", "operator"])),
        "The operator's token is right, and none of its roles may do this. The description names both.")

    package static let insufficientScope = ErrorCode(
        "insufficient_scope", ErrorAnswer(.insufficientScope(.accountRead)),
        "The token can't be used for this. `WWW-Authenticate` names the scope that it takes: the operator has to give "
            + "it to the app, and the app to ask for it.")

    package static let invalidScope = ErrorCode(
        "invalid_scope", ErrorAnswer(.invalidScope),
        "Nothing of the `scope` can be granted to this client, or it is no list of scopes.")

    package static let accessDenied = ErrorCode(
        "access_denied", ErrorAnswer(.accessDenied),
        "The user or the carrier said no. Tell the user so, and offer to sign in again or in another way.")

    package static let interactionRequired = ErrorCode(
        "interaction_required", ErrorAnswer(.authorizationRefused(.interactionRequired)),
        "The provider gives nothing for the code until the user has done something there: signed in once more, agreed, or "
            + "proved more. Begin the sign-in again, without `prompt=none`.")

    package static let unauthorizedClient = ErrorCode(
        "unauthorized_client", ErrorAnswer(.unauthorizedClient),
        "The app's section does not allow this: the provider is not among its `providerTokens`, or the grant not among "
            + "its `grants`.")

    package static let providerSignInRequired = ErrorCode(
        "provider_sign_in_required", ErrorAnswer(.providerSignInRequired),
        "No tokens of this provider are kept for the user, or the provider says that they are over, or wants the user to "
            + "act. Let the user sign in with this provider again.")

    package static let noUserinfo = ErrorCode(
        "no_userinfo", ErrorAnswer(.noUserinfo),
        "The provider's section, or the provider, does without userinfo.")

    package static let authenticationTimedOut = ErrorCode(
        "authentication_timed_out", ErrorAnswer(.authenticationTimedOut),
        "The user did not answer in time. Tell the user so, and begin the sign-in again when they want to.")

    package static let unlinkedUser = ErrorCode(
        "unlinked_user", ErrorAnswer(.unlinked(Examples.linkTicket)),
        "Registration is by ticket and nobody has this identity. Register with `POST /users` and the ticket.")

    package static let locked = ErrorCode(
        "locked", ErrorAnswer(.locked),
        "An operator has locked the user, or the provider has disabled the account. Tell the user to ask the people who "
            + "run the app; signing in again does not help.")

    package static let identityTooNew = ErrorCode(
        "identity_too_new", ErrorAnswer(.identityTooNew(retryAfterSeconds: 3600)),
        "The identity was linked or ported to this user, or given to them by an operator, too recently for this. "
            + "`Retry-After` says how long to wait.")

    package static let signInExpired = ErrorCode(
        "sign_in_expired", ErrorAnswer(.pushEnded(.expired)),
        "The user has not answered on the phone in time, or what came of the sign-in was fetched too long ago. Begin "
            + "another one, or the same anew.")

    package static let signInCancelled = ErrorCode(
        "sign_in_cancelled", ErrorAnswer(.pushEnded(.cancelled)),
        "The app has taken the server-initiated sign-in back.")

    package static let signInDenied = ErrorCode(
        "sign_in_denied", ErrorAnswer(.pushEnded(.denied)),
        "The user has said no on the phone. Tell the user so, and offer to sign in in another way.")

    package static let notFound = ErrorCode(
        "not_found", ErrorAnswer(.unknownPath),
        "There is nothing at this path, or the user has nothing of this name.")

    package static let methodNotAllowed = ErrorCode(
        "method_not_allowed", ErrorAnswer(.methodNotAllowed(allow: ["POST", "DELETE"])),
        "The path exists and does not take this method. `Allow` names those it takes.")

    package static let requestTimeout = ErrorCode(
        "request_timeout", ErrorAnswer(violation: .requestTimeout),
        "The request did not arrive in time.")

    package static let identityInUse = ErrorCode(
        "identity_in_use", ErrorAnswer(.identityInUse),
        "The identity belongs to another user.")

    package static let lastIdentity = ErrorCode(
        "last_identity", ErrorAnswer(.lastIdentity),
        "Without this identity nobody could sign in as the user any more.")

    package static let migrationConflict = ErrorCode(
        "migration_conflict", ErrorAnswer(.migrationConflict),
        "The identities at the old and the new carrier belong to different users.")

    package static let mergeConflict = ErrorCode(
        "merge_conflict", ErrorAnswer(.mergeConflict),
        "Two accounts can't become one, for a provider's directory has an account for each.")

    package static let payloadTooLarge = ErrorCode(
        "payload_too_large", ErrorAnswer(violation: .bodyTooLarge),
        "The body is larger than the service takes.")

    package static let uriTooLong = ErrorCode(
        "uri_too_long", ErrorAnswer(violation: .targetTooLong),
        "The request target is longer than the service takes.")

    package static let unsupportedMediaType = ErrorCode(
        "unsupported_media_type", ErrorAnswer(.unsupportedMediaType),
        "The body is neither JSON nor a form.")

    package static let expectationFailed = ErrorCode(
        "expectation_failed", ErrorAnswer(violation: .expectationFailed),
        "The request expects something else than `100-continue`.")

    package static let rateLimited = ErrorCode(
        "rate_limited", ErrorAnswer(.rateLimited(.signIns, retryAfterSeconds: 7)),
        "Too much of this comes from this address, or asks for this user. `Retry-After` says how many seconds to wait.")

    package static let slowDown = ErrorCode(
        "slow_down", ErrorAnswer(.polledTooOften),
        "A server-initiated sign-in was asked for more often than once a second.")

    package static let headersTooLarge = ErrorCode(
        "headers_too_large", ErrorAnswer(violation: .headTooLarge),
        "The header is larger than the service takes.")

    package static let notImplemented = ErrorCode(
        "not_implemented", ErrorAnswer(violation: .transferCodingNotImplemented),
        "The method, or the transfer coding, is not known here.")

    package static let providerError = ErrorCode(
        "provider_error", ErrorAnswer(.providerError(ProviderProblem(.token, .notJSON))),
        "The provider answered, but wrongly, or refused our credentials. The operator's log says what; tell the user "
            + "to try again later.")

    package static let providerUnavailable = ErrorCode(
        "provider_unavailable", ErrorAnswer(.providerUnavailable),
        "The provider can't be reached, says that it can't answer now, or has failed too often of late. Begin the "
            + "sign-in again after `Retry-After`; if it goes on, let the user check the connection of the phone.")

    package static let storageUnavailable = ErrorCode(
        "storage_unavailable", ErrorAnswer(.storageUnavailable(.diskFull)),
        "Nothing can be stored now.")

    package static let overloaded = ErrorCode(
        "overloaded", ErrorAnswer(.overloaded),
        "The service, or its share for this provider, has too much to do now.")

    package static let providerTimeout = ErrorCode(
        "provider_timeout", ErrorAnswer(.providerTimeout),
        "The provider did not answer in time. Begin the sign-in again a little later.")

    package static let httpVersionNotSupported = ErrorCode(
        "http_version_not_supported", ErrorAnswer(violation: .versionNotSupported),
        "The service speaks HTTP/1.1.")

    /// Those that all capabilities share, up to where the wings' own stand in the document, and behind.
    private static let first: [ErrorCode] = [
        .invalidRequest, .unknownClient, .unknownProvider, .unsupportedGrantType, .redirectURINotAllowed,
        .issuerMismatch, .providerNotFound, .invalidAPIKey, .invalidClient, .invalidToken, .invalidGrant,
        .invalidIDToken, .userinfoMismatch, .invalidTarget, .invalidEvent, .challengeRequired, .invalidChallenge,
        .insufficientUserAuthentication, .insufficientScope, .insufficientRole, .invalidScope, .accessDenied,
        .interactionRequired, .unauthorizedClient,
        .providerSignInRequired, .noUserinfo,
        .authenticationTimedOut, .unlinkedUser, .locked, .identityTooNew,
    ]
    private static let last: [ErrorCode] = [
        .signInExpired, .signInCancelled, .signInDenied, .notFound, .methodNotAllowed, .requestTimeout,
        .identityInUse, .lastIdentity, .migrationConflict, .mergeConflict, .payloadTooLarge, .uriTooLong,
        .unsupportedMediaType, .expectationFailed, .rateLimited, .slowDown, .headersTooLarge, .notImplemented,
        .providerError, .providerUnavailable, .storageUnavailable, .overloaded, .providerTimeout,
        .httpVersionNotSupported,
    ]

    /// In the order of the document.
    ///
    /// - Parameter wings: those that wings bring.
    static func all(with wings: [ErrorCode]) -> [ErrorCode] { first + wings + last }

    /// These, each once, in the order of the document.
    static func ordered(_ codes: [ErrorCode]) -> [ErrorCode] {
        let shared = first + last
        var own: [ErrorCode] = []
        for code in codes where !shared.contains(code) && !own.contains(code) { own.append(code) }
        return all(with: own).filter(codes.contains)
    }
}
