internal import Providers
internal import SignIn

/// What the end of a sign-in says of the provider.
enum ProviderVerdict: Equatable {
    /// It has done its part.
    case well
    /// It has not, or what is configured of it does not fit, or the way there is cut.
    case failed
    /// Nothing: it was up to the app, to the user, or to us.
    case nothing

    /// - Parameters:
    ///   - error: what the sign-in has come to; nil where somebody was signed in.
    ///   - kind: of the sign-in. What an app was given by an SDK anybody can make up, and so it says nothing.
    init(_ error: ServiceError?, _ kind: SignInKind?) {
        switch error {
        // Nobody has the identity that the provider has proven.
        case nil, .unlinked: self = .well
        case .providerError, .providerUnavailable, .providerCircuitOpen, .providerBusy, .providerTimeout, .pushFailed:
            self = .failed
        case .userinfoMismatch: self = kind == .native ? .nothing : .failed
        case .invalidIDToken(let fault): self = kind != .native && fault.isUpToProvider ? .failed : .nothing
        default: self = .nothing
        }
    }
}

extension IDTokenError {
    /// Whether a token that the provider's token endpoint gives breaks the rule for all alike: by its keys, its clock,
    /// or what is configured of it. What an app has asked for is another thing.
    fileprivate var isUpToProvider: Bool {
        switch self {
        case .signature, .algorithm, .issuer, .audience, .authorizedParty, .expired, .issuedAt, .subject,
            .accessTokenHash, .codeHash, .malformed, .unknownKey:
            true
        case .nonce, .acr, .authenticationTime, .context: false
        }
    }
}

/// Notes what sign-ins say of the providers they are at.
struct ProviderVerdicts: Sendable {
    private let outcomes: [String: ProviderOutcomes]

    init(_ providers: [Provider]) {
        outcomes = Dictionary(providers.map { ($0.configuration.name, $0.outcomes) }) { first, _ in first }
    }

    /// Every request that a provider fails counts; of those that it answers, sign-ins.
    ///
    /// - Parameter reason: what has failed, in words of ours.
    func note(_ error: ServiceError?, _ context: RequestContext, reason: (ServiceError) -> String) {
        guard error != nil || context.signIn != nil, let outcomes = context.provider.flatMap({ outcomes[$0] }) else {
            return
        }
        switch (ProviderVerdict(error, context.kind), error) {
        case (.well, _): outcomes.noteDone()
        case (.failed, let error?): outcomes.noteFailure(reason(error))
        case (.failed, nil), (.nothing, _): break
        }
    }
}
