internal import Accounts
internal import HTTPServer
internal import OpenIDConnect
internal import Providers
internal import SignIn

/// The stable codes of errors, as the document lists them. What each looks like is asked of ``ErrorAnswer``, so that
/// the document can't say anything else than the service does.
enum ErrorCode: String, CaseIterable {
    case invalidRequest = "invalid_request"
    case unknownClient = "unknown_client"
    case unknownProvider = "unknown_provider"
    case unsupportedGrantType = "unsupported_grant_type"
    case redirectURINotAllowed = "redirect_uri_not_allowed"
    case issuerMismatch = "issuer_mismatch"
    case providerNotFound = "provider_not_found"
    case invalidAPIKey = "invalid_api_key"
    case invalidClient = "invalid_client"
    case invalidToken = "invalid_token"
    case invalidGrant = "invalid_grant"
    case invalidIDToken = "invalid_id_token"
    case userinfoMismatch = "userinfo_mismatch"
    case invalidTarget = "invalid_target"
    case invalidEvent = "invalid_event"
    case challengeRequired = "challenge_required"
    case invalidChallenge = "invalid_challenge"
    case insufficientUserAuthentication = "insufficient_user_authentication"
    case accessDenied = "access_denied"
    case unauthorizedClient = "unauthorized_client"
    case providerSignInRequired = "provider_sign_in_required"
    case noUserinfo = "no_userinfo"
    case authenticationTimedOut = "authentication_timed_out"
    case unlinkedUser = "unlinked_user"
    case identityTooNew = "identity_too_new"
    case badPassword = "bad_password"
    case keyLocked = "key_locked"
    case keyMissing = "key_missing"
    case unableToCreateKey = "unable_to_create_key"
    case signInExpired = "sign_in_expired"
    case signInCancelled = "sign_in_cancelled"
    case signInDenied = "sign_in_denied"
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case requestTimeout = "request_timeout"
    case identityInUse = "identity_in_use"
    case lastIdentity = "last_identity"
    case migrationConflict = "migration_conflict"
    case lengthRequired = "length_required"
    case payloadTooLarge = "payload_too_large"
    case uriTooLong = "uri_too_long"
    case unsupportedMediaType = "unsupported_media_type"
    case expectationFailed = "expectation_failed"
    case rateLimited = "rate_limited"
    case slowDown = "slow_down"
    case headersTooLarge = "headers_too_large"
    case notImplemented = "not_implemented"
    case providerError = "provider_error"
    case providerUnavailable = "provider_unavailable"
    case storageUnavailable = "storage_unavailable"
    case overloaded = "overloaded"
    case providerTimeout = "provider_timeout"
    case httpVersionNotSupported = "http_version_not_supported"

    /// The answer that is shown as this code's example.
    var answer: ErrorAnswer {
        switch self {
        case .invalidRequest: ErrorAnswer(.invalidParameter(ParameterError("code", "is missing")))
        case .unknownClient: ErrorAnswer(.unknownClient)
        case .unknownProvider: ErrorAnswer(.unknownProvider)
        case .unsupportedGrantType: ErrorAnswer.client(.unsupportedGrantType)
        case .redirectURINotAllowed: ErrorAnswer(.redirectURINotAllowed)
        case .issuerMismatch: ErrorAnswer(.issuerMismatch)
        case .providerNotFound: ErrorAnswer(.providerNotFound(discoveryUI: "https://discovery.example.com/ui"))
        case .invalidAPIKey: ErrorAnswer(.invalidAPIKey)
        case .invalidClient: ErrorAnswer(.invalidClient)
        case .invalidToken: ErrorAnswer(.invalidToken)
        case .invalidGrant: ErrorAnswer(.invalidGrant(.codeAlreadyUsed))
        case .invalidIDToken: ErrorAnswer(.invalidIDToken(.nonce))
        case .userinfoMismatch: ErrorAnswer(.userinfoMismatch)
        case .invalidTarget: ErrorAnswer(.invalidTarget)
        case .invalidEvent: ErrorAnswer(.invalidEvent(.audience))
        case .challengeRequired: ErrorAnswer(.challengeRequired)
        case .invalidChallenge: ErrorAnswer(.invalidChallenge)
        case .insufficientUserAuthentication:
            ErrorAnswer(.insufficientAuthentication(maximumAgeSeconds: 300, acrValues: "a3"))
        case .accessDenied: ErrorAnswer(.accessDenied)
        case .unauthorizedClient: ErrorAnswer(.unauthorizedClient)
        case .providerSignInRequired: ErrorAnswer(.providerSignInRequired)
        case .noUserinfo: ErrorAnswer(.noUserinfo)
        case .authenticationTimedOut: ErrorAnswer(.authenticationTimedOut)
        case .unlinkedUser: ErrorAnswer(.unlinked(Examples.linkTicket))
        case .identityTooNew: ErrorAnswer(.identityTooNew(retryAfterSeconds: 3600))
        case .badPassword: ErrorAnswer(.badPassword)
        case .keyLocked: ErrorAnswer(.keyLocked)
        case .keyMissing: ErrorAnswer(.keyMissing)
        case .unableToCreateKey: ErrorAnswer(.unableToCreateKey(.diskFull))
        case .signInExpired: ErrorAnswer(.pushEnded(.expired))
        case .signInCancelled: ErrorAnswer(.pushEnded(.cancelled))
        case .signInDenied: ErrorAnswer(.pushEnded(.denied))
        case .notFound: ErrorAnswer(.unknownPath)
        case .methodNotAllowed: ErrorAnswer(.methodNotAllowed(allow: ["POST", "DELETE"]))
        case .requestTimeout: ErrorAnswer(violation: .requestTimeout)
        case .identityInUse: ErrorAnswer(.identityInUse)
        case .lastIdentity: ErrorAnswer(.lastIdentity)
        case .migrationConflict: ErrorAnswer(.migrationConflict)
        case .lengthRequired: ErrorAnswer(violation: .lengthRequired)
        case .payloadTooLarge: ErrorAnswer(violation: .bodyTooLarge)
        case .uriTooLong: ErrorAnswer(violation: .targetTooLong)
        case .unsupportedMediaType: ErrorAnswer(.unsupportedMediaType)
        case .expectationFailed: ErrorAnswer(violation: .expectationFailed)
        case .rateLimited: ErrorAnswer(.rateLimited(.signIns, retryAfterSeconds: 7))
        case .slowDown: ErrorAnswer(.polledTooOften)
        case .headersTooLarge: ErrorAnswer(violation: .headTooLarge)
        case .notImplemented: ErrorAnswer(violation: .transferCodingNotImplemented)
        case .providerError: ErrorAnswer(.providerError(ProviderProblem(.token, .notJSON)))
        case .providerUnavailable: ErrorAnswer(.providerUnavailable)
        case .storageUnavailable: ErrorAnswer(.storageUnavailable(.diskFull))
        case .overloaded: ErrorAnswer(.overloaded)
        case .providerTimeout: ErrorAnswer(.providerTimeout)
        case .httpVersionNotSupported: ErrorAnswer(violation: .versionNotSupported)
        }
    }

    var status: Int { answer.status.code }
}

extension ErrorCode {
    /// When it comes, as the document says it.
    var meaning: String {
        switch self {
        case .invalidRequest:
            "The request breaks HTTP, or its body is neither JSON nor a form, or a parameter is missing, repeated or "
                + "ill-formed. The description names the parameter; correct the call. It also names what the provider "
                + "refused of the authorization request: `login_hint`, a hint that is wrong or expired (ask the user to "
                + "choose the carrier again, and send the request without it or with the new one), or `code_verifier`, "
                + "where a code challenge was sent and its verifier did not come with the code."
        case .unknownClient: "No provider is configured with this `client_id`."
        case .unknownProvider: "No provider of this name is configured."
        case .unsupportedGrantType: "The `grant_type` is one that this client can't use here."
        case .redirectURINotAllowed: "The `redirect_uri` is not one of the provider's."
        case .issuerMismatch:
            "The `iss` that came back with the code is not the issuer that the code would be sent to. Nothing was sent: "
                + "the app has mixed up whose answer it got, or somebody wants it to."
        case .providerNotFound:
            "No carrier serves this mobile network, or the carrier no longer knows the user, who has changed "
                + "carriers. Send the user to `discovery_ui`, where there is one, with `prompt=true`, to choose the "
                + "carrier; then begin the sign-in again with the network that comes back."
        case .invalidAPIKey: "API keys are configured, and `X-API-KEY` is missing or none of them."
        case .invalidClient:
            "The app has a secret and has not shown it, or shows one that it has not got; or whoever asks what a token is "
                + "good for is not configured to."
        case .invalidToken: "The token is missing, wrong, expired or revoked."
        case .invalidGrant:
            "The code or its verifier, the refresh token or the link ticket is refused, expired, used before or "
                + "another client's, or the code was sent to another issuer before; or a provider's access token is "
                + "not good, or not for this service, by the rule that the description names. Trying the same one "
                + "again is in vain: begin the sign-in again."
        case .invalidIDToken: "The provider's ID token breaks the rule that `reason` names."
        case .userinfoMismatch:
            "The provider's userinfo is not about the user of the ID token, or of the access token that was handed in."
        case .invalidTarget:
            "An exchange asks, by `audience` or `resource`, for tokens for somebody else than this service (RFC 8693 §2.2.2)."
        case .invalidEvent:
            "What was sent about an event breaks the rule that the description names, or is none of this provider's. Only "
                + "providers get it, with the members of RFC 8935."
        case .challengeRequired: "The provider's section demands a nonce from `POST /auth/challenge`."
        case .invalidChallenge: "The nonce is none of ours though it should be, or has expired or been used."
        case .insufficientUserAuthentication:
            "The user of the session authenticated too long ago for this; refreshing the session does not help. Sign in "
                + "again with the `max_age`, and the `acr_values` if there are some, of `WWW-Authenticate` (RFC 9470)."
        case .unauthorizedClient: "The app's section does not name the provider among its `providerTokens`."
        case .providerSignInRequired:
            "No tokens of this provider are kept for the user, or the provider says that they are over, or wants the user to "
                + "act. Let the user sign in with this provider again."
        case .noUserinfo: "The provider's section, or the provider, does without userinfo."
        case .accessDenied:
            "The user or the carrier said no. Tell the user so, and offer to sign in again or in another way."
        case .authenticationTimedOut:
            "The user did not answer in time. Tell the user so, and begin the sign-in again when they want to."
        case .unlinkedUser:
            "Registration is by ticket and nobody has this identity. Register with `POST /users` and the ticket."
        case .identityTooNew:
            "The identity was linked or ported to this user, or given to him by an operator, too recently for this. "
                + "`Retry-After` says how long to wait."
        case .badPassword:
            "The password, or the long secret, is not that of the key. A third wrong password in a row destroys the key."
        case .keyLocked:
            "The password was wrong three times in a row, so that the key is gone, for the long secret too. Sign the user in, "
                + "and make another key."
        case .keyMissing: "There is no such key: sign the user in, and make one."
        case .unableToCreateKey: "The key can't be stored now, and there is none."
        case .signInExpired:
            "The user has not answered on the phone in time, or what came of the sign-in was fetched too long ago. Begin "
                + "another one, or the same anew."
        case .signInCancelled: "The app has taken the server-initiated sign-in back."
        case .signInDenied: "The user has said no on the phone. Tell the user so, and offer to sign in in another way."
        case .notFound: "There is nothing at this path, or the user has nothing of this name."
        case .methodNotAllowed: "The path exists and does not take this method. `Allow` names those it takes."
        case .requestTimeout: "The request did not arrive in time."
        case .identityInUse: "The identity belongs to another user."
        case .lastIdentity: "Without this identity nobody could sign in as the user any more."
        case .migrationConflict: "The identities at the old and the new carrier belong to different users."
        case .lengthRequired: "The method takes a body, and the request says nothing of its length."
        case .payloadTooLarge: "The body is larger than the service takes."
        case .uriTooLong: "The request target is longer than the service takes."
        case .unsupportedMediaType: "The body is neither JSON nor a form."
        case .expectationFailed: "The request expects something else than `100-continue`."
        case .rateLimited:
            "Too much of this comes from this address, or asks for this user. `Retry-After` says how many seconds to wait."
        case .slowDown: "A server-initiated sign-in was asked for more often than once a second."
        case .headersTooLarge: "The header is larger than the service takes."
        case .notImplemented: "The method, or the transfer coding, is not known here."
        case .providerError:
            "The provider answered, but wrongly, or refused our credentials. The operator's log says what; tell the user "
                + "to try again later."
        case .providerUnavailable:
            "The provider can't be reached, says that it can't answer now, or has failed too often of late. Begin the "
                + "sign-in again after `Retry-After`; if it goes on, let the user check the connection of the phone."
        case .storageUnavailable: "Nothing can be stored now."
        case .overloaded: "The service, or its share for this provider, has too much to do now."
        case .providerTimeout: "The provider did not answer in time. Begin the sign-in again a little later."
        case .httpVersionNotSupported: "The service speaks HTTP/1.1."
        }
    }
}
