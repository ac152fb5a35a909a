public import JOSE

/// Which rule a token breaks, of whatever kind it is. What all kinds have in common is that it must be a signed token
/// at all.
public protocol TokenRuleError: Error {
    static var malformed: Self { get }
    static var signature: Self { get }
    static var algorithm: Self { get }
    static var unknownKey: Self { get }
}

extension TokenRuleError {
    /// The rule that a token breaks which is not even a valid signed token. A signature that can't be decoded is no
    /// valid signature; everything else that can't be read is malformed.
    public init(_ error: JOSEError) {
        self =
            switch error {
            case .malformed(.signatureEncoding), .malformed(.emptySignature), .signature: .signature
            case .malformed: .malformed
            case .algorithm: .algorithm
            case .unknownKey: .unknownKey
            }
    }
}
