public import Crypto
internal import JSON
import Syntax
import System

/// Verification of JSON Web Signatures (RFC 7515 §5.2).
public enum JWS {
    /// Verifies a token's signature.
    ///
    /// - Parameters:
    ///   - token: as ``CompactJWS`` read it.
    ///   - keys: the keys of the party that must have signed.
    ///   - allowed: the algorithms that party is known to use. The token's header only chooses among them (RFC 8725
    ///     §3.1). Of several keys with its `kid` any will do.
    /// - Throws: `JOSEError.algorithm`, `.unknownKey` or `.signature`.
    public static func verify(
        _ token: CompactJWS, keys: JWKSet, allowed: [SignatureAlgorithm]
    ) throws(JOSEError) -> VerifiedJWS {
        let algorithm = token.header.algorithm
        guard allowed.contains(algorithm) else { throw .algorithm }
        let key: JWK
        do throws(JOSEError) {
            key = try keys.key(withID: token.header.keyID, for: algorithm)
        } catch .unknownKey(.ambiguous) where token.header.keyID != nil {
            return try verify(token, algorithm, triedWith: keys)
        } catch {
            throw error
        }
        guard isSigned(token, algorithm, by: key) else { throw .signature }
        return VerifiedJWS(token, keyIssuer: key.issuer)
    }

    /// Verifies a token whose `kid` stands at several keys of its algorithm: each of them is tried (FAPI 2.0 Security
    /// Profile §5.4.3). A set has a bounded number of keys.
    private static func verify(
        _ token: CompactJWS, _ algorithm: SignatureAlgorithm, triedWith keys: JWKSet
    ) throws(JOSEError) -> VerifiedJWS {
        for key in keys.keys where key.keyID == token.header.keyID && key.algorithms.contains(algorithm) {
            if isSigned(token, algorithm, by: key) { return VerifiedJWS(token, keyIssuer: key.issuer) }
        }
        throw .signature
    }

    private static func isSigned(_ token: CompactJWS, _ algorithm: SignatureAlgorithm, by key: JWK) -> Bool {
        token.withSigningInput { signingInput in
            key.publicKey.verifies(signature: token.signature.span, of: signingInput, with: algorithm)
        }
    }

    /// Reads a token and verifies its signature; see ``verify(_:keys:allowed:)``.
    /// - Throws: also `JOSEError.malformed`.
    public static func verify(
        _ token: String, keys: JWKSet, allowed: [SignatureAlgorithm], maximumByteCount: Int
    ) throws(JOSEError) -> VerifiedJWS {
        try verify(CompactJWS(parsing: token, maximumByteCount: maximumByteCount), keys: keys, allowed: allowed)
    }
}

/// A token in the compact serialization (RFC 7515 §7.1), read but not verified.
public struct CompactJWS: Sendable {
    /// What the token says of itself. Nothing of it is proven.
    public let header: JWSHeader
    /// The payload before any verification, for finding out whose keys to ask; ``JWS/verify(_:keys:allowed:)`` is the
    /// way to a payload that may be believed.
    public let unverifiedPayload: [UInt8]
    fileprivate let signature: [UInt8]
    private let bytes: [UInt8]
    private let signingInputCount: Int

    /// Reads a token.
    ///
    /// It must be exactly three parts, of which the payload alone may be empty (RFC 7515 §3.1); whether it holds claims
    /// is for the caller.
    /// - Parameter maximumByteCount: the longest token taken.
    /// - Throws: `JOSEError.malformed`, or `.algorithm` when the token's algorithm is no public-key signature.
    public init(parsing bytes: [UInt8], maximumByteCount: Int) throws(JOSEError) {
        guard bytes.count <= maximumByteCount else { throw .malformed(.tooLong) }
        guard let headerEnd = Self.dot(in: bytes.span, from: 0), headerEnd > 0,
            let payloadEnd = Self.dot(in: bytes.span, from: headerEnd + 1),
            Self.dot(in: bytes.span, from: payloadEnd + 1) == nil
        else { throw .malformed(.parts) }
        guard let header = Base64URL.decode(bytes.span.extracting(0..<headerEnd)) else { throw .malformed(.header) }
        // The header goes first, so that `none` is an algorithm we refuse and not a signature that is missing.
        self.header = try JWSHeader(parsing: header)
        guard payloadEnd + 1 < bytes.count else { throw .malformed(.emptySignature) }
        guard let payload = Base64URL.decode(bytes.span.extracting((headerEnd + 1)..<payloadEnd)) else {
            throw .malformed(.payloadEncoding)
        }
        guard let signature = Base64URL.decode(bytes.span.extracting((payloadEnd + 1)..<bytes.count)) else {
            throw .malformed(.signatureEncoding)
        }
        unverifiedPayload = payload
        (self.signature, self.bytes) = (signature, bytes)
        signingInputCount = payloadEnd
    }

    /// Reads a token; see ``init(parsing:maximumByteCount:)``.
    public init(parsing token: String, maximumByteCount: Int) throws(JOSEError) {
        // Measured before it is copied.
        guard token.utf8.count <= maximumByteCount else { throw .malformed(.tooLong) }
        try self.init(parsing: Array(token.utf8), maximumByteCount: maximumByteCount)
    }

    private static func dot(in bytes: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        // A token has nearly a thousand bytes, and three dots at most.
        while index + 32 <= bytes.count, !hasDot(bytes.block(at: index)) { index += 32 }
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: ".") { return index }
            index += 1
        }
        return nil
    }

    private static func hasDot(_ block: SIMD4<UInt64>) -> Bool {
        let ones = SIMD4<UInt64>(repeating: 0x0101_0101_0101_0101)
        let rest = block ^ (ones &* UInt64(UInt8(ascii: ".")))
        // Whether a byte is zero, and so was a dot.
        let zeros = (rest &- ones) & ~rest
        return (zeros[0] | zeros[1] | zeros[2] | zeros[3]) & 0x8080_8080_8080_8080 != 0
    }

    /// Lends what the signature is over: header and payload as they were sent (RFC 7515 §5.2 step 8).
    fileprivate func withSigningInput<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        body(bytes.span.extracting(0..<signingInputCount))
    }
}

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
    fileprivate init(parsing bytes: [UInt8]) throws(JOSEError) {
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

/// A token whose signature is the expected provider's. Only ``JWS`` makes one.
public struct VerifiedJWS: Sendable {
    public let header: JWSHeader
    public let payload: [UInt8]
    /// Whose tokens the key that verified it may sign, as the key says; nil where it says nothing.
    public let keyIssuer: String?

    fileprivate init(_ token: CompactJWS, keyIssuer: String?) {
        header = token.header
        self.keyIssuer = keyIssuer
        payload = token.unverifiedPayload
    }
}
