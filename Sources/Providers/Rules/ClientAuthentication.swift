public import Crypto
public import HTTPClient
public import JSON
public import Syntax

/// How a client proves itself at a provider's endpoints (OpenID Connect Core §9), or only says who it is.
///
/// What stays the same from request to request is made once, when the configuration is read.
public struct ClientAuthentication: Sendable {
    /// How identifier and secret are written inside Basic.
    public enum BasicEncoding: String, CaseIterable, Sendable {
        /// Form-encoded first, as RFC 6749 §2.3.1 has it.
        case form
        /// As they are, for providers that do not decode.
        case raw
    }

    private enum Way: Sendable {
        case constant(ClientProof)
        case assertion(ClientAssertion)
        case apple([AppleClientSecret])
    }

    private let way: Way

    /// `client_secret_basic`. The body then carries no `client_id`: a carrier refuses it beside Basic.
    public static func basic(clientID: String, secret: Secret, encoding: BasicEncoding) -> ClientAuthentication {
        ClientAuthentication(way: .constant(.basic(clientID: clientID, secret: secret, encoding: encoding)))
    }

    /// `client_secret_post`.
    public static func post(clientID: String, secret: Secret) -> ClientAuthentication {
        ClientAuthentication(way: .constant(.posted(clientID: clientID, secret: secret)))
    }

    /// `none`: a public client, which names itself in the body (RFC 6749 §3.2.1). Nothing but PKCE then ties a code to
    /// the party that began the sign-in.
    public static func publicClient(clientID: String) -> ClientAuthentication {
        var fields: [UInt8] = []
        FormEncoding.append("client_id", clientID, to: &fields)
        return ClientAuthentication(
            way: .constant(ClientProof(authorization: nil, bodyFields: Secret(fields), secret: nil)))
    }

    /// `private_key_jwt` or `client_secret_jwt`, by the assertion's key.
    public static func assertion(_ assertion: ClientAssertion) -> ClientAuthentication {
        ClientAuthentication(way: .assertion(assertion))
    }

    /// A secret that is made of a key, as Apple has it: one for each of our clients there, since a code is exchanged by
    /// the very one that it was issued to.
    ///
    /// - Parameter secrets: the section's own client's first.
    public static func apple(_ secrets: [AppleClientSecret]) -> ClientAuthentication {
        ClientAuthentication(way: .apple(secrets))
    }

    /// What a request to one of the provider's endpoints says of who we are.
    ///
    /// - Parameters:
    ///   - clientID: which of our clients asks, where there are several; nil for the usual one.
    ///   - keys: those of ours that are no provider's own.
    ///   - now: seconds since 1970.
    /// - Throws: `ProviderCallError.noClientKey` when there is nothing to sign with.
    public func proof(
        at endpoint: EndpointURL, of issuer: ProviderMetadata, as clientID: String? = nil, keys: ClientKeys, now: Int64
    ) throws(ProviderCallError) -> ClientProof {
        switch way {
        case .constant(let proof): return proof
        case .assertion(let assertion): return try assertion.proof(at: endpoint, of: issuer, keys: keys, now: now)
        case .apple(let secrets):
            guard let secret = secrets.first(where: { $0.clientID == clientID }) ?? secrets.first else {
                throw .noClientKey
            }
            return try secret.proof(now: now)
        }
    }

    /// Whether each of our clients proves itself with a secret of its own.
    public var isOfEachClient: Bool { if case .apple = way { true } else { false } }

    /// Whether it proves that client.
    public func has(_ clientID: String) -> Bool {
        guard case .apple(let secrets) = way else { return false }
        return secrets.contains { $0.clientID == clientID }
    }

    /// The secret that the provider shares with us, for what it signs with it; nil where there is none.
    public var sharedSecret: Secret? {
        switch way {
        case .constant(let proof): proof.secret
        case .assertion(let assertion): assertion.sharedSecret
        case .apple: nil
        }
    }

    /// The team whose client we are at Apple; nil elsewhere.
    public var appleTeamID: String? {
        guard case .apple(let secrets) = way else { return nil }
        return secrets.first?.teamID
    }

    /// What key of ours it needs; nil for all ways that bring their own, or need none.
    public var sharedKey: SignatureAlgorithm? {
        guard case .assertion(let assertion) = way else { return nil }
        return assertion.sharedKey
    }

    /// The public key of a provider's own key file, for verifying our assertions (RFC 7517).
    public var publishedKey: JSONValue? {
        guard case .assertion(let assertion) = way else { return nil }
        return assertion.publishedKey
    }
}

/// A request that is made as one of the provider's clients.
public protocol ClientRequest: Sendable {
    /// Which of our clients asks, where there are several; nil for the usual one.
    var clientID: String? { get }
    /// What a provider must not be heard repeating.
    var secrets: [String] { get }

    func request(
        to endpoint: EndpointURL, as client: ClientProof, timeout: Duration, policy: OutboundPolicy
    ) -> OutboundRequest
}

extension ClientRequest {
    public var clientID: String? { nil }
}

/// What a request says of who sends it.
public struct ClientProof: Sendable {
    /// The `Authorization` header of the request, where there is one. A secret.
    let authorization: Secret?
    /// Form fields for the request's body, encoded, where credentials travel there. A secret.
    let bodyFields: Secret?
    /// The client's secret, or what stands for it.
    let secret: Secret?

    /// What a provider must not be heard repeating: the secret, and the header it went in.
    public var secrets: [String] {
        [secret?.revealedText, authorization.map { String($0.revealedText.dropFirst("Basic ".count)) }]
            .compactMap(\.self)
    }

    static func basic(
        clientID: String, secret: Secret, encoding: ClientAuthentication.BasicEncoding
    ) -> ClientProof {
        var credentials: [UInt8] = []
        switch encoding {
        case .form:
            FormEncoding.append(clientID.utf8.span, to: &credentials)
            credentials.append(UInt8(ascii: ":"))
            FormEncoding.append(secret.revealedBytes.span, to: &credentials)
        case .raw:
            credentials.append(contentsOf: clientID.utf8)
            credentials.append(UInt8(ascii: ":"))
            credentials.append(contentsOf: secret.revealedBytes)
        }
        return ClientProof(
            authorization: Secret("Basic " + Base64.encode(credentials)), bodyFields: nil, secret: secret)
    }

    static func posted(clientID: String, secret: Secret) -> ClientProof {
        var fields: [UInt8] = []
        FormEncoding.append("client_id", clientID, to: &fields)
        fields.append(contentsOf: "&client_secret=".utf8)
        FormEncoding.append(secret.revealedBytes.span, to: &fields)
        return ClientProof(authorization: nil, bodyFields: Secret(fields), secret: secret)
    }
}
