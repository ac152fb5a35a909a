internal import HTTPClient
public import JSON
public import Syntax

/// What a provider says of itself (OpenID Connect Discovery §3), read as leniently as carriers write it and as strictly
/// as our safety needs. It never changes and every sign-in passes it along, so it is shared and not copied.
public final class ProviderMetadata: Sendable {
    public let issuer: String
    /// The same, as the one name that its ID tokens may have.
    public let issuerNames: IssuerNames
    /// Nil only where it was not needed: some providers whose SDKs sign users in have none.
    public let tokenEndpoint: EndpointURL?
    /// Nil also for an address that we must not call; ``userinfoFault`` tells.
    public let userinfoEndpoint: EndpointURL?
    /// Why an address of userinfo that is there can't be used: told to the one who needs it, and nobody else.
    public let userinfoFault: ProviderCallError?
    public let keysEndpoint: EndpointURL
    /// Where browsers are sent; nil also for an address that they must not be sent to, since a sign-in without a
    /// browser has no need of it.
    public let authorizationEndpoint: EndpointURL?
    /// Where a carrier is asked to ask its subscriber, and to stop; nil also for addresses that we must not call.
    public let pushEndpoint: EndpointURL?
    public let pushCancelEndpoint: EndpointURL?
    /// Where users are signed out, by their browsers (OpenID Connect RP-Initiated Logout 1.0 §2.1) and by our server
    /// (TelenorID+); nil also for addresses that they must not be sent to, or that we must not call.
    public let endSessionEndpoint: EndpointURL?
    public let customLogoutEndpoint: EndpointURL?
    /// Where tokens are revoked (RFC 8414 §2); nil also for an address that we must not call.
    public let revocationEndpoint: EndpointURL?
    /// Where it tells what an access token is good for (RFC 8414 §2); nil also for an address that we must not call.
    public let introspectionEndpoint: EndpointURL?
    /// Whether it announces that `iss` comes with every authorization response (RFC 9207 §3).
    public let sendsIssuer: Bool
    /// What a carrier can tell of its subscribers beside their attributes, such as `sim_tenure_24`, and of which events
    /// it tells, such as `port`; as the document has them, which nobody here asks for.
    public let userTraits: [String]
    public let events: [String]
    /// Whether it announces that it takes challenges by S256 (RFC 8414 §2, RFC 7636 §4.2).
    public let takesChallenges: Bool

    /// Reads a metadata document.
    ///
    /// Only `issuer`, `jwks_uri` and `token_endpoint` are required (and `userinfo_endpoint` where userinfo is read):
    /// carriers' documents are irregular in everything else, so nothing else can break a sign-in. What is null or empty
    /// is not there.
    ///
    /// - Parameters:
    ///   - document: the JSON object.
    ///   - allowLoopbackHTTP: whether plain http to a loopback address is taken; for development and tests.
    ///   - needsTokenEndpoint: whether codes, and nothing else, are what users sign in with.
    /// - Throws: `ProviderCallError.invalidMember` or `.refusedEndpoint`, naming the member.
    public init(
        _ document: JSONValue, allowLoopbackHTTP: Bool, needsTokenEndpoint: Bool = true
    ) throws(ProviderCallError) {
        guard let issuer = document["issuer"]?.string, !issuer.isEmpty, IssuerIdentifier.isWellFormed(issuer) else {
            throw .invalidMember("issuer")
        }
        self.issuer = issuer
        issuerNames = IssuerNames(exactly: issuer)
        func endpoint(_ member: String) throws(ProviderCallError) -> EndpointURL? {
            guard let value = document[member], !value.isNull, value != "" else { return nil }
            guard let text = value.string else { throw .invalidMember(member) }
            do {
                return try EndpointURL(text, allowLoopbackHTTP: allowLoopbackHTTP)
            } catch {
                throw .refusedEndpoint(member)
            }
        }
        func required(_ member: String) throws(ProviderCallError) -> EndpointURL {
            guard let url = try endpoint(member) else { throw .invalidMember(member) }
            return url
        }
        tokenEndpoint = needsTokenEndpoint ? try required("token_endpoint") : try? endpoint("token_endpoint")
        keysEndpoint = try required("jwks_uri")
        var userinfoFault: ProviderCallError?
        do throws(ProviderCallError) {
            userinfoEndpoint = try endpoint("userinfo_endpoint")
        } catch {
            userinfoEndpoint = nil
            userinfoFault = error
        }
        self.userinfoFault = userinfoFault
        authorizationEndpoint = try? endpoint("authorization_endpoint")
        pushEndpoint = try? endpoint("server_initiated_authorization_endpoint")
        pushCancelEndpoint = try? endpoint("server_initiated_cancel_endpoint")
        endSessionEndpoint = try? endpoint("end_session_endpoint")
        customLogoutEndpoint = try? endpoint("custom_logout_endpoint")
        revocationEndpoint = try? endpoint("revocation_endpoint")
        introspectionEndpoint = try? endpoint("introspection_endpoint")
        takesChallenges = Self.names(document["code_challenge_methods_supported"], PKCE.method)
        userTraits = Self.texts(document["usertraits_supported"])
        events = Self.texts(document["events_supported"])
        sendsIssuer = Self.isAnnounced(document["authorization_response_iss_parameter_supported"])
    }

    /// A list that has one element is a text at some.
    private static func names(_ value: JSONValue?, _ method: String) -> Bool {
        switch value {
        case .string(let text): text == method
        case .array(let values): values.contains { $0.string == method }
        default: false
        }
    }

    /// As many names as one can read; a list that has one element is a text at some, and a list of lists at none.
    private static func texts(_ value: JSONValue?) -> [String] {
        let texts =
            switch value {
            case .string(let text): [text]
            case .array(let values): values.compactMap(\.string)
            default: [String]()
            }
        return Array(texts.filter { !$0.isEmpty && $0.utf8.count <= maximumNameBytes }.prefix(maximumNames))
    }

    private static let maximumNames = 32
    private static let maximumNameBytes = 128

    /// Carriers write `true` as a text and as a list, too.
    private static func isAnnounced(_ value: JSONValue?) -> Bool {
        switch value {
        case .boolean(let isAnnounced): isAnnounced
        case .string(let text): text == "true"
        case .array(let values): values.contains { isAnnounced($0) }
        default: false
        }
    }
}

/// The form of an issuer's name.
public enum IssuerIdentifier {
    /// Whether a name has neither query nor fragment (OpenID Connect Discovery §3, RFC 8414 §2). With either, the
    /// well-known path would end up inside it, and one issuer could speak under the names of others.
    public static func isWellFormed(_ text: String) -> Bool {
        !text.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    }
}
