public import Telemetry

/// What went wrong at a provider, for the log and the developer; never what it sent.
public struct ProviderProblem: Equatable, Sendable {
    public enum Step: Int, Sendable, CaseIterable {
        case discovery, keys, token, userinfo, push, refresh, revocation, introspection, logout, directory, transfer
        case verification

        private static let names = allCases.map { StepName("\($0)") }

        /// As logs, metrics and traces know it.
        public var name: StepName { Self.names[rawValue] }

        /// As which kind of call the provider's words are read.
        var dialectCall: Dialect.Call {
            switch self {
            case .token: .code
            case .refresh: .refresh
            case .revocation: .revocation
            case .introspection: .introspection
            case .userinfo: .userinfo
            case .discovery, .keys, .push, .logout, .directory, .transfer, .verification: .other
            }
        }
    }
    public let step: Step
    public let failure: ProviderCallError

    public init(_ step: Step, _ failure: ProviderCallError) {
        (self.step, self.failure) = (step, failure)
    }
}

/// Why a part of the road that leads to a provider came to nothing.
public enum ProviderError: Error, Equatable, Sendable {
    case call(ProviderProblem)
    case idToken(IDTokenError)
    case userinfoMismatch
    case logoutToken(EventTokenError)
    case event(EventTokenError)
    case accessToken(AccessTokenError)
}
