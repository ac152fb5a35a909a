import Crypto
package import JSON
import Syntax

/// What an app holds after its user has approved at a provider, as the provider's SDK gives it to the app.
public struct Authorized: Sendable {
    static let plainClientID = "gatehouse-demo"
    static let plainRedirectURI = "com.example.app:/callback"

    /// The authorization code, good for one sign-in.
    public let code: String
    /// The app's secret of PKCE, to which the code is bound.
    public let codeVerifier: String
    /// The carrier's mobile network, such as `310410`; nil for the plain provider.
    public let mccmnc: String?
    private let isPlain: Bool

    package init(code: String, verifier: String, mccmnc: String?, isPlain: Bool) {
        self.code = code
        codeVerifier = verifier
        self.mccmnc = mccmnc
        self.isPlain = isPlain
    }

    /// The name of the provider's section.
    public var provider: String { isPlain ? "plain" : "zenkey" }
    /// The app's client ID at the provider.
    public var clientID: String { isPlain ? Self.plainClientID : RunningGatehouse.clientID }
    /// Where the code came back to the app.
    public var redirectURI: String { isPlain ? Self.plainRedirectURI : RunningGatehouse.redirectURI }

    package var verifier: String { codeVerifier }

    package static func makeVerifier() -> String { Random.token(byteCount: 48) }

    package static func challenge(_ verifier: String) -> String {
        Base64URL.encode(Digest.sha256.hash(Array(verifier.utf8)))
    }

    /// What most SDKs are given of what the app has drawn.
    package static func hexadecimalHash(_ nonce: String) -> String { hexadecimalHash(of: Array(nonce.utf8)) }

    package static func hexadecimalHash(of bytes: [UInt8]) -> String { Hexadecimal.encode(Digest.sha256.hash(bytes)) }

    /// The body of a sign-in, with some members changed, added, or (nil) left out.
    package func body(_ changes: [String: JSONValue?] = [:]) -> JSONValue {
        var members: [String: JSONValue] = [
            "client_id": .string(clientID), "code": .string(code), "code_verifier": .string(codeVerifier),
            "redirect_uri": .string(redirectURI),
        ]
        if let mccmnc { members["mccmnc"] = .string(mccmnc) }
        for (name, value) in changes { members[name] = value }
        return .object(JSONObject(members.map { (name: $0.key, value: $0.value) }))
    }
}
