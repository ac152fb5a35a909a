public import Accounts
internal import Crypto
public import HTTPClient
public import JSON
public import Providers

extension SigningProvider {
    public var introspectionEndpoint: String { issuer + "/introspect" }

    /// A good access token that is a JWT (RFC 9068), before it is signed.
    public var accessTokenDraft: TokenDraft {
        TokenDraft(
            header: JSONObject([
                ("typ", "at+jwt"), ("alg", .string(algorithm.rawValue)), ("kid", .string(Self.keyID)),
            ]),
            claims: JSONObject([
                ("iss", .string(issuer)), ("sub", "310260-subject"), ("aud", .string(clientID)),
                ("client_id", .string(clientID)), ("exp", .integer(Self.now + 300)), ("iat", .integer(Self.now - 5)),
                ("jti", "the-jti"), ("scope", "openid profile"),
            ]))
    }

    public func accessToken(_ change: (inout TokenDraft) -> Void = { _ in }) throws -> String {
        try sign(accessTokenDraft, change)
    }

    /// A good answer about one (RFC 7662 §2.2).
    public func introspected(_ change: (inout JSONObject) -> Void = { _ in }) -> JSONValue {
        var answer = JSONObject([
            ("active", true), ("token_type", "Bearer"), ("iss", .string(issuer)), ("sub", "310260-subject"),
            ("aud", .string(clientID)), ("client_id", .string(clientID)), ("exp", .integer(Self.now + 300)),
            ("iat", .integer(Self.now - 5)), ("scope", "openid profile"),
        ])
        change(&answer)
        return .object(answer)
    }

    /// Its metadata, with the endpoint that is asked about tokens.
    public var metadataWithIntrospection: JSONValue {
        var document = metadata.object ?? JSONObject()
        document.append("introspection_endpoint", .string(introspectionEndpoint))
        return .object(document)
    }
}

extension SignInStage {
    /// A stage whose provider takes its own access tokens.
    public static func exchanging(
        _ exchange: TokenExchange, registration: RegistrationMode = .automatic,
        _ change: @escaping (inout ProviderConfiguration) -> Void = { _ in }
    ) async throws -> SignInStage {
        let stage = try await SignInStage(registration: registration) { configuration in
            configuration = .openID {
                $0.tokenExchange = exchange
                change(&$0)
            }
        }
        stage.transport.answer(stage.carrier.metadataURL, json: stage.carrier.metadataWithIntrospection)
        stage.answerIntrospection()
        return stage
    }

    /// The provider answers about tokens with these changes.
    public func answerIntrospection(_ change: (inout JSONObject) -> Void = { _ in }) {
        transport.answer(carrier.introspectionEndpoint, json: carrier.introspected(change))
    }

    public var introspections: [OutboundRequest] { transport.requests(to: carrier.introspectionEndpoint) }
}
