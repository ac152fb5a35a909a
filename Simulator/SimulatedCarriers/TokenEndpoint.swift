internal import Crypto
internal import HTTPServer
internal import JSON
import Syntax

/// The token endpoint (RFC 6749 §3.2, OpenID Connect Core §3.1.3).
struct TokenEndpoint {
    let world: World
    let provider: Provider
    /// Whose it is, at a dialect that has tenants.
    var tenant: String?

    func respond(to request: HTTPRequest, _ misbehaviours: [Misbehaviour]) throws(CryptoError) -> HTTPResponse {
        if misbehaviours.tokenResponse == .busy { return Self.busy }
        let now = World.now
        let redemption: Redemption
        do throws(OAuthError) {
            redemption = try redeem(request, misbehaviours, now: now)
            if let failure = failure(misbehaviours.tokenResponse, request) { throw failure }
        } catch {
            return provider.dialect?.refusals.response(to: error) ?? error.response
        }
        if misbehaviours.tokenResponse == .nestedError { return Self.nestedError }
        if misbehaviours.tokenResponse == .html400 {
            return .html(.badRequest, "<!DOCTYPE html><title>Error</title><p>Your request was bad.</p>")
        }
        return .object(try answer(redemption, misbehaviours, now: now))
    }

    /// What a right request has come to.
    private struct Redemption {
        let client: SimulatedClient
        let grant: Grant
        let isRefresh: Bool
        let correlationID: String?

        func givesRefreshToken(_ provider: Provider) -> Bool {
            if isRefresh, provider.dialect?.rotatesRefreshTokens == false { return false }
            return !provider.profile.refreshTokenNeedsScope || grant.scopes.contains("offline_access")
        }
    }

    private func redeem(
        _ request: HTTPRequest, _ misbehaviours: [Misbehaviour], now: Int64
    ) throws(OAuthError) -> Redemption {
        guard Self.isForm(request.header("Content-Type")), let form = Fields(form: request) else {
            throw .invalidRequest("The body is no application/x-www-form-urlencoded form.")
        }
        guard !form.hasRepetition else { throw .invalidRequest("A parameter is repeated.") }
        let client = try ClientAuthentication(world: world, provider: provider).client(request, form)
        let type = form["grant_type"]
        let grant: Grant
        switch type {
        case "authorization_code":
            grant = try CodeRedemption(provider: provider, tenant: tenant, form: form, client: client, now: now).grant()
        case "refresh_token":
            let isSpent = misbehaviours.tokenResponse != .withoutRotation && rotatesRefreshTokens
            grant = try redeemRefreshToken(form, client, isSpent: isSpent, now: now)
        case nil: throw .invalidRequest("The grant_type is missing.")
        default: throw OAuthError("unsupported_grant_type", "The grant_type is not supported.")
        }
        return Redemption(
            client: client, grant: grant, isRefresh: type == "refresh_token", correlationID: form["correlation_id"])
    }

    private var rotatesRefreshTokens: Bool { provider.dialect?.rotatesRefreshTokens ?? true }

    private func redeemRefreshToken(
        _ form: Fields, _ client: SimulatedClient, isSpent: Bool, now: Int64
    ) throws(OAuthError) -> Grant {
        guard let token = form["refresh_token"] else { throw .invalidRequest("The refresh_token is missing.") }
        let grants = provider.grants
        guard let grant = grants.redeem(refreshToken: token, clientID: client.id, isSpent: isSpent, now: now) else {
            throw .invalidGrant("The refresh_token is unknown, expired, used, or another client's.")
        }
        return grant
    }

    private func answer(
        _ redemption: Redemption, _ misbehaviours: [Misbehaviour], now: Int64
    ) throws(CryptoError) -> JSONObject {
        var grant = redemption.grant
        // From here on it is the server that is told, even where an SDK got the code.
        grant.isNative = false
        let accessToken = try accessToken(redemption, misbehaviours.accessToken, now: now)
        if provider.profile.namesSessions { provider.note(session: grant.id, of: grant, now: now) }
        let idToken = IDToken(
            world: world, provider: provider, client: redemption.client, grant: grant, accessToken: accessToken,
            isRefreshed: redemption.isRefresh, now: now)
        if provider.issuer.isCarrier || provider.issuer == .apple {
            provider.note(subject: idToken.subject, of: grant.subscriber, now: now)
        }
        var answer = JSONObject([
            ("access_token", .string(accessToken)), ("token_type", "Bearer"),
            ("expires_in", .integer(GrantStore.accessTokenLifetime)),
        ])
        if redemption.givesRefreshToken(provider) {
            answer.append("refresh_token", .string(provider.grants.makeRefreshToken(for: grant, now: now)))
        }
        if provider.issuer == .plain { answer.append("scope", .string(grant.scopes.sorted().joined(separator: " "))) }
        answer.append("correlation_id", ifPresent: redemption.correlationID ?? grant.correlationID)
        answer.append("id_token", .string(try idToken.compact(misbehaviours)))
        switch misbehaviours.tokenResponse {
        case .withoutIDToken: answer.remove("id_token")
        case .withoutAccessToken: answer.remove("access_token")
        case .wrongType: answer.set("token_type", "mac")
        case .typeInOddCase: answer.set("token_type", "bEaReR")
        case .withoutLifetime: answer.remove("expires_in")
        case .shortLived: answer.set("expires_in", 30)
        case .withoutRotation: if redemption.isRefresh { answer.remove("refresh_token") }
        case .lifetimeAsText: answer.set("expires_in", .string(String(GrantStore.accessTokenLifetime)))
        default: break
        }
        return answer
    }

    /// A random text, unless it is to be a JWT.
    private func accessToken(
        _ redemption: Redemption, _ misbehaviour: AccessTokenMisbehaviour?, now: Int64
    ) throws(CryptoError) -> String {
        let grant = redemption.grant
        guard let misbehaviour else {
            return try DialectAccessToken(world: world, provider: provider, client: redemption.client, grant: grant)
                .make(now: now)
        }
        let token = try AccessToken(world: world, provider: provider, grant: grant, issuedAt: now).compact(misbehaviour)
        provider.grants.keep(accessToken: token, for: grant, now: now)
        return token
    }

    private static var busy: HTTPResponse {
        var response = HTTPResponse.html(.serviceUnavailable, "<!DOCTYPE html><title>Busy</title>")
        response.headers.append((name: "Retry-After", value: "7"))
        return response
    }

    private static var nestedError: HTTPResponse {
        .object(
            JSONObject([
                (
                    "error",
                    [
                        "message": "Error validating verification code.", "type": "OAuthException", "code": 100,
                        "error_subcode": 36_008, "fbtrace_id": "A1B2C3D4E5F6G7H8",
                    ]
                )
            ]), status: .badRequest)
    }

    private func failure(_ misbehaviour: TokenResponseMisbehaviour?, _ request: HTTPRequest) -> OAuthError? {
        let description = "The simulation was asked for this error."
        return switch misbehaviour {
        case .invalidClient:
            OAuthError("invalid_client", description, status: .unauthorized, challenge: "Basic realm=\"simulation\"")
        case .invalidGrant: OAuthError("invalid_grant", description)
        case .requestDenied: OAuthError("request_denied", description)
        case .accessDenied: OAuthError("access_denied", description, status: .forbidden)
        case .temporarilyUnavailable:
            OAuthError("temporarily_unavailable", description, status: .serviceUnavailable)
        case .userNotFound: OAuthError("user_not_found", description)
        case .timedOut: OAuthError("authentication_timed_out", description)
        case .loginHint: OAuthError("invalid_login_hint_token", description)
        case .unknownError:
            OAuthError(
                "invalid_code",
                "No such code: \(String(decoding: request.body, as: UTF8.self)) \(request.header("Authorization") ?? "")",
                status: .forbidden)
        case .serverError: OAuthError("server_error", description, status: .internalServerError)
        case .errorInside200: OAuthError("request_denied", description, status: .ok)
        default: nil
        }
    }

    private static func isForm(_ contentType: String?) -> Bool {
        let type = contentType?.split(separator: ";").first?.lowercased()
        return type?.split(separator: " ").first == "application/x-www-form-urlencoded"
    }
}
