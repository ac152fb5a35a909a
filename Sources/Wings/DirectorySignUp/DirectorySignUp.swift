package import Accounts
internal import Crypto
internal import HTTPClient
package import Providers
package import SignIn
package import Syntax
internal import System

/// Signing up for an account in a provider's directory, and getting another credential for one.
///
/// By mail it is the same for everybody, known or not: a request is written down, and passed on after the answer
/// (``DirectoryDelivery``).
package struct DirectorySignUp: Sendable {
    private let repository: any DirectoryRepository & BrowserSignInRepository
    private let sensitive: SensitiveActions
    private let transport: any HTTPTransport
    private let clock: Clock

    package init(_ parts: UseCases.Parts) {
        (repository, sensitive) = (parts.repository, parts.sensitive)
        (transport, clock) = (parts.transport, parts.clock)
    }

    /// Writes a request down.
    ///
    /// - Parameter address: who asks for it, in whose share of the queue it waits.
    /// - Throws: `ServiceError.overloaded` where too many wait, `.storageUnavailable`.
    package func order(
        _ provisioning: ProvisioningRequest, at provider: Provider, from address: IPAddress
    ) async throws(ServiceError) {
        let api = try api(of: provider)
        let now = clock.seconds
        let isWritten = try await stored { () throws(RepositoryError) in
            let order = DirectoryOrder(
                provisioning, provider: provider.configuration.name, url: api.url.text,
                network: try repository.networkHash(of: address))
            return try await repository.order(order, maximum: api.limits.pending, now: now)
        }
        guard isWritten else { throw .overloaded }
    }

    /// Signs somebody up under a name that nobody has, with a link at once. The address that was said goes nowhere:
    /// with the link in somebody's hands already, a mail could only lead another person into the account.
    ///
    /// - Returns: nil where the name is somebody's, or no links are given: then it is a matter of mail.
    /// - Throws: what a call to a provider throws; nobody has signed up then.
    package func link(
        for provisioning: ProvisioningRequest, at provider: Provider, in call: CallContext
    ) async throws(ServiceError) -> BindingJob? {
        let api = try api(of: provider)
        // A name that is an address is its owner's to prove, by mail.
        guard api.returnsLinks, api.version == .v1, let name = provisioning.username,
            !ProvisioningRequest.isAddress(name)
        else {
            return nil
        }
        let order = DirectoryOrder(provisioning, provider: provider.configuration.name, url: api.url.text)
        let now = clock.seconds
        let opening = try await stored { () throws(RepositoryError) in
            try await repository.openAccount(order, name: .make(), reference: TokenIssuer.makeReference(), now: now)
        }
        guard case .account(let account) = opening else { return nil }
        do throws(ServiceError) {
            let outcome = try await work(api, account, provider, call) { work throws(DirectoryFailure) in
                try await work.link(named: name, displayName: provisioning.displayName ?? name)
            }
            if let job = try await noted(outcome, account) { return job }
        } catch {
            try await discard(account)
            throw error
        }
        // The directory has that name already, for somebody who is not ours.
        try await discard(account)
        return nil
    }

    /// A link for the user of a session, and for nobody else, whatever name came with the request.
    ///
    /// - Throws: also `ServiceError.insufficientAuthentication`, `.identityTooNew`, `.invalidToken`.
    package func link(
        under session: Session, displayName: String?, at provider: Provider, in call: CallContext
    ) async throws(ServiceError) -> BindingJob {
        let now = clock.seconds
        try sensitive.check(session, for: .bindCredential, now: now)
        let api = try api(of: provider)
        guard api.version == .v1 else {
            throw .invalidParameter(ParameterError("delivery_method", "must be email: this provider returns no links"))
        }
        let opening = try await stored { () throws(RepositoryError) in
            try await repository.openAccount(
                under: session.id, demands: sensitive.demands(on: session), provider: provider.configuration.name,
                name: .make(), now: now)
        }
        switch opening {
        case .refused(let refusal): throw sensitive.error(refusal, under: session)
        case .taken: throw .identityInUse
        case .account(let account):
            let outcome = try await work(api, account, provider, call) { work throws(DirectoryFailure) in
                try await work.link(displayName: displayName ?? account.externalID)
            }
            guard let job = try await noted(outcome, account) else {
                throw .providerError(ProviderProblem(.directory, .status(409)))
            }
            return job
        }
    }

    private func api(of provider: Provider) throws(ServiceError) -> UserAPI {
        guard let api = provider.configuration.userAPI else { throw .unknownProvider }
        return api
    }

    private func work(
        _ api: UserAPI, _ account: DirectoryAccount, _ provider: Provider, _ call: CallContext,
        _ body: (borrowing DirectoryWork) async throws(DirectoryFailure) -> DirectoryWork.Outcome
    ) async throws(ServiceError) -> DirectoryWork.Outcome {
        guard let client = ProviderClient(entering: provider, through: transport, in: call) else {
            throw .overloaded
        }
        do throws(DirectoryFailure) {
            return try await body(DirectoryWork(client: client, api: api, account: account))
        } catch {
            throw ServiceError(.call(error.problem))
        }
    }

    /// - Returns: nil where there is no link.
    private func noted(
        _ outcome: DirectoryWork.Outcome, _ account: DirectoryAccount
    ) async throws(ServiceError) -> BindingJob? {
        guard case .link(let job, let id) = outcome else { return nil }
        let now = clock.seconds
        let isNoted = try await stored { () throws(RepositoryError) in
            try await repository.note(
                id, hash: DirectoryKey.directoryHash(id), of: account, .bindingLinkReturned, now: now)
        }
        return isNoted ? job : nil
    }

    private func discard(_ account: DirectoryAccount) async throws(ServiceError) {
        let now = clock.seconds
        try await stored { () throws(RepositoryError) in try await repository.discard(account, now: now) }
    }
}

extension DirectoryName {
    private static let byteCount = 16

    /// A name that nobody has had before.
    static func make() -> DirectoryName {
        let name = Random.token(byteCount: byteCount)
        return DirectoryName(externalID: name, hash: DirectoryKey.externalHash(name))
    }
}
