public import Crypto
internal import JSON

/// The protected header of a JWS, as far as we use it (RFC 7515 §4.1).
///
/// Keys and references to keys inside a header (`jwk`, `jku`, `x5u`, `x5c`) are never looked at: the token's sender
/// chose them.
public struct JWSHeader: Equatable, Sendable {
    public let algorithm: SignatureAlgorithm
    public let keyID: String?
    /// `typ` as it stands in the header.
    public let type: String?

    /// Reads the JSON text of a header.
    init(parsing bytes: [UInt8]) throws(JOSEError) {
        guard let json = try? JSONValue(parsing: bytes.span), case .object(let members) = json else {
            throw .malformed(.header)
        }
        guard let algorithm = members["alg"]?.string else { throw .malformed(.headerMember("alg")) }
        // `none`, however it is spelled, and the keyed hashes are not among ours: RFC 8725 §3.1, §3.2.
        guard let algorithm = SignatureAlgorithm(rawValue: algorithm) else { throw .algorithm }
        guard members["crit"] == nil, members["b64"] == nil else { throw .malformed(.extensionInUse) }
        self.algorithm = algorithm
        keyID = try Self.optionalText("kid", members)
        type = try Self.optionalText("typ", members)
    }

    /// Whether `typ` is this media type, which the caller gives in lower case and without its `application/`, as
    /// `at+jwt` (RFC 7515 §4.1.9, RFC 8725 §3.11).
    public func hasType(_ mediaType: String) -> Bool {
        guard let type = type?.lowercased() else { return false }
        return type == mediaType || type == "application/" + mediaType
    }

    private static func optionalText(_ name: String, _ members: JSONObject) throws(JOSEError) -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.string else { throw .malformed(.headerMember(name)) }
        return text
    }
}
