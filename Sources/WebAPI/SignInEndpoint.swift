internal import Accounts
internal import EventLoop
internal import HTTPServer
internal import JSON
internal import Providers
internal import SignIn

/// `POST /auth/signin`, and the same for ZenKey's stock apps, `POST /auth/zenkey-signin`.
struct SignInEndpoint: Sendable {
    private static let longestUserAgent = 200

    let providers: ProviderDirectory
    let signIn: SignInWithCode
    let limiter: AddressLimiter
    let clientAddress: ClientAddress

    func respond(to request: HTTPRequest, _ notes: inout RequestNotes) async throws(APIError) -> HTTPResponse {
        notes.isSignIn = true
        if let wait = limiter.wait(for: clientAddress.network(of: request), now: .now) {
            throw .rateLimited(retryAfterSeconds: wait)
        }
        let parameters = try RequestParameters(request)
        let outcome: SignInWithCode.Outcome
        do throws(SignInError) {
            let provider = try providers.provider(named: parameters["provider"], clientID: parameters["client_id"])
            notes.provider = provider.configuration.name
            let response: AuthorizedResponse
            do throws(InvalidParameter) {
                response = try AuthorizedResponse({ parameters[$0] }, for: provider)
            } catch {
                throw .invalidParameter(error)
            }
            notes.correlationID = response.correlationID
            let userAgent = request.header("user-agent").map { String($0.prefix(Self.longestUserAgent)) }
            outcome = try await signIn.signIn(response, with: provider, userAgent: userAgent)
        } catch {
            throw .signIn(error)
        }
        notes.isNewUser = outcome.signedIn.isNewUser
        notes.migrated = outcome.signedIn.migrated
        return Self.answer(outcome)
    }

    private static func answer(_ outcome: SignInWithCode.Outcome) -> HTTPResponse {
        let signedIn = outcome.signedIn
        var writer = JSONWriter(reservingCapacity: 1024)
        writer.object { body in
            body.tokens(outcome.tokens)
            body.name("user")
            body.object { user in
                user.member("user_id", signedIn.user.rawValue)
                for name in ["name", "given_name", "family_name", "email", "phone_number", "postal_code"] {
                    if let value = signedIn.profile.carrier[name] { user.member(name, value) }
                }
            }
            body.member("new_user", signedIn.isNewUser)
            body.member("migrated", signedIn.migrated)
            if let acr = outcome.acr { body.member("acr", acr) }
            if let authTime = outcome.authTime { body.member("auth_time", authTime) }
        }
        return .secretJSON(writer.bytes)
    }
}

extension JSONWriter {
    /// The token members every answer with a session has (RFC 6749 §5.1 and, for stock apps, `token` and `expires`).
    mutating func tokens(_ tokens: SessionIssuer.Tokens) {
        member("token", tokens.accessToken)
        member("refresh_token", tokens.refreshToken)
        member("token_type", "bearer")
        member("expires", tokens.expiresIn)
    }
}

extension HTTPResponse {
    /// A success that holds tokens or personal data: not to be kept by anything on the way (RFC 6749 §5.1), nor
    /// compressed.
    static func secretJSON(_ body: [UInt8]) -> HTTPResponse {
        var response = HTTPResponse.json(.ok, body)
        response.headers.append((name: "Cache-Control", value: "no-store"))
        response.isCompressible = false
        return response
    }
}
