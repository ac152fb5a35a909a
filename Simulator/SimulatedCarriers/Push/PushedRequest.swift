internal import Crypto
internal import HTTPServer
internal import JSON
import Syntax

/// A client's request that a subscriber be asked on the phone: a signed request that was found right in every part.
struct PushedRequest: Sendable {
    static let longestContext = 280
    /// 48 hours.
    static let longestLife: Int64 = 172_800
    private static let longestStatement: Int64 = 600
    private static let clockSkew: Int64 = 60
    /// As long as 128 bits are in base64url (OpenID Connect CIBA Core §7.1).
    private static let shortestSecret = 22

    /// What the carrier calls it.
    let id = Random.token(byteCount: 24)
    let client: SimulatedClient
    let redirectURI: String
    let notificationURI: String
    let notificationToken: String
    let scopes: Set<String>
    let level: String
    let loginHint: String
    let correlationID: String
    /// Nothing where the request is the minimal one.
    let context: String?
    let expiresIn: Int64
    let state: String
    let nonce: String
    let expiresAt: Int64

    /// Checks a request: who has signed it, for whom, when, and what it asks.
    init(_ fields: Fields, to provider: Provider, _ world: World, now: Int64) throws(OAuthError) {
        guard fields.all.map(\.name) == ["request"], let text = fields["request"] else {
            throw .invalidRequest("A form with one request is expected, and with nothing else.")
        }
        let (client, claims) = try Self.verified(text, at: provider, world, now: now)
        self.client = client
        let reader = ClaimReader(claims: claims)
        guard claims["response_type"]?.string == "async_token" else {
            throw OAuthError("unsupported_response_type", "Only the response type async_token is taken here.")
        }
        (redirectURI, notificationURI) = try Self.addresses(reader, client, world)
        notificationToken = try reader.secret("client_notification_token", shortest: Self.shortestSecret)
        scopes = Set(try reader.text("scope").split(separator: " ").map(String.init))
        guard scopes.contains("openid") else { throw OAuthError("invalid_scope", "The scope lacks openid.") }
        level = AuthorizationRequest.level(claims["acr_values"]?.string, provider.profile)
        loginHint = try reader.text("login_hint")
        correlationID = try reader.text("correlation_id")
        guard AuthorizationRequest.isCorrelationID(correlationID) else {
            throw .invalidRequest("The correlation_id is not 8 to 36 letters, digits and hyphens.")
        }
        context = try Self.context(reader)
        state = try reader.text("state")
        nonce = try reader.text("nonce")
        guard let seconds = claims["expires_in"]?.integer, (1...Self.longestLife).contains(seconds) else {
            throw .invalidRequest("The expires_in is no number of seconds up to 48 hours.")
        }
        expiresIn = seconds
        expiresAt = now + seconds
    }

    private static func addresses(
        _ reader: ClaimReader, _ client: SimulatedClient, _ world: World
    ) throws(OAuthError) -> (redirectURI: String, notificationURI: String) {
        let redirectURI = try reader.text("redirect_uri")
        guard world.allows(redirectURI, for: client) else {
            throw .invalidRequest("The redirect_uri is not registered for this client.")
        }
        let notificationURI = try reader.text("notification_uri")
        guard PushNotifier.Target(notificationURI) != nil else {
            throw .invalidRequest("The notification_uri is none that this simulation can post to.")
        }
        return (redirectURI, notificationURI)
    }

    private static func context(_ reader: ClaimReader) throws(OAuthError) -> String? {
        guard reader.claims["context"] != nil else { return nil }
        let context = try reader.text("context")
        guard context.count <= longestContext, context.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .invalidRequest("The context has more than 280 characters, or control characters.")
        }
        return context
    }

    /// The client that has signed a statement for this provider and moment, and what it states.
    static func verified(
        _ text: String, at provider: Provider, _ world: World, now: Int64
    ) throws(OAuthError) -> (client: SimulatedClient, claims: JSONObject) {
        let refusal = OAuthError("invalid_client", "The request is not signed as it must be.", status: .unauthorized)
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let header = object(parts[0]), let claims = object(parts[1]),
            let signature = Base64URL.decode(parts[2]), header["alg"]?.string == "RS256", header["crit"] == nil,
            header["kid"]?.string?.isEmpty == false, let id = claims["iss"]?.string,
            claims["sub"]?.string == id, claims["client_id"]?.string == id,
            let client = world.client(id, at: provider.issuer)
        else { throw refusal }
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        guard world.keys(of: client).contains(where: { $0.verifies(signature: signature, of: signed, with: .rs256) })
        else { throw refusal }
        guard claims["aud"]?.string == world.url(provider.issuer) else {
            throw .invalidRequest("The audience is not this issuer.")
        }
        guard let issued = claims["iat"]?.integer, abs(issued - now) <= clockSkew, let end = claims["exp"]?.integer,
            end > now, end <= issued + longestStatement
        else { throw .invalidRequest("The request is not of this moment.") }
        guard let identifier = claims["jti"]?.string, !identifier.isEmpty,
            provider.isFirstUse(ofAssertion: identifier, by: client.id, now: now)
        else { throw .invalidRequest("The request has no name, or has come before.") }
        return (client, claims)
    }

    private static func object(_ part: String) -> JSONObject? {
        Base64URL.decode(part).flatMap { try? JSONValue(parsing: $0) }?.object
    }
}

/// Reads claims that must be there.
private struct ClaimReader {
    let claims: JSONObject

    func text(_ name: String) throws(OAuthError) -> String {
        guard let text = claims[name]?.string, !text.isEmpty else {
            throw .invalidRequest("The claim \(name) is missing.")
        }
        return text
    }

    func secret(_ name: String, shortest: Int) throws(OAuthError) -> String {
        let text = try text(name)
        guard text.utf8.count >= shortest else {
            throw .invalidRequest("The claim \(name) is too short to be a secret.")
        }
        return text
    }
}
