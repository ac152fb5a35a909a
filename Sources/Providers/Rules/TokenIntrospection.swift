internal import Crypto
public import HTTPClient
internal import JOSE
internal import JSON
public import Syntax

/// The question to a provider what an access token is good for (RFC 7662 §2.1).
public struct IntrospectionRequest: ClientRequest {
    public let token: String

    public var secrets: [String] { [token] }

    public init(token: String) {
        self.token = token
    }

    /// The request to send. It changes nothing, and is still sent only once: an assertion is good for one request.
    public func request(
        to endpoint: EndpointURL, as client: ClientProof, timeout: Duration, policy: OutboundPolicy
    ) -> OutboundRequest {
        var body: [UInt8] = []
        FormEncoding.append("token", token, to: &body)
        FormEncoding.append("token_type_hint", "access_token", to: &body)
        return .posting(body, to: endpoint, as: client, timeout: timeout, policy: policy)
    }
}

/// What a provider has answered (RFC 7662 §2.2), before anything in it is believed.
public struct IntrospectionAnswer: Sendable {
    private let claims: JSONValue

    /// Reads an answer.
    ///
    /// - Parameter dialect: in whose words it refuses.
    /// - Throws: `ProviderCallError` for what is none. That we are refused is a fault of the configuration (§2.3), and
    ///   a signed answer (RFC 9701) one that was not asked for.
    public init(_ response: OutboundResponse, dialect: Dialect = .standard) throws(ProviderCallError) {
        guard response.status == 200 else {
            switch dialect.meaning(of: response, to: .introspection)?.error {
            case .clientFault(let name): throw .refused(.clientFault(name))
            case .temporarilyUnavailable: throw .refused(.temporarilyUnavailable)
            default: throw response.unexpectedStatus
            }
        }
        let type = response.header("content-type")?.split(separator: ";").first?.lowercased() ?? ""
        guard !type.contains("jwt") else { throw .notJSON }
        claims = try response.parsedObject()
        if claims["active"] == nil,
            let meaning = dialect.meaning(of: claims, response.status, to: .introspection), meaning.isOwn
        {
            throw .refused(meaning.error)
        }
    }

    /// Holds the answer to the rules.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: the first rule broken.
    public func verify(_ rules: AccessTokenRules, now: Int64) throws(AccessTokenError) -> ProvenAccessToken {
        // Nothing but `true` is true: a text of that name may be anybody's.
        guard claims["active"] == .boolean(true) else { throw .active }
        var isTold = false
        if let type = claims["token_type"], !type.isNull {
            // A refresh token is `N_A` where RFC 8693 §2.2.1 is followed; `DPoP` is bound to a key (RFC 9449 §5).
            guard let name = type.string?.lowercased(), ["bearer", "access_token"].contains(name) else {
                throw .tokenType
            }
            isTold = true
        }
        guard !AccessTokenRules.areOfAnotherKind(claims, isTold: isTold) else { throw .type }
        if let issuer = claims["iss"], !issuer.isNull, !issuer.isExactly(rules.issuer) { throw .issuer }
        try checkAudience(rules)
        return try rules.prove(claims, now: now)
    }

    /// Refuses, before anybody is asked, a token that shows by itself that it is another one than an access token: some
    /// providers answer about ID tokens as well, whose audience we are.
    public static func check(_ token: String) throws(AccessTokenError) {
        guard let signed = try? CompactJWS(parsing: token, maximumByteCount: AccessTokenRules.maximumTokenBytes),
            let claims = ProviderDocument.object(signed.unverifiedPayload.span)
        else { return }
        let isTold = signed.header.hasType("at+jwt")
        if let type = signed.header.type?.lowercased(), type.hasSuffix("+jwt"), !isTold { throw .type }
        if AccessTokenRules.areOfAnotherKind(claims, isTold: isTold) { throw .type }
    }

    /// Where no audience is named, the client will do that the token was issued to, if that is us: an app that signs
    /// its user in at the provider does so under our name there, and the provider tells it to us about our own token.
    /// Once there is an audience, it alone says whom the token is for.
    private func checkAudience(_ rules: AccessTokenRules) throws(AccessTokenError) {
        if let audience = claims["aud"], !audience.isNull {
            guard rules.namesUs(audience) else { throw .audience }
        } else {
            guard claims["client_id"].isExactly(rules.clientID) else { throw .audience }
        }
    }
}
