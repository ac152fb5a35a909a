package import Accounts
package import HTTPClient
package import Providers
package import SignIn
internal import Syntax
package import System

/// Passes on to a provider's directory that somebody wants an account, or a new credential: after the answer, so that
/// neither what it says nor how long it takes depends on who is known.
///
/// Our user comes first, and then the directory's account by the name that we have made for it: so a sign-in by that
/// account is this user's, whatever has failed between.
package struct DirectoryDelivery: OutboxCarrier {
    private let repository: any DirectoryRepository
    private let providers: ProviderRegistry
    private let transport: any HTTPTransport
    private let clock: Clock

    package init(
        repository: any DirectoryRepository, providers: ProviderRegistry, transport: any HTTPTransport, clock: Clock
    ) {
        (self.repository, self.providers) = (repository, providers)
        (self.transport, self.clock) = (transport, clock)
    }

    package func deliver(_ message: OutboxMessage, in call: CallContext) async -> OutboxDeliveryResult? {
        guard case .directory(let provisioning) = message.content else { return nil }
        guard let provider = providers.provider(named: message.provider) else { return .later(seconds: nil) }
        // What has been said for one directory is nothing for another.
        guard let api = provider.configuration.userAPI, api.url.text == message.issuer else { return .never }
        do throws(RepositoryError) {
            let task = try await repository.begin(
                message, name: .make(), reference: TokenIssuer.makeReference(),
                limits: DirectoryLimits(mailsPerHour: api.limits.mailsPerHour), now: clock.seconds)
            guard case .mail(let account) = task else { return .done }
            guard let client = ProviderClient(entering: provider, through: transport, in: call) else {
                return .later(seconds: nil)
            }
            let work = DirectoryWork(client: client, api: api, account: account)
            return try await finish(work, provisioning)
        } catch {
            return .later(seconds: nil)
        }
    }

    private func finish(_ work: borrowing DirectoryWork, _ provisioning: ProvisioningRequest)
        async throws(RepositoryError) -> OutboxDeliveryResult
    {
        let outcome: DirectoryWork.Outcome
        do throws(DirectoryFailure) {
            outcome = try await work.mail(provisioning)
        } catch {
            return .later(seconds: error.retryAfterSeconds)
        }
        guard case .mailed(let id) = outcome else { return .never }
        let isNoted = try await repository.note(
            id, hash: DirectoryKey.directoryHash(id), of: work.account, .directoryMailed, now: clock.seconds)
        return isNoted ? .done : .never
    }
}
