internal import HTTPServer
internal import JSON
internal import SignIn

/// `POST /auth/challenge`: a nonce for the authorization request that the app is about to make.
struct ChallengeEndpoint: Sendable {
    let challenges: Challenges
    let limits: AddressLimits

    func respond(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        try limits.count(context.network, as: .challenges)
        let nonce = try await challenges.issue()
        var writer = JSONWriter()
        writer.object { body in
            body.member("nonce", nonce)
            body.member("expires", Challenges.lifetimeSeconds)
        }
        return .secretJSON(writer.bytes)
    }
}
