public import HTTPClient
public import JOSE
public import JSON
public import Syntax

/// The request for a user's attributes (OpenID Connect Core §5.3.1).
public enum UserinfoRequest {
    /// A GET, because some carriers take nothing else, with the access token in the header and never in the URL. The
    /// correlation id, which names the sign-in in the carrier's log, is the one of the token request.
    public static func request(
        to endpoint: EndpointURL, accessToken: String, correlationID: String?, timeout: Duration,
        policy: OutboundPolicy
    ) -> OutboundRequest {
        let headers = [
            (name: "Authorization", value: "Bearer " + accessToken),
            (name: "Accept", value: "application/json, application/jwt"),
        ]
        let url = correlationID.map { endpoint.appending(query: [("correlation_id", $0)]) } ?? endpoint
        return OutboundRequest(
            method: .get, url: url, headers: headers, body: [], timeout: timeout, policy: policy,
            finishesWhenCancelled: false)
    }
}

/// What a userinfo answer holds before anything in it is believed.
public enum UserinfoAnswer: Sendable {
    case claims(JSONValue)
    /// A signed answer (§5.3.2), still to be verified.
    case signed(CompactJWS)

    /// Tells the two forms apart by the content type, as §5.3.2 demands.
    ///
    /// - Parameter dialect: in whose words it refuses. One has them beside a status of success.
    /// - Throws: `UserinfoError.mismatch` for an answer that is neither a JSON object nor a JWT, `.provider` for one
    ///   that is no answer at all.
    public init(_ response: OutboundResponse, dialect: Dialect = .standard) throws(UserinfoError) {
        guard (200..<300).contains(response.status) else {
            throw .provider(Self.refusal(dialect.meaning(of: response, to: .userinfo)) ?? response.unexpectedStatus)
        }
        if Self.isSigned(response.header("content-type")) {
            do throws(JOSEError) {
                self = .signed(try CompactJWS(parsing: response.body, maximumByteCount: response.body.count))
            } catch {
                throw .mismatch
            }
            return
        }
        let document: JSONValue
        do throws(JSONError) {
            document = try ProviderDocument.read(response.body.span)
        } catch {
            if case .doubtfulMember(let name) = error { throw .provider(.doubtfulMember(name)) }
            throw .provider(.notJSON)
        }
        guard document.object != nil else { throw .mismatch }
        // Who says that something is wrong names nobody.
        if document["sub"] == nil,
            let refusal = Self.refusal(dialect.meaning(of: document, response.status, to: .userinfo))
        {
            throw .provider(refusal)
        }
        self = .claims(document)
    }

    /// What a provider's own words mean; a status says the rest. A token that is over is 401 elsewhere (RFC 6750 §3.1).
    private static func refusal(_ meaning: Dialect.Meaning?) -> ProviderCallError? {
        guard let meaning, meaning.isOwn else { return nil }
        return meaning.error == .invalidGrant ? .status(401) : .refused(meaning.error)
    }

    private static func isSigned(_ contentType: String?) -> Bool {
        // Nearly every answer has this very type.
        guard let contentType, contentType != "application/json" else { return false }
        return contentType.split(separator: ";").first?.lowercased().hasPrefix("application/jwt") ?? false
    }
}

/// Why a userinfo answer gave no attributes.
public enum UserinfoError: SignedTokenRefusal, Equatable, Sendable {
    /// It is not about the user of the ID token, or not a JSON object, or not validly signed.
    case mismatch
    /// It is no answer that can be read at all.
    case provider(ProviderCallError)

    public init(_ error: JOSEError) { self = .mismatch }

    public var rule: String { "userinfo" }
}

/// Attributes whose subject was compared with the ID token's (§5.3.2), the check whose absence lets one user's data be
/// stored as another's.
public struct Userinfo: Sendable {
    public let claims: JSONValue

    /// - Parameters:
    ///   - subject: the `sub` of the verified ID token.
    /// - Throws: `UserinfoError.mismatch` when `sub` is missing or another.
    public init(_ claims: JSONValue, subject: String) throws(UserinfoError) {
        guard claims["sub"].isExactly(subject) else { throw .mismatch }
        self.claims = claims
    }

    /// The claims of a signed answer: the signature was verified; `iss` and `aud`, where present, must be right.
    public init(_ token: VerifiedJWS, issuer: String, clientID: String, subject: String) throws(UserinfoError) {
        guard let claims = ProviderDocument.object(token.payload.span) else { throw .mismatch }
        if let shown = claims["iss"], !shown.isExactly(issuer) { throw .mismatch }
        if let audience = claims["aud"] {
            let audiences = audience.array ?? [audience]
            guard audiences.contains(where: { $0.isExactly(clientID) }) else { throw .mismatch }
        }
        try self.init(claims, subject: subject)
    }
}
