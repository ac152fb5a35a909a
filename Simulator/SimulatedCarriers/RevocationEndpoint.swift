internal import HTTPServer

/// Where a client says that a token is good for nothing any more (RFC 7009 §2).
struct RevocationEndpoint {
    static let path = "/revoke"

    let world: World
    let provider: Provider

    func respond(to request: HTTPRequest) -> HTTPResponse {
        do throws(OAuthError) {
            guard let form = Fields(form: request), !form.hasRepetition else {
                throw .invalidRequest("The body is no form, or repeats a parameter.")
            }
            let isForAnybody = provider.dialect?.revokesForAnybody == true
            let client =
                isForAnybody
                ? nil : try ClientAuthentication(world: world, provider: provider).client(request, form)
            guard let token = form["token"] else { throw .invalidRequest("The token is missing.") }
            guard provider.grants.revoke(token, clientID: client?.id, now: World.now) || !isForAnybody else {
                throw OAuthError("invalid_token", "Token expired or revoked")
            }
            return HTTPResponse(status: .ok)
        } catch {
            return provider.dialect?.refusals.response(to: error) ?? error.response
        }
    }
}
