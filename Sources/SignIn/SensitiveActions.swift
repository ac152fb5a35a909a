internal import Accounts
internal import OpenIDConnect
internal import Providers

/// What could take an account over, and what is demanded of whoever does it.
///
/// An access token is shown to many; who has got hold of one must not be able to make the account his own. So linking,
/// unlinking, erasing and changing how the user is reached take a user who has authenticated just now (RFC 9470), by an
/// identity that was not added just now.
struct SensitiveActions: Sendable {
    /// What holds for a provider that is not configured any more, in seconds.
    private static let usualIdentityAgeSeconds: Int64 = 86_400

    /// Nil for any time.
    let maximumAgeSeconds: Int64?
    let providers: ProviderDirectory

    func demands(on session: Session) -> SensitiveDemands {
        SensitiveDemands(
            maximumAgeSeconds: maximumAgeSeconds,
            minimumIdentityAgeSeconds: providers.provider(named: session.provider)?.configuration
                .minimumIdentityAgeSeconds ?? Self.usualIdentityAgeSeconds)
    }

    /// Refuses a session whose user authenticated too long ago, before anything is sent or spent.
    func check(_ session: Session, now: Int64) throws(SignInError) {
        guard let maximumAgeSeconds, now - session.authenticatedAt > maximumAgeSeconds else { return }
        throw insufficient(maximumAgeSeconds, session)
    }

    /// Does something sensitive in the repository and says what its refusal means.
    func perform<Result: Sendable>(
        under session: Session, in repository: any AccountRepository,
        _ call: (any AccountRepository) async throws(RepositoryError) -> Result
    ) async throws(SignInError) -> Result {
        do throws(RepositoryError) {
            return try await call(repository)
        } catch .authenticationTooOld(let seconds) {
            throw insufficient(seconds, session)
        } catch {
            throw SignInError(error)
        }
    }

    private func insufficient(_ maximumAgeSeconds: Int64, _ session: Session) -> SignInError {
        let minimum = providers.provider(named: session.provider)?.configuration.minimumACR
        return .insufficientAuthentication(maximumAgeSeconds: maximumAgeSeconds, acrValues: minimum?.values)
    }
}
