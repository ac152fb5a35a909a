internal import Accounts
internal import Apps
internal import HTTPServer
internal import JSON
internal import Providers
internal import SignIn
internal import WebAPI

/// What the vault opens: a provider's access token, to a service of ours that is configured for it, and userinfo once
/// more, to the user.
struct ProviderTokenEndpoint: Sendable {
    static let path = "/users/me/identities/{identity_id}/access-token"

    /// What a request for a new profile tells.
    private enum Parameter: String, ParameterNames {
        case identityID = "identity_id"
    }

    private static let parameters = ParameterTable<Parameter>()

    let vault: TokenVault
    let profile: RefreshProfile
    let providers: ProviderRegistry

    /// `GET …/access-token`: only for an app with a secret, which shows it beside the user's session token. A thief of
    /// that token alone gets nothing here.
    func accessToken(
        _ context: RequestContext, _ principal: Principal, _ app: RegisteredApp
    ) async throws(ServiceError) -> HTTPResponse {
        guard let identity = Self.identity(context.request.parameters["identity_id"]) else { throw .notFound }
        let isForced = try Self.isForced(context.request)
        let token = try await vault.accessToken(
            of: identity, under: principal.session, allowed: { app.providerTokens.contains($0) }, isForced: isForced,
            in: context.call)
        var writer = JSONWriter()
        writer.object { body in
            body.member("access_token", token.text)
            body.member("token_type", "Bearer")
            if let seconds = token.lifetimeSeconds { body.member("expires_in", seconds) }
            if let scope = token.scope { body.member("scope", scope) }
        }
        return .secretJSON(writer.bytes)
    }

    /// `POST /users/me/refresh-profile`: the user as the provider has it now.
    func refreshProfile(_ context: RequestContext, _ principal: Principal) async throws(ServiceError) -> HTTPResponse {
        var identity: IdentityID?
        if !context.request.body.isEmpty,
            let number = try RequestParameters(context.request, Self.parameters)[.identityID]
        {
            identity = Self.identity(number)
            guard identity != nil else { throw .invalidParameter(ParameterError("identity_id", "is not a number")) }
        }
        let user = try await profile.refresh(
            identity, under: principal.session, from: context.network.lane, in: context.call)
        return CurrentUserEndpoint.answer(user, principal.session, by: providers, as: context.responses)
    }

    private static func identity(_ text: String?) -> IdentityID? {
        text.flatMap { Int64($0) }.map(IdentityID.init(rawValue:))
    }

    /// Whether the token that the vault has was refused where it was shown.
    private static func isForced(_ request: HTTPRequest) throws(ServiceError) -> Bool {
        switch try QueryParameters(request).text("force_refresh") {
        case nil, "false": false
        case "true": true
        default: throw .invalidParameter(ParameterError("force_refresh", "is neither true nor false"))
        }
    }
}
