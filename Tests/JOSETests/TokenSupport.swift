import Crypto
import JOSE
import JSON
import Syntax

/// Limits that no test but the one about them comes near.
let maximumByteCount = 16_384
let maximumKeyCount = 32

func keySet(_ keys: String...) throws -> JWKSet {
    try JWKSet(
        parsing: Array("{\"keys\":[\(keys.joined(separator: ","))]}".utf8).span, maximumKeyCount: maximumKeyCount)
}

func keySet(_ keys: [JSONObject]) throws -> JWKSet {
    try JWKSet(["keys": .array(keys.map(JSONValue.object))], maximumKeyCount: maximumKeyCount)
}

/// A token with exactly this header text and a real signature over it.
func token(header: String, payload: String = "{}", signedBy key: PrivateKey, with algorithm: SignatureAlgorithm) throws
    -> String
{
    let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
    return input + "." + Base64URL.encode(try key.sign(Array(input.utf8), with: algorithm))
}

/// What becomes of a token with every algorithm allowed.
func outcome(
    _ token: String, _ keys: JWKSet, allowed: [SignatureAlgorithm] = SignatureAlgorithm.allCases
) -> Result<VerifiedJWS, JOSEError> {
    Result { () throws(JOSEError) in
        try JWS.verify(token, keys: keys, allowed: allowed, maximumByteCount: maximumByteCount)
    }
}

extension Result where Success == VerifiedJWS, Failure == JOSEError {
    var error: JOSEError? { if case .failure(let error) = self { error } else { nil } }
}

extension JSONObject {
    /// The same object with members put in or replaced.
    func with(_ changes: [Member]) -> JSONObject {
        JSONObject(members.filter { member in !changes.contains { $0.name == member.name } } + changes)
    }

    func without(_ name: String) -> JSONObject { JSONObject(members.filter { $0.name != name }) }
}
