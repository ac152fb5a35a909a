/// Why a signed token is not taken. No case carries content of the token.
public enum JOSEError: Error, Equatable, Sendable {
    /// The token is not the compact serialization of a JWS, or uses an extension we do not know.
    case malformed(Malformation)
    /// The token's algorithm is `none`, a keyed hash, unknown, or not on the caller's list.
    case algorithm
    /// The signature is not the selected key's.
    case signature
    /// No key could be selected.
    case unknownKey(KeySelectionFailure)

    /// What is wrong with the token's form.
    public enum Malformation: Equatable, Sendable {
        case tooLong
        /// Not exactly three parts, or an empty header or payload.
        case parts
        /// The header is not base64url of a JSON object with each member once.
        case header
        /// A header member that has not the type its specification gives it, or `alg` is missing.
        case headerMember(String)
        /// `crit` or `b64` is there (RFC 7515 §4.1.11, RFC 7797): we implement no extension.
        case extensionInUse
        case payloadEncoding
        case signatureEncoding
        case emptySignature
    }

    /// Why no key could be selected.
    public enum KeySelectionFailure: Equatable, Sendable {
        /// The set has no key with the header's `kid`.
        case keyIDNotInSet
        /// The set has the `kid`, but no key of it fits the algorithm and may verify.
        case keyDoesNotFit
        /// The header has no `kid`, and no key of the set fits the algorithm and may verify.
        case noKeyFits
        /// The key may be there, with its private half beside it, so that it proves nothing.
        case privateKeyPublished
        /// More than one key fits.
        case ambiguous
    }

    /// The stable word for the kind of error: `malformed`, `algorithm`, `signature` or `unknown_key`.
    public var reason: String {
        switch self {
        case .malformed: "malformed"
        case .algorithm: "algorithm"
        case .signature: "signature"
        case .unknownKey: "unknown_key"
        }
    }

    /// Whether the provider may have rotated its keys since the set was fetched, so that a fresh set may answer.
    public var isReasonToRefetchKeys: Bool {
        switch self {
        // A name that is known may stand for another key by now, of the same kind or of another.
        case .signature, .unknownKey: true
        case .malformed, .algorithm: false
        }
    }
}
