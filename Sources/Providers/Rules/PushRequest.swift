public import HTTPClient
internal import JOSE
internal import JSON
public import Syntax

/// A request that a carrier asks its subscriber, on the phone, for a sign-in that our server begins (ZenKey's
/// server-initiated flow, a kin of OpenID Connect Client-Initiated Backchannel Authentication 1.0 §7.1.1).
public struct PushRequest: Sendable {
    /// For how long the signed request is good, in seconds: it is sent at once, and two clocks may differ.
    static let lifetimeSeconds: Int64 = 120

    public let clientID: String
    public let redirectURI: String
    /// Where the carrier says what has come of it.
    public let notificationURI: String
    public let scopes: [String]
    public let acrValues: String?
    /// Whom to ask: a phone number, or a subject of the carrier's.
    public let loginHint: String
    public let correlationID: String
    /// What the user is shown; nil for nothing of ours.
    public let context: String?
    /// How long the user may take, in seconds.
    public let expiresIn: Int64
    /// What the carrier shows us with its notification.
    public let notificationToken: String
    public let state: String
    public let nonce: String

    public init(
        clientID: String, redirectURI: String, notificationURI: String, scopes: [String], acrValues: String?,
        loginHint: String, correlationID: String, context: String?, expiresIn: Int64, notificationToken: String,
        state: String, nonce: String
    ) {
        (self.clientID, self.redirectURI, self.notificationURI) = (clientID, redirectURI, notificationURI)
        (self.scopes, self.acrValues, self.loginHint) = (scopes, acrValues, loginHint)
        (self.correlationID, self.context, self.expiresIn) = (correlationID, context, expiresIn)
        (self.notificationToken, self.state, self.nonce) = (notificationToken, state, nonce)
    }

    /// What a provider must not be heard repeating.
    public var secrets: [String] {
        [loginHint, context, correlationID, notificationToken, state, nonce].compactMap(\.self)
    }

    /// The claims of the signed request.
    ///
    /// - Parameters:
    ///   - issuer: whom it is for.
    ///   - identifier: its `jti`, which no other request has.
    ///   - now: seconds since 1970.
    func claims(for issuer: String, identifier: String, now: Int64) -> [UInt8] {
        var claims = JSONWriter(reservingCapacity: 1024)
        claims.object { claims in
            claims.client(clientID, for: issuer, identifier: identifier, now: now)
            claims.member("client_id", clientID)
            claims.member("response_type", "async_token")
            claims.member("redirect_uri", redirectURI)
            claims.member("notification_uri", notificationURI)
            claims.member("scope", scopes.joined(separator: " "))
            if let acrValues { claims.member("acr_values", acrValues) }
            claims.member("login_hint", loginHint)
            claims.member("correlation_id", correlationID)
            if let context { claims.member("context", context) }
            claims.member("expires_in", expiresIn)
            claims.member("client_notification_token", notificationToken)
            claims.member("state", state)
            claims.member("nonce", nonce)
            // Whatever the carrier remembers of the user, the phone asks.
            claims.member("prompt", "login")
        }
        return claims.bytes
    }

    /// The request to send, once: a second one would be a second question on the phone.
    ///
    /// - Parameters:
    ///   - issuer: the issuer whose endpoint it is.
    ///   - identifier: as above.
    /// - Throws: `ProviderCallError.noClientKey` when there is nothing to sign with.
    public func request(
        to endpoint: EndpointURL, of issuer: String, signedBy signer: RequestSigner, keys: ClientKeys,
        identifier: String, now: Int64, timeout: Duration, policy: OutboundPolicy
    ) throws(ProviderCallError) -> OutboundRequest {
        let text = try signer.sign(claims(for: issuer, identifier: identifier, now: now), keys)
        return .signed(text, to: endpoint, timeout: timeout, policy: policy)
    }
}

/// The request that a carrier stops asking its subscriber.
public struct PushCancellation: Sendable {
    private let clientID: String
    private let carrierID: String

    /// - Parameter carrierID: what the carrier calls the request (its `auth_req_id`).
    public init(clientID: String, carrierID: String) {
        (self.clientID, self.carrierID) = (clientID, carrierID)
    }

    /// The request to send: signed as that for the push, so that nobody else can take one back.
    ///
    /// - Throws: `ProviderCallError.noClientKey`.
    public func request(
        to endpoint: EndpointURL, of issuer: String, signedBy signer: RequestSigner, keys: ClientKeys,
        identifier: String, now: Int64, timeout: Duration, policy: OutboundPolicy
    ) throws(ProviderCallError) -> OutboundRequest {
        var claims = JSONWriter(reservingCapacity: 512)
        claims.object { claims in
            claims.client(clientID, for: issuer, identifier: identifier, now: now)
            claims.member("client_id", clientID)
            claims.member("auth_req_id", carrierID)
        }
        return .signed(try signer.sign(claims.bytes, keys), to: endpoint, timeout: timeout, policy: policy)
    }
}

extension JSONWriter {
    /// Who sends a signed request, to whom and when (RFC 9101 §4, RFC 7519 §4.1).
    fileprivate mutating func client(_ clientID: String, for issuer: String, identifier: String, now: Int64) {
        member("iss", clientID)
        member("sub", clientID)
        member("aud", issuer)
        member("iat", now)
        member("exp", now + PushRequest.lifetimeSeconds)
        member("jti", identifier)
    }
}

extension OutboundRequest {
    fileprivate static func signed(
        _ text: String, to endpoint: EndpointURL, timeout: Duration, policy: OutboundPolicy
    ) -> OutboundRequest {
        var body: [UInt8] = []
        FormEncoding.append("request", text, to: &body)
        let headers = [
            (name: "Content-Type", value: "application/x-www-form-urlencoded"),
            (name: "Accept", value: "application/json"),
        ]
        return OutboundRequest(
            method: .post, url: endpoint, headers: headers, body: body, timeout: timeout, policy: policy,
            finishesWhenCancelled: true)
    }
}
