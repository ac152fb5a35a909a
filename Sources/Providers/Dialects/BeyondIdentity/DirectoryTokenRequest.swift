public import Crypto
public import HTTPClient
internal import JSON
public import Syntax

/// Asks for the token by which a directory's API knows us (RFC 6749 §4.4).
public struct DirectoryTokenRequest: Sendable {
    private let clientID: String
    private let secret: Secret

    public init(clientID: String, secret: Secret) {
        (self.clientID, self.secret) = (clientID, secret)
    }

    public func request(to endpoint: EndpointURL, timeout: Duration, policy: OutboundPolicy) -> OutboundRequest {
        var body: [UInt8] = []
        FormEncoding.append("grant_type", "client_credentials", to: &body)
        let client = ClientProof.basic(clientID: clientID, secret: secret, encoding: .form)
        return .posting(body, to: endpoint, as: client, timeout: timeout, policy: policy)
    }
}

/// The token by which a directory's API knows us.
public struct DirectoryToken: Sendable {
    private static let maximumBytes = ProviderTextLimit.inBody
    private static let usualLifetimeSeconds: Int64 = 300
    private static let longestLifetimeSeconds: Int64 = 86_400
    /// What a call may take on its way.
    private static let reserveSeconds: Int64 = 30

    public let value: Secret
    /// For how many seconds it may be used.
    public let usableSeconds: Int64

    /// Reads the answer (RFC 6749 §5.1).
    ///
    /// - Throws: `.status` for a refusal; what is in the body of one is not looked at, since it may repeat the secret.
    public init(_ response: OutboundResponse) throws(ProviderCallError) {
        let document = try response.jsonObject()
        guard let token = document["access_token"]?.string, !token.isEmpty, token.utf8.count <= Self.maximumBytes,
            // RFC 6750 §2.1, and nothing that ends a header.
            token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .invalidMember("access_token") }
        if let type = document["token_type"] {
            guard type.string?.lowercased() == "bearer" else { throw .invalidMember("token_type") }
        }
        value = Secret(token)
        let lifetime = min(
            document["expires_in"]?.integer ?? Self.usualLifetimeSeconds, Self.longestLifetimeSeconds)
        usableSeconds = max(0, lifetime - min(Self.reserveSeconds, lifetime / 2))
    }
}
