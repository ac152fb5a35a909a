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
        (self.token, self.isRefreshToken, self.clientID) = (token, isRefreshToken, clientID)
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

    /// Reads an answer.
    ///
    /// - Parameter dialect: in whose words it refuses. One has them beside a status of success.
    public init(_ response: OutboundResponse, dialect: Dialect = .standard) {
        let isSuccess = (200..<300).contains(response.status)
        let document = response.body.isEmpty ? nil : try? response.parsedObject()
        guard let document, let meaning = dialect.meaning(of: document, response.status, to: .revocation) else {
            self = isSuccess ? .done : .failed(response.unexpectedStatus)
            return
        }
        let name = document["error"]?.string
        switch meaning.error {
        // §2.2: an invalid token is revoked already; some say so with an error all the same.
        case .invalidGrant where isSuccess || response.status == 400 || meaning.isOwn: self = .done
        case .unknown where name == "invalid_token" && response.status == 400: self = .done
        case .unknown where name == "unsupported_token_type": self = .impossible
        case .clientFault, .temporarilyUnavailable: self = .failed(.refused(meaning.error))
        default: self = .failed(isSuccess ? .refused(meaning.error) : .status(response.status))
        }
    }
}
