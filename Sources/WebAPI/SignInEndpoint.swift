import Accounts
import Apps
package import HTTPServer
package import JSON
import Providers
package import SignIn

/// `POST /auth/signin`, and the same for ZenKey's stock apps, `POST /auth/zenkey-signin`.
struct SignInEndpoint: Sendable {
    static let parameters = ParameterTable<AuthorizedResponse.Parameter>()

    let signIn: SignInWithProvider
    let sessions: Sessions
    let code: CodeParameters

    func respond(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        context.signIn = .begun
        let (parameters, provider) = try code.read(context, Self.parameters)
        let response = try CodeParameters.authorizedResponse(parameters, for: provider, context)
            .repeatable(as: parameters.digest(of: .signIn, context, leavesProof: true), at: provider)
        context.kind = response.kind
        let replaced = try await sessions.replaced(by: parameters[.replacesToken], for: nil)
        let outcome = try await signIn.signIn(
            response, with: provider, userAgent: context.request.userAgent, replacing: replaced, in: context.call)
        context.signIn =
            outcome.signedIn.migrated ? .migrated : outcome.signedIn.isNewUser ? .newUser : .signedIn
        return Self.answer(outcome, of: provider.configuration.name, by: code.providers, as: context.responses)
    }

    /// - Parameters:
    ///   - provider: the one that the user has signed in with.
    ///   - providers: whose word it may be that an address is verified.
    ///   - shape: how the app that signs in is told of a user.
    ///   - issuedTokenType: of the access token, where another token was given for it (RFC 8693 §2.2.1).
    static func answer(
        _ outcome: SignInWithProvider.Outcome, of provider: String, by providers: ProviderRegistry,
        as shape: ResponseShape, issuedTokenType: String? = nil
    ) -> HTTPResponse {
        let signedIn = outcome.signedIn
        var writer = JSONWriter(reservingCapacity: 1024)
        writer.object { body in
            body.tokens(outcome.tokens)
            body.name("user")
            body.object { user in
                user.member("user_id", signedIn.user.rawValue)
                switch shape {
                case .flat, .zenkeyIOS: user.profile(signedIn.profile, of: provider, outcome.claims, by: providers)
                case .zenkeyAndroid: user.nested(signedIn.profile, of: provider, outcome.claims, by: providers)
                }
            }
            body.member("new_user", signedIn.isNewUser)
            body.member("migrated", signedIn.migrated)
            if signedIn.isMergeOffered { body.member("merge_offered", true) }
            if let declined = outcome.declined { body.declinedScopes(declined) }
            if let acr = outcome.authentication.acr { body.member("acr", acr) }
            if let time = outcome.authentication.time { body.member("auth_time", time) }
            if let issuedTokenType { body.member("issued_token_type", issuedTokenType) }
        }
        return .secretJSON(writer.bytes)
    }
}

extension JSONWriter {
    /// The token members every answer with a session has (RFC 6749 §5.1 and, for stock apps, `token` and `expires`).
    package mutating func tokens(_ tokens: TokenIssuer.Tokens) {
        member("access_token", tokens.accessToken)
        member("token", tokens.accessToken)
        if let refreshToken = tokens.refreshToken { member("refresh_token", refreshToken) }
        member("token_type", "Bearer")
        member("expires_in", tokens.expiresIn)
        member("expires", tokens.expiresIn)
    }

    /// What a user has declined of the scopes that were asked for: names, and never an empty list.
    ///
    /// - Parameter declined: with blanks between.
    mutating func declinedScopes(_ declined: String) {
        member("declined_scopes", .array(declined.split(separator: " ").map { .string(String($0)) }))
    }

    /// What the app is told of its user, flat, as stock apps know it.
    fileprivate mutating func profile(
        _ profile: Profile, of provider: String, _ claims: UserClaims, by providers: ProviderRegistry
    ) {
        let shown = profile.shown
        if claims.hasProfile {
            for name in ["name", "given_name", "family_name", "birthdate"] {
                if let value = shown[name] { member(name, value) }
            }
        }
        claimsOfTheirOwnScope(shown, of: profile, from: provider, claims, by: providers)
        if claims.hasProfile { saidByUserAlone(profile) }
    }

    /// The same as ZenKey's sample app for Android knows it.
    fileprivate mutating func nested(
        _ profile: Profile, of provider: String, _ claims: UserClaims, by providers: ProviderRegistry
    ) {
        nestedProfile(profile.shown, claims.attributeNames) { providers.isVerified($0, in: profile) }
        if claims.hasFurther { self.claims(profile.claims(of: provider)) }
        if claims.hasProfile { saidByUserAlone(profile) }
    }

    /// What the user says and no carrier does, as the member `own`, where there is any.
    mutating func saidByUserAlone(_ profile: Profile) {
        if profile.own.isEmpty { return }
        let apart = profile.saidByUserAlone
        if apart.isEmpty { return }
        name("own")
        object { own in for member in apart.members { own.member(member.name, member.value) } }
    }
}

extension HTTPResponse {
    /// A success that holds tokens or personal data: not to be kept by anything on the way (RFC 6749 §5.1), nor
    /// compressed.
    package static func secretJSON(_ body: [UInt8], _ status: HTTPStatus = .ok) -> HTTPResponse {
        var response = HTTPResponse.json(status, body)
        response.headers.append((name: "Cache-Control", value: "no-store"))
        response.isCompressible = false
        return response
    }
}
