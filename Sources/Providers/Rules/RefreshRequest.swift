internal import Crypto
public import HTTPClient
internal import JOSE
internal import JSON
public import Syntax

/// The exchange of a refresh token for a fresh access token (RFC 6749 §6, OpenID Connect Core §12).
public struct RefreshRequest: ClientRequest {
    private let refreshToken: String
    public let clientID: String?

    /// - Parameter clientID: whose token it is, where that is not the section's own client.
    public init(refreshToken: String, clientID: String? = nil) {
        (self.refreshToken, self.clientID) = (refreshToken, clientID)
    }

    public var secrets: [String] { [refreshToken] }

    /// The request to send. It names no scope: what was granted stays granted. Once it may have left, the token may be
    /// spent, so it is finished even when the caller has gone.
    public func request(
        to endpoint: EndpointURL, as client: ClientProof, timeout: Duration, policy: OutboundPolicy
    ) -> OutboundRequest {
        var body: [UInt8] = []
        body.reserveCapacity(512)
        FormEncoding.append("grant_type", "refresh_token", to: &body)
        FormEncoding.append("refresh_token", refreshToken, to: &body)
        return .posting(body, to: endpoint, as: client, timeout: timeout, policy: policy)
    }
}

/// A successful answer to a refresh (§12.2). Nothing is taken from an ID token in it: who the user is was proven by the
/// sign-in, and nobody's session follows from a refresh. But one that is about somebody else takes all the answer with
/// it.
public struct RefreshedTokens: Sendable {
    public let accessToken: String
    public let terms: TokenTerms
    private let idToken: String?

    /// - Throws: `ProviderCallError.refused(.invalidGrant)` when the provider says that the grant is over; another case
    ///   for what may pass.
    public init(_ response: OutboundResponse, dialect: Dialect = .standard) throws(ProviderCallError) {
        let document = try TokenResponse.document(of: response, to: .refresh, dialect)
        accessToken = try TokenResponse.accessToken(in: document)
        terms = TokenTerms(document)
        idToken = document["id_token"]?.string
    }

    /// Checks that an ID token, where one has come, is of the same user, and for the same client (§12.2). It has come
    /// from the token endpoint itself, so its signature is not asked for (§3.1.3.7 step 6); one that can't be read says
    /// nothing.
    ///
    /// - Parameters:
    ///   - issuer: under which the user is stored, which has these names.
    ///   - subject: what the issuer calls the user.
    ///   - client: whose tokens they are.
    ///   - parties: our clients that the token may have been issued to for that one.
    /// - Throws: `ProviderCallError.invalidMember`.
    public func check(
        issuer: String, of names: IssuerNames, subject: String, client: String, parties: [String]
    ) throws(ProviderCallError) {
        guard let idToken,
            let token = try? CompactJWS(parsing: idToken, maximumByteCount: IDTokenVerifier.maximumTokenBytes),
            let claims = ProviderDocument.object(token.unverifiedPayload.span)
        else { return }
        let told = claims["iss"]?.string.flatMap { names.stored($0) }
        let isOfIssuer = names.hasTenants ? told?.isExactly(issuer) == true : told != nil
        let audiences = claims["aud"]?.array ?? claims["aud"].map { [$0] } ?? []
        let party = claims["azp"].flatMap { $0.isNull ? nil : $0 }
        guard isOfIssuer, claims["sub"].isExactly(subject), audiences.contains(where: { $0.isExactly(client) }),
            party.map({ party in parties.contains { party.isExactly($0) } }) ?? true
        else { throw .invalidMember("id_token") }
    }
}

/// What a token answer says of its tokens besides (RFC 6749 §5.1). Nothing of it is needed to sign anybody in, so
/// nothing of it that is odd fails; it is shared and not copied, since most sign-ins have none.
public final class TokenTerms: Sendable {
    /// No provider means a longer time than ten years, in seconds.
    private static let longestLifetime: Int64 = 10 * 365 * 86_400

    public let refreshToken: String?
    /// Of the access token, in seconds; nil where it was not told.
    public let lifetimeSeconds: Int64?
    public let scope: String?

    convenience init(_ document: JSONValue) {
        self.init(
            refreshToken: document["refresh_token"]?.string, lifetime: Self.lifetime(document["expires_in"]),
            scope: Self.scope(document["scope"]))
    }

    /// Some write it as a text, some with a fraction.
    private static func lifetime(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let seconds): String(seconds)
        case .number(let seconds) where (0...Double(longestLifetime)).contains(seconds): String(Int64(seconds))
        default: nil
        }
    }

    /// With blanks between, or as some write it a list; nil where nothing is said.
    static func scope(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text): return text.isEmpty ? nil : text
        case .array(let elements):
            let names = elements.compactMap(\.string)
            return names.isEmpty || names.count < elements.count ? nil : names.joined(separator: " ")
        default: return nil
        }
    }

    /// - Parameter lifetime: in seconds, as a decimal number.
    init(refreshToken: String?, lifetime: String?, scope: String?) {
        self.refreshToken = refreshToken.flatMap { $0.isEmpty ? nil : $0 }
        self.scope = scope.flatMap { $0.isEmpty ? nil : $0 }
        lifetimeSeconds = lifetime.flatMap { Int64($0) }.flatMap {
            (0...Self.longestLifetime).contains($0) ? $0 : nil
        }
    }
}
