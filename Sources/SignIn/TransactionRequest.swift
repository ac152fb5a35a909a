public import Accounts
public import Providers

/// What an app posts after its user has approved one transaction: an authorized response in which nothing that binds
/// the approval may be missing.
public struct TransactionRequest: Sendable {
    /// The level that approving a transaction takes, unless the app asks for another: a PIN or a biometric.
    static let usualLevel = "a3"
    static let usualMaximumAgeSeconds: Int64 = 300
    static let longestMaximumAgeSeconds: Int64 = 3600

    /// What is posted: what a sign-in takes, and how recent the approval must be.
    public enum Parameter: ProviderParameterNames {
        case response(AuthorizedResponse.Parameter)
        case maximumAge

        public static let (provider, clientID) = (Parameter.response(.provider), Parameter.response(.clientID))
        public static let (mccmnc, mcc, mnc) = (
            Parameter.response(.mccmnc), Parameter.response(.mcc), Parameter.response(.mnc)
        )
        public static let allCases =
            AuthorizedResponse.Parameter.allCases.filter { $0 != .maximumAge }.map(Parameter.response) + [.maximumAge]

        public init?(rawValue: String) {
            if rawValue == Parameter.maximumAge.rawValue {
                self = .maximumAge
            } else if let parameter = AuthorizedResponse.Parameter(rawValue: rawValue) {
                self = .response(parameter)
            } else {
                return nil
            }
        }

        public var rawValue: String {
            switch self {
            case .response(let parameter): parameter.rawValue
            case .maximumAge: "max_age"
            }
        }
    }

    public private(set) var response: AuthorizedResponse
    let nonce: String
    /// The very text that the user was shown.
    let context: String
    let authentication: RequiredAuthentication
    /// How long ago the user may have authenticated, in seconds.
    let maximumAgeSeconds: Int64

    /// Validates what an app sent.
    ///
    /// - Parameters:
    ///   - parameters: finds a parameter by its name; an empty one counts as absent.
    ///   - provider: whose rules apply.
    /// - Throws: `ParameterError` for the first parameter that does not fit.
    public init(_ parameters: (Parameter) -> String?, for provider: Provider) throws(ParameterError) {
        // It has bounds of its own here.
        response = try AuthorizedResponse(
            { $0 == .maximumAge ? nil : parameters(.response($0)) }, for: provider)
        guard let nonce = response.nonce else { throw ParameterError("nonce", "is missing") }
        guard let context = response.context else { throw ParameterError("context", "is missing") }
        (self.nonce, self.context) = (nonce, context)
        guard let authentication = RequiredAuthentication(values: response.acrValues ?? Self.usualLevel) else {
            throw ParameterError("acr_values", "names no level")
        }
        self.authentication = authentication
        maximumAgeSeconds = try Self.maximumAge(parameters(.maximumAge))
    }

    private static func maximumAge(_ text: String?) throws(ParameterError) -> Int64 {
        guard let text, !text.isEmpty else { return usualMaximumAgeSeconds }
        guard let seconds = Int64(text), (1...longestMaximumAgeSeconds).contains(seconds) else {
            throw ParameterError("max_age", "must be a number of seconds from 1 to \(longestMaximumAgeSeconds)")
        }
        return seconds
    }
}

extension TransactionRequest {
    /// The same, from a request that may be sent again: the bearer's session shows whose it is.
    public func repeatable(as digest: RequestDigest, at provider: Provider) -> TransactionRequest {
        var request = self
        request.response = response.repeatable(as: digest, at: provider, isProven: true)
        return request
    }
}
