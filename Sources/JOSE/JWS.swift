public import Crypto

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

/// Verification of JSON Web Signatures (RFC 7515 §5.2).
public enum JWS {
    /// Verifies a token's signature.
    ///
    /// - Parameters:
    ///   - token: as ``CompactJWS`` read it.
    ///   - keys: the keys of the party that must have signed.
    ///   - allowed: the algorithms that party is known to use. The token's header only chooses among them (RFC 8725
    ///     §3.1).
    /// - Throws: `JOSEError.algorithm`, `.unknownKey` or `.signature`.
    public static func verify(
        _ token: CompactJWS, keys: JWKSet, allowed: [SignatureAlgorithm]
    ) throws(JOSEError) -> VerifiedJWS {
        let algorithm = token.header.algorithm
        guard allowed.contains(algorithm) else { throw .algorithm }
        let key = try keys.key(withID: token.header.keyID, for: algorithm)
        let isValid = token.withSigningInput { signingInput in
            key.publicKey.verifies(signature: token.signature.span, of: signingInput, with: algorithm)
        }
        guard isValid else { throw .signature }
        return VerifiedJWS(token, keyIssuer: key.issuer)
    }

    /// Reads a token and verifies its signature; see ``verify(_:keys:allowed:)``.
    /// - Throws: also `JOSEError.malformed`.
    public static func verify(
        _ token: String, keys: JWKSet, allowed: [SignatureAlgorithm], maximumByteCount: Int
    ) throws(JOSEError) -> VerifiedJWS {
        try verify(CompactJWS(parsing: token, maximumByteCount: maximumByteCount), keys: keys, allowed: allowed)
    }
}
