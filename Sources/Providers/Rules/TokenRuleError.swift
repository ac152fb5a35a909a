public import JOSE

/// Why what a provider has signed is refused, of whatever kind it is. What all kinds have in common is that it must be
/// a signed token at all.
public protocol SignedTokenRefusal: Error {
    /// The refusal of what is not even a valid signed token.
    init(_ error: JOSEError)

    /// The rule that is broken, by the word that the API has for it.
    var rule: String { get }
}

extension SignedTokenRefusal where Self: RawRepresentable, RawValue == String {
    public var rule: String { rawValue }
}

/// Which rule a token breaks, for the kinds whose rules have these names.
public protocol TokenRuleError: SignedTokenRefusal {
    static var malformed: Self { get }
    static var signature: Self { get }
    static var algorithm: Self { get }
    static var unknownKey: Self { get }
}

extension TokenRuleError {
    /// A signature that can't be decoded is no valid signature; everything else that can't be read is malformed.
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
