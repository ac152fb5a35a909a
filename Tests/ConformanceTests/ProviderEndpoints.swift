import Crypto
import EventLoop
import HTTPServer
import HTTPTesting
import JSON
import Syntax
import TestSupport

/// What a scripted provider answers. It is strict: what a relying party does wrong is refused, and noted.
struct ProviderEndpoints: RequestHandler {
    let commonFields: [(name: String, value: String)] = [(name: "Cache-Control", value: "no-store")]
    let transportFields: [(name: String, value: String)] = []
    private let tokens: SignedTokens
    private var script: ProviderScript { tokens.script }
    private var record: ProviderRecord { tokens.record }

    init(_ tokens: SignedTokens) {
        self.tokens = tokens
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        guard let endpoint = ProviderRecord.Endpoint.allCases.first(where: { path(of: $0) == request.path }) else {
            return refusal(404, "invalid_request", "\(request.path) is asked for, which is nowhere")
        }
        record.count(endpoint)
        do {
            return switch endpoint {
            case .configuration: try configuration()
            case .keys: json(["keys": .array(try tokens.published().map { .object($0) })])
            case .authorize: try authorization(request)
            case .token: try token(request)
            case .userinfo: try userinfo(request)
            }
        } catch {
            return refusal(500, "server_error", "the provider itself fails: \(error)")
        }
    }

    func refuse(_ violation: ProtocolError, requestID: String, peer: SocketAddress) -> HTTPResponse {
        refusal(violation.status.code, "invalid_request", "no proper HTTP")
    }

    private func path(of endpoint: ProviderRecord.Endpoint) -> String {
        script.paths[endpoint] ?? endpoint.rawValue
    }

    private func refusal(_ status: Int, _ error: String, _ fault: String) -> HTTPResponse {
        record.note(fault: fault)
        return json(["error": .string(error)], status: HTTPStatus(status))
    }

    private func json(_ value: JSONValue, status: HTTPStatus = .ok) -> HTTPResponse {
        .json(status, value.serialized)
    }

    /// OpenID Connect Discovery 1.0 §4.2.
    private func configuration() throws -> HTTPResponse {
        func url(_ endpoint: ProviderRecord.Endpoint) -> JSONValue { .string(tokens.issuer + path(of: endpoint)) }
        var document = JSONObject([
            ("issuer", .string(tokens.issuer)), ("authorization_endpoint", url(.authorize)),
            ("token_endpoint", url(.token)), ("userinfo_endpoint", url(.userinfo)), ("jwks_uri", url(.keys)),
            ("response_types_supported", ["code"]), ("subject_types_supported", ["public"]),
            ("id_token_signing_alg_values_supported", [.string(script.algorithm.rawValue)]),
            ("token_endpoint_auth_methods_supported", ["client_secret_basic"]),
            ("code_challenge_methods_supported", ["S256"]),
        ])
        try script.metadata(&document)
        return json(.object(document))
    }

    /// OpenID Connect Core §3.1.2.5: the user who is asked says yes.
    private func authorization(_ request: HTTPRequest) throws -> HTTPResponse {
        let query = try FormFields(parsing: (request.query ?? "").utf8.span, limit: 64)
        guard let redirectURI = query["redirect_uri"], query["client_id"] == ScriptedProvider.clientID else {
            return refusal(400, "invalid_request", "the authorization request is of nobody known")
        }
        if script.rotation == .betweenSignIns, record.requests(at: .authorize) > 1 { record.rotate() }
        let grant = ProviderRecord.Grant(
            nonce: query["nonce"], challenge: query["code_challenge"], redirectURI: redirectURI)
        var response = ["code": record.issue("code", for: grant)]
        response["state"] = query["state"]
        response["iss"] = tokens.issuer
        try script.authorizationResponse(&response)
        return .redirect(to: "\(redirectURI)?\(FormText.encode(response))")
    }

    /// OpenID Connect Core §3.1.3.1: only by `client_secret_basic`.
    private func token(_ request: HTTPRequest) throws -> HTTPResponse {
        let form = try FormFields(parsing: request.body.span, limit: 64)
        let credentials = Base64.encode(Array("\(ScriptedProvider.clientID):\(ScriptedProvider.clientSecret)".utf8))
        guard request.method == .post, request.header("Authorization") == "Basic \(credentials)" else {
            return refusal(401, "invalid_client", "the client is not authenticated by client_secret_basic")
        }
        guard form["client_secret"] == nil else {
            return refusal(400, "invalid_request", "the client is authenticated twice")
        }
        let isRefresh = form["grant_type"] == "refresh_token"
        guard let grant = record.redeem(form[isRefresh ? "refresh_token" : "code"]) else {
            return refusal(400, "invalid_grant", "the code or the refresh token is not known any more")
        }
        if !isRefresh {
            guard form["redirect_uri"] == grant.redirectURI else {
                return refusal(400, "invalid_grant", "the redirect_uri is another one")
            }
            let verifier = form["code_verifier"] ?? ""
            guard Base64URL.encode(Digest.sha256.hash(Array(verifier.utf8))) == grant.challenge else {
                return refusal(400, "invalid_grant", "the code_verifier is another one")
            }
        }
        let accessToken = record.issueAccessToken()
        var answer = JSONObject([
            ("access_token", .string(accessToken)), ("token_type", "Bearer"), ("expires_in", 3600),
            ("scope", "openid profile email offline_access"),
            ("refresh_token", .string(record.issue("refresh-token", for: grant))),
            ("id_token", .string(try tokens.idToken(for: grant, accessToken, isRefreshed: isRefresh))),
        ])
        try script.tokenResponse(&answer)
        return json(.object(answer))
    }

    /// OpenID Connect Core §5.3: the access token in the header alone (RFC 6750 §2.1).
    private func userinfo(_ request: HTTPRequest) throws -> HTTPResponse {
        let bearer = "Bearer "
        guard let authorization = request.header("Authorization"), authorization.hasPrefix(bearer),
            record.knows(accessToken: String(authorization.dropFirst(bearer.count))),
            !(request.query ?? "").contains("access_token")
        else {
            return refusal(401, "invalid_token", "userinfo is asked without an access token in the header alone")
        }
        var claims = JSONObject([
            ("sub", .string(ScriptedProvider.subject)), ("email", .string(ScriptedProvider.email)),
            ("email_verified", true), ("name", "Diana Krall"),
        ])
        try script.userinfo(&claims)
        switch script.userinfoForm {
        case .object: return json(.object(claims))
        case .array: return json([.object(claims)])
        case .signed(let signature):
            return HTTPResponse(
                status: .ok, headers: [(name: "Content-Type", value: "application/jwt")],
                body: Array(try tokens.userinfo(claims, signature).utf8))
        }
    }
}
