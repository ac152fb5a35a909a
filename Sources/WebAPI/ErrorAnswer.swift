internal import Accounts
internal import Apps
internal import HTTPServer
internal import JSON
internal import Providers
package import SignIn
internal import Telemetry

/// An error as the API tells it: one status, one stable code, one sentence for the developer, and nothing of what was
/// sent.
package struct ErrorAnswer {
    var status: HTTPStatus
    package var code: String
    /// What our own clients are told, where an OAuth client has a wider word for it.
    var finerCode: String?
    let sentence: String
    var reason: String?
    var discoveryUI: String?
    var linkTicket: LinkTicket?
    /// As RFC 8935 §2.4 has it.
    var eventError: String?
    var headers: [(name: String, value: String)] = []

    private init(_ status: Int, _ code: String, _ sentence: String) {
        self.status = HTTPStatus(status)
        (self.code, self.sentence) = (code, sentence)
    }

    /// How long a client is asked to wait before it tries again, in seconds.
    private static let retryAfterSeconds = "1"
    private static let locked = "locked"

    private func with(header name: String, _ value: String) -> ErrorAnswer {
        var answer = self
        answer.headers.append((name: name, value: value))
        return answer
    }

    private var retriable: ErrorAnswer { with(header: "Retry-After", Self.retryAfterSeconds) }

    /// The one place where errors become statuses and codes. As long as there are errors: a part of it elsewhere would
    /// be one that the compiler does not hold to be whole.
    package init(_ error: ServiceError) {
        switch error {
        case .invalidRequest(let sentence): self.init(400, "invalid_request", sentence)
        case .invalidParameter(let parameter):
            self.init(400, "invalid_request", "The parameter \(parameter.name) \(parameter.problem).")
        case .unsupportedMediaType:
            self.init(415, "unsupported_media_type", "Send application/json or application/x-www-form-urlencoded.")
        case .unsupportedGrantType:
            self.init(400, "invalid_request", "The parameter grant_type is one that this client can't use here.")
        case .invalidAPIKey: self.init(401, "invalid_api_key", "The header X-API-KEY is missing or wrong.")
        case .unknownPath: self.init(404, "not_found", "There is nothing at this path.")
        case .methodNotAllowed(let methods):
            self = ErrorAnswer(405, "method_not_allowed", "This path does not answer to that method.")
                .with(header: "Allow", methods.joined(separator: ", "))
        case .rateLimited(let limit, let seconds):
            self = ErrorAnswer(429, "rate_limited", limit.sentence).with(header: "Retry-After", "\(seconds)")
        case .unknownClient: self.init(400, "unknown_client", "No provider is configured with this client_id.")
        case .unknownProvider: self.init(400, "unknown_provider", "No provider of this name is configured.")
        case .invalidClient:
            self = ErrorAnswer(401, "invalid_client", "The client is unknown, or has not proven who it is.")
                .with(header: "WWW-Authenticate", "Basic realm=\"gatehouse\"")
        case .redirectURINotAllowed:
            self.init(
                400, "redirect_uri_not_allowed",
                "The redirect_uri is not one of this provider's redirectURIs, or is an address of this service.")
        case .issuerMismatch:
            self.init(400, "issuer_mismatch", "The iss is not the issuer that the code would be sent to.")
        case .providerNotFound(let discoveryUI):
            self.init(
                400, "provider_not_found", "No carrier serves this user there; let the user choose one at discovery_ui."
            )
            self.discoveryUI = discoveryUI
        case .invalidGrant(.locked):
            self.init(400, "invalid_grant", Self.sentence(.locked))
            finerCode = Self.locked
        case .invalidGrant(let problem): self.init(401, "invalid_grant", Self.sentence(problem))
        case .invalidIDToken(let fault):
            self.init(401, "invalid_id_token", "The provider's ID token breaks the rule named in reason.")
            reason = fault.rawValue
        // As OAuth has it, and not 401: its sender has nothing better to show (Back-Channel Logout 1.0 §2.8).
        case .invalidLogoutToken(let fault):
            self.init(400, "invalid_request", "The logout token breaks a rule (\(fault.rawValue)).")
        case .invalidEvent(let fault):
            // What it is said in (RFC 8935 §2.3).
            self = ErrorAnswer(400, "invalid_event", "What was sent about an event breaks a rule (\(fault.rawValue)).")
                .with(header: "Content-Language", "en")
            eventError = fault.code
        case .invalidSubjectToken(let fault):
            self.init(401, "invalid_grant", "The subject_token breaks a rule (\(fault.rawValue)).")
        case .invalidTarget:
            self.init(400, "invalid_target", "This client may not have tokens for that resource.")
        case .invalidScope: self.init(400, "invalid_scope", "Nothing of this scope can be granted.")
        case .challengeRequired:
            self.init(401, "challenge_required", "This provider takes a nonce from POST /auth/challenge only.")
        case .invalidChallenge:
            self.init(401, "invalid_challenge", "The nonce is not one of ours, has expired, or was used before.")
        case .userinfoMismatch:
            self.init(401, "userinfo_mismatch", "The provider's userinfo is not about the user of the token.")
        case .missingToken:
            // Who has shown nothing is told of no error of theirs (RFC 6750 §3.1).
            self = ErrorAnswer(.invalidToken)
            headers = [("WWW-Authenticate", "Bearer")]
        case .invalidToken:
            self = ErrorAnswer(401, "invalid_token", "The session token is missing, expired or revoked.")
                .with(header: "WWW-Authenticate", "Bearer error=\"invalid_token\"")
        case .insufficientScope(let permission):
            let scope = permission.rawValue
            self = ErrorAnswer(403, "insufficient_scope", "This takes a token with the scope \(scope).")
                .with(header: "WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"\(scope)\"")
        case .pushEnded(.expired):
            self.init(400, "sign_in_expired", "The user has not answered in time, or it is over.")
        case .pushEnded(.cancelled): self.init(400, "sign_in_cancelled", "The sign-in was taken back.")
        case .pushEnded(.denied): self.init(400, "sign_in_denied", "The user or the carrier said no.")
        case .polledTooOften:
            self = ErrorAnswer(429, "slow_down", "Ask for a sign-in once a second at most.").retriable
        case .pushedTooOften(let seconds):
            self = ErrorAnswer(
                429, "rate_limited", "This user was asked too often of late, or is being asked at this moment."
            ).with(header: "Retry-After", "\(seconds)")
        case .insufficientAuthentication(let seconds, let acrValues):
            let sentence = "This takes a user who has authenticated within the last \(seconds) seconds: sign in again."
            let levels = acrValues.map { ", acr_values=\(Self.quoted($0))" } ?? ""
            self = ErrorAnswer(401, "insufficient_user_authentication", sentence)
                .with(
                    header: "WWW-Authenticate",
                    "Bearer error=\"insufficient_user_authentication\", error_description=\"\(sentence)\", "
                        + "max_age=\"\(seconds)\"\(levels)")
        case .locked:
            self.init(423, Self.locked, "The user may not sign in: an operator or the provider has locked them.")
        case .identityTooNew(let seconds):
            self = ErrorAnswer(
                403, "identity_too_new", "The identity was added to this user too recently for this."
            ).with(header: "Retry-After", "\(seconds)")
        case .ofWing(let error): self.init(error.status, error.code, error.sentence)
        case .unauthorizedClient:
            self.init(403, "unauthorized_client", "The app's section does not allow this.")
        case .noUserinfo: self.init(409, "no_userinfo", "The provider has no userinfo to ask.")
        case .providerSignInRequired:
            self.init(
                409, "provider_sign_in_required",
                "No tokens of this provider are kept for the user, or they are over: let the user sign in there again.")
        case .accessDenied: self.init(403, "access_denied", "The user or the carrier said no.")
        case .authenticationTimedOut:
            self.init(403, "authentication_timed_out", "The user did not answer in time; begin the sign-in again.")
        case .authorizationRefused(let refusal): self.init(403, refusal.code, refusal.sentence)
        case .unlinked(let ticket):
            self.init(403, "unlinked_user", "Nobody is registered with this identity; register with link_ticket.")
            linkTicket = ticket
        case .identityInUse: self.init(409, "identity_in_use", "This identity belongs to another user.")
        case .lastIdentity:
            self.init(409, "last_identity", "Without this identity nobody could sign in as this user any more.")
        case .notFound: self.init(404, "not_found", "The user has nothing of this name.")
        case .migrationConflict:
            self.init(409, "migration_conflict", "The old and the new subject belong to different users.")
        case .mergeConflict:
            self.init(409, "merge_conflict", "Both accounts have an account in the directory of the same provider.")
        case .invalidAdminToken:
            self = ErrorAnswer(401, "invalid_token", "The admin token is missing or wrong.")
                .with(header: "WWW-Authenticate", "Bearer error=\"invalid_token\"")
        case .expiredAdminToken(let name):
            self = ErrorAnswer(401, "invalid_token", "The admin token of \(name) has expired.")
                .with(header: "WWW-Authenticate", "Bearer error=\"invalid_token\"")
        case .insufficientRole(let name, let has, let needs):
            let (has, needs) = (has.joined(separator: ", "), needs.joined(separator: ", "))
            self.init(403, "insufficient_role", "This takes an operator with a role of \(needs); \(name) has \(has).")
        case .invalidReason(let fault):
            self.init(400, "invalid_request", "The field \(OperatorAdmission.reasonField) \(fault).")
        case .unknownUser: self.init(404, "not_found", "There is no such user.")
        case .providerError(let problem):
            self.init(502, "provider_error", "The provider's \(problem.step.name.text) answer can't be used.")
        case .pushFailed:
            self.init(502, "provider_error", "The carrier could not ask the user, or its answer can't be used.")
        case .providerUnavailable:
            self = ErrorAnswer(503, "provider_unavailable", "The provider can't be reached now.").retriable
        case .providerCircuitOpen(let seconds):
            self = ErrorAnswer(503, "provider_unavailable", "The provider has failed too often of late.")
                .with(header: "Retry-After", "\(seconds)")
        case .providerBusy(let seconds):
            self = ErrorAnswer(
                503, "provider_unavailable", "The provider has too much to do now: send the same again then."
            )
            .with(header: "Retry-After", "\(seconds)")
        case .providerTimeout: self.init(504, "provider_timeout", "The provider did not answer in time.")
        case .storageUnavailable:
            self = ErrorAnswer(503, "storage_unavailable", "Nothing can be stored now.").retriable
        case .overloaded: self = ErrorAnswer(503, "overloaded", "The service has too much to do now.").retriable
        }
    }

    /// A quoted string of a header field (RFC 9110 §5.6.4).
    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// Of HTTP, before there was a request.
    init(violation: ProtocolError) {
        switch violation {
        case .malformed(let sentence): self.init(400, "invalid_request", sentence)
        case .requestTimeout: self.init(408, "request_timeout", "The request did not arrive in time.")
        case .bodyTooLarge: self.init(413, "payload_too_large", "The body is larger than this service takes.")
        case .targetTooLong: self.init(414, "uri_too_long", "The request target is longer than this service takes.")
        case .expectationFailed: self.init(417, "expectation_failed", "Only Expect: 100-continue is understood.")
        case .headTooLarge: self.init(431, "headers_too_large", "The header is larger than this service takes.")
        case .methodNotImplemented: self.init(501, "not_implemented", "This method is not known here.")
        case .transferCodingNotImplemented:
            self.init(501, "not_implemented", "No transfer coding but chunked is understood.")
        case .versionNotSupported:
            self.init(505, "http_version_not_supported", "This service speaks HTTP/1.1.")
        case .overloaded:
            self = ErrorAnswer(503, "overloaded", "The service has too many connections now.").retriable
        }
    }

    /// - Parameters:
    ///   - requestID: so that a developer can quote it, and an operator find it in the log.
    ///   - hasError: whether there is an `error`, beside the `error_code` that is there always.
    ///   - shape: how the app is told of somebody unknown.
    func response(requestID: String, hasError: Bool = true, as shape: ResponseShape = .flat) -> HTTPResponse {
        var writer = JSONWriter(reservingCapacity: 256)
        writer.object { body in
            if hasError { body.member("error", code) }
            body.member("error_description", sentence)
            body.member("error_code", finerCode ?? code)
            if let reason { body.member("reason", reason) }
            if let eventError {
                body.member("err", eventError)
                body.member("description", sentence)
            }
            if let discoveryUI { body.member("discovery_ui", discoveryUI) }
            if let linkTicket { body.unlinkedUser(linkTicket, as: shape) }
            body.member("request_id", requestID)
        }
        var response = HTTPResponse.json(status, writer.bytes)
        response.headers.append((name: "Cache-Control", value: "no-store"))
        response.headers.append(contentsOf: headers)
        // A ticket is a secret beside text that others may choose.
        response.isCompressible = linkTicket == nil
        return response
    }
}

extension ErrorAnswer {
    /// As OAuth clients know errors (RFC 6749 §5.2).
    static func client(_ error: ServiceError) -> ErrorAnswer {
        var answer = ErrorAnswer(error)
        switch error {
        case .unsupportedGrantType: answer.code = "unsupported_grant_type"
        case .invalidGrant, .accessDenied, .unauthorizedClient, .unlinked: answer.status = .badRequest
        case .locked:
            answer = ErrorAnswer(.invalidGrant(.locked))
        // Both are about the token that was handed in (RFC 8693 §2.2.2).
        case .invalidSubjectToken, .userinfoMismatch: (answer.status, answer.code) = (.badRequest, "invalid_request")
        default: break
        }
        return answer
    }

    /// The answer to an app of ours, which is an OAuth client.
    ///
    /// Where it may try again, `error` is left out: AppAuth for Android takes that for the last word, whatever the
    /// status.
    func clientResponse(requestID: String) -> HTTPResponse {
        let isTransient = status.code >= 500 || status == .tooManyRequests
        return response(requestID: requestID, hasError: !isTransient)
    }
}
