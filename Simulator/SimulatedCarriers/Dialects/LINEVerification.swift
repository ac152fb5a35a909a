internal import Crypto
internal import HTTPServer
internal import JOSE
internal import JSON
import Syntax

/// Where LINE verifies an ID token for anybody who asks: the one place that knows both of its signatures.
struct LINEVerification {
    static let path = "/oauth2/v2.1/verify"
    private static let maximumTokenBytes = 32_768

    let world: World
    let provider: Provider

    /// `id_token` and `client_id`, perhaps `nonce` and `user_id`: 200 with the claims, or 400.
    func respond(to request: HTTPRequest) -> HTTPResponse {
        do throws(OAuthError) {
            guard let form = Fields(form: request), !form.hasRepetition, let token = form["id_token"],
                let client = world.client(form["client_id"], at: provider.issuer)
            else { throw .invalidRequest("Missing or invalid id_token or client_id.") }
            guard let claims = verified(token, for: client) else { throw .invalidRequest("Invalid IdToken.") }
            guard claims["iss"]?.string == world.url(provider.issuer) else {
                throw .invalidRequest("Invalid IdToken Issuer.")
            }
            guard claims["aud"]?.string == client.id else { throw .invalidRequest("Invalid IdToken Audience.") }
            guard let expiry = claims["exp"]?.integer, expiry > World.now else {
                throw .invalidRequest("IdToken expired.")
            }
            if let nonce = form["nonce"], claims["nonce"]?.string != nonce {
                throw .invalidRequest("Invalid IdToken Nonce.")
            }
            if let subject = form["user_id"], claims["sub"]?.string != subject {
                throw .invalidRequest("Invalid IdToken Subject Identifier.")
            }
            return .object(claims)
        } catch {
            return error.response
        }
    }

    /// The claims of a token that one of LINE's keys has signed, or the client's secret.
    private func verified(_ token: String, for client: SimulatedClient) -> JSONObject? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, token.utf8.count <= Self.maximumTokenBytes,
            let header = Base64URL.decode(parts[0]).flatMap({ try? JSONValue(parsing: $0) }),
            let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
        else { return nil }
        let text = Array("\(parts[0]).\(parts[1])".utf8)
        let isRight =
            switch header["alg"]?.string {
            case "ES256":
                provider.keys.published.contains { key in
                    key.key.publicKey.verifies(signature: signature, of: text, with: .es256)
                }
            case "HS256":
                !client.secret.isEmpty
                    && constantTimeEqual(HMAC.sha256(text, key: Array(client.secret.utf8)), signature)
            default: false
            }
        return isRight ? (try? JSONValue(parsing: payload))?.object : nil
    }
}
