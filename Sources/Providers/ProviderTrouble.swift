public import OpenIDConnect
import Synchronization

/// What went wrong at a provider, for the log and the developer; never what it sent.
public struct ProviderProblem: Equatable, Sendable {
    public enum Step: String, Sendable {
        case discovery, keys, token, userinfo, push, refresh, revocation, introspection, logout, directory, transfer
        case verification
    }
    public let step: Step
    public let failure: ProviderCallError

    public init(_ step: Step, _ failure: ProviderCallError) {
        self.step = step
        self.failure = failure
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

/// What is known of a call to a provider that came to nothing, beside the error: for the log, and never for an app.
///
/// Where failures of many kinds become one answer, whoever is woken still has to know which host failed, and how.
public final class ProviderTrouble: Sendable {
    public struct Facts: Sendable, Equatable {
        public let step: ProviderProblem.Step
        public let failure: ProviderCallError
        /// Whom the call was for; nil where the failure is remembered from another sign-in's call.
        public let host: String?
        /// The provider's own words.
        public let words: ProviderWords?
    }

    private let last = Mutex<Facts?>(nil)
    private let refused = Mutex<[PortTokenError]>([])

    public init() {}

    public var facts: Facts? { last.withLock(\.self) }
    /// Why port tokens proved nothing, whatever became of the sign-in.
    public var refusedPortTokens: [PortTokenError] { refused.withLock(\.self) }

    public func note(refused refusals: [PortTokenError]) {
        if !refusals.isEmpty { refused.withLock { $0 += refusals } }
    }

    func note(_ step: ProviderProblem.Step, _ failure: ProviderCallError, host: String?, words: ProviderWords? = nil) {
        last.withLock { $0 = Facts(step: step, failure: failure, host: host, words: words) }
    }
}
