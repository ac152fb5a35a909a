internal import Crypto
public import HTTPClient
internal import JSON
public import Syntax

/// Tells a provider that a token is good for nothing any more (RFC 7009 §2.1). Apple and Google take the same request.
public struct RevocationRequest: ClientRequest {
    private let token: String
    private let isRefreshToken: Bool
    public let clientID: String?

    /// - Parameter clientID: whose token it is, where that is not the section's own client.
    public init(token: String, isRefreshToken: Bool, clientID: String? = nil) {
        self.token = token
        self.isRefreshToken = isRefreshToken
        self.clientID = clientID
    }

    public var secrets: [String] { [token] }

    public func request(
        to endpoint: EndpointURL, as client: ClientProof, timeout: Duration, policy: OutboundPolicy
    ) -> OutboundRequest {
        var body: [UInt8] = []
        body.reserveCapacity(512)
        FormEncoding.append("token", token, to: &body)
        FormEncoding.append("token_type_hint", isRefreshToken ? "refresh_token" : "access_token", to: &body)
        return .posting(body, to: endpoint, as: client, timeout: timeout, policy: policy)
    }
}

/// What a provider says to a revocation (RFC 7009 §2.2).
public enum RevocationAnswer: Equatable, Sendable {
    case done
    /// It will never do it, for this kind of token.
    case impossible
    /// It may do it later: it, or what is configured, is not well.
    case failed(ProviderCallError)

    public init(_ response: OutboundResponse) {
        if (200..<300).contains(response.status) {
            self = .done
            return
        }
        let code = (try? response.parsedObject())?["error"]?.string
        switch code {
        // §2.2: an invalid token is revoked already; some say so with an error all the same.
        case "invalid_token" where response.status == 400, "invalid_grant" where response.status == 400: self = .done
        case "unsupported_token_type": self = .impossible
        default: self = .failed(.status(response.status))
        }
    }
}
