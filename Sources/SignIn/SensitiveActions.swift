package import Accounts
internal import Providers

/// What could take an account over, and what a user must show to do it.
///
/// An access token is shown to many; who has got hold of one must not be able to make the account theirs. So each
/// ``SensitiveAct`` takes a user who has authenticated just now (RFC 9470), by an identity that was not added just now.
/// The transaction that does it decides; what is refused beforehand spares a code.
package struct SensitiveActions: Sendable {
    /// What holds for a provider that is not configured any more, in seconds.
    private static let usualIdentityAgeSeconds: Int64 = 86_400

    /// Nil for any time.
    let maximumAgeSeconds: Int64?
    let providers: ProviderRegistry

    /// - Parameter elapsed: how long ago the user asked for it, in seconds: they had authenticated by then.
    package func demands(on session: Session, elapsed: Int64 = 0) -> SensitiveDemands {
        let configuration = providers.provider(named: session.provider)?.configuration
        return SensitiveDemands(
            maximumAgeSeconds: maximumAgeSeconds.map { $0 + elapsed },
            minimumIdentityAgeSeconds: configuration?.minimumIdentityAgeSeconds ?? Self.usualIdentityAgeSeconds,
            challenge: configuration?.challenge ?? .nothing)
    }

    /// Refuses a session whose user authenticated too long ago for an act, before anything is sent or spent.
    package func check(_ session: Session, for act: SensitiveAct, now: Int64) throws(ServiceError) {
        let missing = demands(on: session).missingAuthentication(for: act, session.shownAuthentication, now: now)
        if let missing { throw insufficient(missing, session) }
    }

    /// What the repository's refusal of something sensitive means.
    package func error(_ refusal: Refusal, under session: Session) -> ServiceError {
        if case .authenticationTooOld(let seconds) = refusal { return insufficient(seconds, session) }
        return ServiceError(refusal)
    }

    private func insufficient(_ maximumAgeSeconds: Int64, _ session: Session) -> ServiceError {
        let minimum = providers.provider(named: session.provider)?.configuration.minimumACR
        return .insufficientAuthentication(maximumAgeSeconds: maximumAgeSeconds, acrValues: minimum?.values)
    }
}

extension ProviderConfiguration {
    /// For what an answer to our challenge counts at this provider.
    fileprivate var challenge: SensitiveDemands.Challenge {
        switch (authenticationTimes, freshness) {
        case (.always, _): .nothing
        case (.auto, .authenticationTime), (.never, .authenticationTime): .endings
        case (.auto, .challenge), (.never, .challenge): .everything
        }
    }
}
