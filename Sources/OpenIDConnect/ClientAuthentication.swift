public import Crypto
import Syntax

/// How a client proves itself at the token endpoint (OpenID Connect Core §9), or only says who it is.
///
/// The header or the body fields are made once, when the configuration is read.
public struct ClientAuthentication: Sendable {
    /// How identifier and secret are written inside Basic.
    public enum BasicEncoding: String, CaseIterable, Sendable {
        /// Form-encoded first, as RFC 6749 §2.3.1 has it.
        case form
        /// As they are, for providers that do not decode.
        case raw
    }

    /// The `Authorization` header of the token request, where there is one. A secret.
    let authorization: Secret?
    /// Form fields for the token request's body, encoded, where credentials travel there. A secret.
    let bodyFields: Secret?
    private let secret: Secret?

    /// What a provider must not be heard repeating: the secret, and the header it went in.
    public var secrets: [String] {
        [secret?.revealedText, authorization.map { String($0.revealedText.dropFirst("Basic ".count)) }]
            .compactMap(\.self)
    }

    /// `client_secret_basic`. The body then carries no `client_id`: a carrier refuses it beside Basic.
    public static func basic(clientID: String, secret: Secret, encoding: BasicEncoding) -> ClientAuthentication {
        var credentials: [UInt8] = []
        switch encoding {
        case .form:
            FormEncoding.append(clientID.utf8.span, to: &credentials)
            credentials.append(UInt8(ascii: ":"))
            FormEncoding.append(secret.revealedBytes.span, to: &credentials)
        case .raw:
            credentials.append(contentsOf: clientID.utf8)
            credentials.append(UInt8(ascii: ":"))
            credentials.append(contentsOf: secret.revealedBytes)
        }
        return ClientAuthentication(
            authorization: Secret("Basic " + Base64.encode(credentials)), bodyFields: nil, secret: secret)
    }

    /// `client_secret_post`.
    public static func post(clientID: String, secret: Secret) -> ClientAuthentication {
        var fields: [UInt8] = []
        FormEncoding.append("client_id", clientID, to: &fields)
        fields.append(contentsOf: "&client_secret=".utf8)
        FormEncoding.append(secret.revealedBytes.span, to: &fields)
        return ClientAuthentication(authorization: nil, bodyFields: Secret(fields), secret: secret)
    }

    /// `none`: a public client, which names itself in the body (RFC 6749 §3.2.1). Nothing but PKCE then ties a code to
    /// whoever began the sign-in.
    public static func publicClient(clientID: String) -> ClientAuthentication {
        var fields: [UInt8] = []
        FormEncoding.append("client_id", clientID, to: &fields)
        return ClientAuthentication(authorization: nil, bodyFields: Secret(fields), secret: nil)
    }
}
