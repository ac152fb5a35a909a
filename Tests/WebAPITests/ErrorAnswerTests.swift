import Accounts
import HTTPClient
import HTTPServer
import JSON
import Providers
import SignIn
import Testing

@testable import WebAPI

/// An error, and how the API tells it.
struct ErrorCase: Sendable, CustomTestStringConvertible {
    let error: ServiceError
    let status: Int
    let code: String
    var headers: [String: String] = [:]
    var reason: String?
    var discoveryUI: String?

    var testDescription: String { "\(error)" }

    static let retry = ["Retry-After": "1"]

    private static func signIn(
        _ error: ServiceError, _ status: Int, _ code: String, _ headers: [String: String] = [:], reason: String? = nil,
        discoveryUI: String? = nil
    ) -> ErrorCase {
        ErrorCase(
            error: error, status: status, code: code, headers: headers, reason: reason,
            discoveryUI: discoveryUI)
    }

    private static func problem(_ failure: ProviderCallError) -> ServiceError {
        .providerError(ProviderProblem(.token, failure))
    }

    static let all: [ErrorCase] = api + operators + signIns + faults

    static let api: [ErrorCase] = [
        ErrorCase(error: .invalidRequest("It is wrong."), status: 400, code: "invalid_request"),
        ErrorCase(error: .unsupportedGrantType, status: 400, code: "invalid_request"),
        ErrorCase(error: .unsupportedMediaType, status: 415, code: "unsupported_media_type"),
        ErrorCase(error: .invalidAPIKey, status: 401, code: "invalid_api_key"),
        ErrorCase(
            error: .rateLimited(.signIns, retryAfterSeconds: 7), status: 429, code: "rate_limited",
            headers: ["Retry-After": "7"]),
        ErrorCase(error: .unknownPath, status: 404, code: "not_found"),
        ErrorCase(
            error: .methodNotAllowed(allow: ["POST", "DELETE"]), status: 405, code: "method_not_allowed",
            headers: ["Allow": "POST, DELETE"]),
    ]

    static let operators: [ErrorCase] = [
        ErrorCase(
            error: .invalidAdminToken, status: 401, code: "invalid_token",
            headers: ["WWW-Authenticate": "Bearer error=\"invalid_token\""]),
        ErrorCase(
            error: .expiredAdminToken("anna"), status: 401, code: "invalid_token",
            headers: ["WWW-Authenticate": "Bearer error=\"invalid_token\""]),
        ErrorCase(
            error: .insufficientRole(name: "anna", has: ["auditor"], needs: ["operator"]), status: 403,
            code: "insufficient_role"),
        ErrorCase(error: .invalidReason("is missing"), status: 400, code: "invalid_request"),
        ErrorCase(error: .unknownUser, status: 404, code: "not_found"),
        ErrorCase(
            error: ServiceError(RepositoryError.unavailable(.diskFull)), status: 503, code: "storage_unavailable",
            headers: retry),
        ErrorCase(
            error: ServiceError(RepositoryError.wrongMasterKey), status: 503, code: "storage_unavailable",
            headers: retry),
        ErrorCase(
            error: ServiceError(RepositoryError.unavailable(.overloaded)), status: 503, code: "overloaded",
            headers: retry),
    ]

    static let signIns: [ErrorCase] = [
        signIn(.invalidParameter(ParameterError("code", "is missing")), 400, "invalid_request"),
        signIn(.unknownClient, 400, "unknown_client"), signIn(.unknownProvider, 400, "unknown_provider"),
        signIn(.redirectURINotAllowed, 400, "redirect_uri_not_allowed"),
        signIn(.providerNotFound(discoveryUI: nil), 400, "provider_not_found"),
        signIn(
            .providerNotFound(discoveryUI: "https://app.example/ui"), 400, "provider_not_found",
            discoveryUI: "https://app.example/ui"),
        signIn(.invalidGrant(.refusedByProvider), 401, "invalid_grant"),
        signIn(.invalidGrant(.codeAlreadyUsed), 401, "invalid_grant"),
        signIn(.invalidGrant(.unknownRefreshToken), 401, "invalid_grant"),
        signIn(.invalidGrant(.reusedRefreshToken), 401, "invalid_grant"),
        signIn(.userinfoMismatch, 401, "userinfo_mismatch"),
        signIn(.invalidLogoutToken(.audience), 400, "invalid_request"),
        signIn(.invalidEvent(.audience), 400, "invalid_event", ["Content-Language": "en"]),
        signIn(.missingToken, 401, "invalid_token", ["WWW-Authenticate": "Bearer"]),
        signIn(.invalidToken, 401, "invalid_token", ["WWW-Authenticate": "Bearer error=\"invalid_token\""]),
        signIn(.accessDenied, 403, "access_denied"), signIn(.authenticationTimedOut, 403, "authentication_timed_out"),
        signIn(.migrationConflict, 409, "migration_conflict"),
        signIn(problem(.notJSON), 502, "provider_error"), signIn(problem(.status(500)), 502, "provider_error"),
        signIn(problem(.refused(.clientFault("invalid_client"))), 502, "provider_error"),
        signIn(problem(.transport(.connectionBroken(requestSent: true))), 502, "provider_error"),
        signIn(.providerUnavailable, 503, "provider_unavailable", retry),
        signIn(.providerCircuitOpen(retryAfterSeconds: 30), 503, "provider_unavailable", ["Retry-After": "30"]),
        signIn(.storageUnavailable(.diskFull), 503, "storage_unavailable", retry),
        signIn(.overloaded, 503, "overloaded", retry),
        signIn(.providerTimeout, 504, "provider_timeout"),
    ]

    static let faults: [ErrorCase] = IDTokenError.allCases.map {
        signIn(.invalidIDToken($0), 401, "invalid_id_token", reason: $0.rawValue)
    }
}

/// A broken rule of HTTP, and how the API tells it.
struct ViolationCase: Sendable, CustomTestStringConvertible {
    let violation: ProtocolError
    let status: Int
    let code: String
    let headers: [String: String]

    var testDescription: String { "\(violation)" }

    static let all: [ViolationCase] = [
        (.malformed("A line is wrong."), 400, "invalid_request", [:]), (.requestTimeout, 408, "request_timeout", [:]),
        (.bodyTooLarge, 413, "payload_too_large", [:]),
        (.targetTooLong, 414, "uri_too_long", [:]), (.expectationFailed, 417, "expectation_failed", [:]),
        (.headTooLarge, 431, "headers_too_large", [:]), (.methodNotImplemented, 501, "not_implemented", [:]),
        (.transferCodingNotImplemented, 501, "not_implemented", [:]),
        (.versionNotSupported, 505, "http_version_not_supported", [:]),
        (.overloaded, 503, "overloaded", ErrorCase.retry),
    ].map { (violation: ProtocolError, status: Int, code: String, headers: [String: String]) in
        ViolationCase(violation: violation, status: status, code: code, headers: headers)
    }
}

@Suite struct `An error` {
    @Test(arguments: ErrorCase.all)
    func `an error is told by one status, one code and one sentence`(expected: ErrorCase) throws {
        let response = ErrorAnswer(expected.error).response(requestID: "request-1")
        let body = try Self.expect(response, expected.status, expected.code, expected.headers)
        #expect(body["reason"]?.string == expected.reason)
        #expect(body["discovery_ui"]?.string == expected.discoveryUI)
    }

    @Test(arguments: ViolationCase.all)
    func `an error before there is a request is told by one status, one code and one sentence`(expected: ViolationCase)
        throws
    {
        let response = ErrorAnswer(violation: expected.violation).response(requestID: "request-1")
        let body = try Self.expect(response, expected.status, expected.code, expected.headers)
        #expect(body["reason"] == nil && body["discovery_ui"] == nil)
    }

    private static func expect(
        _ response: HTTPResponse, _ status: Int, _ code: String, _ expectedHeaders: [String: String]
    ) throws -> JSONObject {
        #expect(response.status.code == status)
        let body = try #require(try JSONValue(parsing: response.body).object)
        #expect(body["error"] == .string(code))
        #expect(body["error_code"] == .string(code))
        #expect(body["request_id"] == "request-1")
        let sentence = try #require(body["error_description"]?.string)
        #expect(sentence.hasSuffix(".") && sentence.count > 10)
        var headers = Dictionary(response.headers.map { ($0.name, $0.value) }) { first, _ in first }
        #expect(headers.removeValue(forKey: "Content-Type") == "application/json")
        #expect(headers.removeValue(forKey: "Cache-Control") == "no-store")
        #expect(headers == expectedHeaders)
        #expect(response.headers.count == expectedHeaders.count + 2)
        return body
    }

    @Test func `an error before there is a request has the status of the broken rule`() {
        for expected in ViolationCase.all { #expect(expected.violation.status.code == expected.status) }
    }

    @Test func `names the reasons of the API's contract`() {
        #expect(
            IDTokenError.allCases.map(\.rawValue) == [
                "signature", "algorithm", "issuer", "audience", "authorized_party", "expired", "issued_at", "nonce",
                "subject", "acr", "auth_time", "context", "at_hash", "c_hash", "malformed", "unknown_key",
            ])
    }

    @Test func `names the parameter and what is wrong with it`() {
        let answer = ErrorAnswer(.invalidParameter(ParameterError("nonce", "is missing")))
        #expect(answer.sentence == "The parameter nonce is missing.")
        #expect(ErrorAnswer(.invalidRequest("The body is not JSON.")).sentence == "The body is not JSON.")
    }
}
