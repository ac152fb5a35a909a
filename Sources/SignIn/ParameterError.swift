/// A parameter of a request that is missing or ill-formed; the sentence never holds its value.
public struct ParameterError: Error, Equatable, Sendable {
    public let name: String
    public let problem: String

    public init(_ name: String, _ problem: String) {
        (self.name, self.problem) = (name, problem)
    }

    static let missingIssuer = ParameterError("iss", "is missing")
    static let missingNonce = ParameterError(
        "nonce", "is missing: a code needs one without a code_verifier that this provider is known to compare")
    static let missingCode = ParameterError("code", "is missing")
}
