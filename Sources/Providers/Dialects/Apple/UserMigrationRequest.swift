internal import Crypto
public import HTTPClient
public import JSON
public import Syntax

/// Asks Apple for the token by which the team that an app leaves asks about its users (RFC 6749 §4.4, with Apple's
/// scope).
public struct MigrationTokenRequest: ClientRequest {
    public init() {}

    public var secrets: [String] { [] }

    public func request(
        to endpoint: EndpointURL, as client: ClientProof, timeout: Duration, policy: OutboundPolicy
    ) -> OutboundRequest {
        var body: [UInt8] = []
        FormEncoding.append("grant_type", "client_credentials", to: &body)
        FormEncoding.append("scope", "user.migration", to: &body)
        return .posting(body, to: endpoint, as: client, timeout: timeout, policy: policy)
    }
}

/// The token by which Apple tells about an app's users.
public struct MigrationToken: Sendable {
    let value: Secret

    /// - Throws: `ProviderCallError.refused` for an OAuth error, another case for what is no token answer.
    public init(_ response: OutboundResponse) throws(ProviderCallError) {
        value = Secret(
            try TokenResponse.accessToken(in: TokenResponse.document(of: response, to: .other, Apple.dialect)))
    }
}

/// Asks Apple by what a user will be known once the app has moved to another team (Apple, "Transferring your apps and
/// users to another team").
public struct UserMigrationRequest: ClientRequest {
    private let subject: String
    private let team: String
    private let token: MigrationToken

    /// - Parameters:
    ///   - subject: the user's, at the team that the app leaves.
    ///   - team: the one that the app moves to.
    public init(subject: String, team: String, token: MigrationToken) {
        (self.subject, self.team, self.token) = (subject, team, token)
    }

    public var secrets: [String] { [subject, token.value.revealedText] }

    /// Where it is sent: beside the token endpoint, since Apple's metadata does not name the address.
    ///
    /// - Throws: `ProviderCallError.refusedEndpoint` where the token endpoint has nothing beside it.
    public static func endpoint(beside tokenEndpoint: EndpointURL) throws(ProviderCallError) -> EndpointURL {
        let address = tokenEndpoint.text.prefix { $0 != "?" }
        guard tokenEndpoint.path.utf8.contains(.slash), let slash = address.lastIndex(of: "/"),
            // The host is the one that was let through.
            let endpoint = try? EndpointURL(address[...slash] + "usermigrationinfo", allowLoopbackHTTP: true)
        else { throw .refusedEndpoint("token_endpoint") }
        return endpoint
    }

    public func request(
        to endpoint: EndpointURL, as client: ClientProof, timeout: Duration, policy: OutboundPolicy
    ) -> OutboundRequest {
        var body: [UInt8] = []
        FormEncoding.append("sub", subject, to: &body)
        FormEncoding.append("target", team, to: &body)
        var request = OutboundRequest.posting(body, to: endpoint, as: client, timeout: timeout, policy: policy)
        request.add("Authorization", "Bearer " + token.value.revealedText)
        return request
    }
}

/// What Apple tells the team that an app leaves of a user, and shows in the ID tokens of the team that it has moved to,
/// for 60 days: the one thing about the user that both have.
///
/// Printing or dumping it shows nothing: together with a key of that team's it identifies the user.
public struct TransferSubject: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public static let member = "transfer_sub"
    /// As of a subject (OpenID Connect Core §2).

    public let value: String

    /// Reads one from the claims of a verified ID token, or from an object that has one.
    ///
    /// - Returns: nil where there is none, or no text, or one that is empty or too long.
    public init?(in document: JSONValue) {
        guard let value = document[Self.member]?.string, value.isSubject else {
            return nil
        }
        self.value = value
    }

    /// Reads Apple's answer.
    ///
    /// - Throws: `ProviderCallError.refused` for an OAuth error, another case for what tells of no user.
    public init(_ response: OutboundResponse) throws(ProviderCallError) {
        guard let subject = TransferSubject(in: try TokenResponse.document(of: response, to: .other, Apple.dialect))
        else {
            throw .invalidMember(Self.member)
        }
        self = subject
    }

    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
