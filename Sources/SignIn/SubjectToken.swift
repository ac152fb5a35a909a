public import Accounts
internal import Providers

/// What somebody posts who exchanges a provider's access token (RFC 8693 §2.1). Every part was validated; there is no
/// other way to make one.
public struct SubjectToken: Sendable {
    /// RFC 8693 §2.1.
    public static let grantType = "urn:ietf:params:oauth:grant-type:token-exchange"
    /// RFC 8693 §3: of what is handed in, and of what is given for it.
    public static let accessTokenType = "urn:ietf:params:oauth:token-type:access_token"
    /// RFC 8693 §3: an access token may be called so where it has to be one.
    public static let jwtType = "urn:ietf:params:oauth:token-type:jwt"
    /// In bytes.
    public static let maximumBytes = AccessTokenRules.maximumTokenBytes

    /// What is posted beside `grant_type` and what shows the client (RFC 8693 §2.1).
    public enum Parameter: String, ParameterNames {
        case provider
        case clientID = "client_id"
        case correlationID = "correlation_id"
        case subjectToken = "subject_token"
        case subjectTokenType = "subject_token_type"
        case requestedTokenType = "requested_token_type"
        case actorToken = "actor_token"
        case actorTokenType = "actor_token_type"
        case resource, audience, scope
        /// A token of the session that the new one takes the place of.
        case replacesToken = "replaces_token"

        /// A token that was given for an earlier authentication shows neither.
        public static let unsupported = ["max_age", "acr_values"]
    }

    let text: String
    let isCalledJWT: Bool
    public let correlationID: String?
    /// What the token that is given for it is to be.
    public let asked: RequestedAccess
    /// The request that it came with: the same again gets the same session, for a moment.
    var request: RequestDigest?

    /// The same, from a request that may be sent again: the provider's token is what shows whose it is.
    public func repeatable(as request: RequestDigest) -> SubjectToken {
        var token = self
        token.request = request
        return token
    }

    /// Validates what was posted.
    ///
    /// - Parameter parameters: finds a parameter by its name; an empty one counts as absent.
    /// - Throws: `ServiceError.invalidParameter` for the first parameter that does not fit; `.invalidScope`;
    ///   `.invalidTarget` where one token is asked for that is for two.
    public init(_ parameters: (Parameter) -> String?) throws(ServiceError) {
        func parameter(_ name: Parameter) -> String? {
            guard let value = parameters(name), !value.isEmpty else { return nil }
            return value
        }
        func refuse(_ name: Parameter, _ problem: String) -> ServiceError {
            .invalidParameter(ParameterError(name.rawValue, problem))
        }
        guard let text = parameter(.subjectToken) else { throw refuse(.subjectToken, "is missing") }
        // Measured before it is looked through.
        guard text.utf8.count <= Self.maximumBytes else {
            throw refuse(.subjectToken, "is longer than \(Self.maximumBytes) bytes")
        }
        guard AccessTokenRules.isWellFormed(text) else {
            throw refuse(.subjectToken, "has characters that no access token has")
        }
        guard let type = parameter(.subjectTokenType) else { throw refuse(.subjectTokenType, "is missing") }
        guard [Self.accessTokenType, Self.jwtType].contains(type) else {
            throw refuse(.subjectTokenType, "must be that of an access token, \(Self.accessTokenType)")
        }
        if let asked = parameter(.requestedTokenType), asked != Self.accessTokenType {
            throw refuse(.requestedTokenType, "must be \(Self.accessTokenType), or be left out")
        }
        // Nobody acts for somebody else here (§1.1).
        for name in [Parameter.actorToken, .actorTokenType] where parameter(name) != nil {
            throw refuse(name, "is not supported")
        }
        // Two ways of saying the same (§2.1), and one token has one audience.
        let targets = [Parameter.resource, .audience].compactMap(parameter)
        guard targets.count < 2 || targets[0] == targets[1] else { throw .invalidTarget }
        asked = try RequestedAccess(scope: parameter(.scope), resource: targets.first)
        do throws(ParameterError) {
            correlationID = try AuthorizedResponse.checked(correlationID: parameter(.correlationID))
        } catch {
            throw .invalidParameter(error)
        }
        self.text = text
        isCalledJWT = type == Self.jwtType
    }

    /// The token, read for a provider.
    ///
    /// - Throws: `ServiceError.invalidParameter` where it is called a JWT and need not be one there;
    ///   `.invalidSubjectToken`.
    func presented(to provider: Provider) throws(ServiceError) -> PresentedAccessToken {
        guard !isCalledJWT || provider.configuration.tokenExchange?.rule == .jwt else {
            throw .invalidParameter(ParameterError("subject_token_type", "must be \(Self.accessTokenType) here"))
        }
        do throws(AccessTokenError) {
            return try provider.presented(accessToken: text)
        } catch {
            throw .invalidSubjectToken(error)
        }
    }
}
