import Crypto
import JSON
import Syntax

/// What an app holds after its user approved: the AuthorizedResponse of the SDK.
struct Authorized: Sendable {
    let code: String
    let verifier: String
    let mccmnc: String?
    let isPlain: Bool

    static func makeVerifier() -> String { Random.token(byteCount: 48) }
    static func challenge(_ verifier: String) -> String { Base64URL.encode(Digest.sha256.hash(Array(verifier.utf8))) }

    /// The body of a sign-in, with some members changed, added, or (nil) left out.
    func body(_ changes: [String: JSONValue?] = [:]) -> JSONValue {
        var members: [String: JSONValue] = [
            "client_id": .string(isPlain ? "gatehouse-demo" : RunningGatehouse.clientID), "code": .string(code),
            "code_verifier": .string(verifier),
            "redirect_uri": .string(isPlain ? "com.example.app:/callback" : RunningGatehouse.redirectURI),
        ]
        if let mccmnc { members["mccmnc"] = .string(mccmnc) }
        for (name, value) in changes { members[name] = value }
        return .object(JSONObject(members.map { (name: $0.key, value: $0.value) }))
    }
}
