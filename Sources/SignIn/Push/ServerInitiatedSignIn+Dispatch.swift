internal import Accounts
internal import Crypto
internal import HTTPClient
public import Providers
internal import Syntax
internal import System

extension ServerInitiatedSignIn {
    /// Tells the carrier, after the app was answered: what it says, and when, is no part of that answer.
    ///
    /// - Throws: why the carrier could not ask, which the app is told when it asks. A carrier that can't be told to
    ///   stop asking is no error: nothing it says counts any more.
    public func deliver(_ errand: Errand, in call: CallContext) async throws(ServiceError) {
        guard let client = ProviderClient(entering: errand.provider, through: transport, in: call) else {
            if let secret = errand.secret { await fail(secret, errand) }
            throw .overloaded
        }
        let issuer = if let known = errand.issuer { known } else { try await issuer(errand.content, client) }
        if let former = errand.former { await cancel(former, issuer, client) }
        guard let secret = errand.secret else { return }
        let answer: PushAnswer
        do throws(ProviderError) {
            answer = try await client.push(
                request(errand, secret), at: issuer, identifier: Random.token(byteCount: 16), now: clock.seconds)
        } catch {
            // When the service stops, the carrier may still have got it, and its notification comes after the next
            // start.
            if !error.isOurEnd { await fail(secret, errand) }
            throw ServiceError(error)
        }
        guard case .accepted(let carrierID, let expiresIn) = answer else { return }
        if let expiresIn { limits.learn(expiresIn, at: issuer.issuer) }
        guard let sealed = try? errand.content.sealShared(Array(carrierID.utf8)) else { return }
        let now = clock.seconds
        let isPending = try await stored { () throws(RepositoryError) in
            try await repository.notePush(secret.hash(), carrierID: sealed, now: now)
        }
        if !isPending, try await isTakenBack(secret) { await cancel(carrierID, issuer, client) }
    }

    private func request(_ errand: Errand, _ secret: PushSecret) -> PushRequest {
        let (configuration, content) = (errand.provider.configuration, errand.content)
        return PushRequest(
            clientID: configuration.clientID, redirectURI: configuration.redirectURIs.first ?? "",
            notificationURI: tokenIssuer.configuration.issuer.address(Self.notificationPath),
            scopes: configuration.scopes,
            acrValues: content.acrValues ?? configuration.minimumACR?.values, loginHint: content.loginHint,
            correlationID: content.correlationID, context: content.context,
            expiresIn: limits.lifetime(at: content.issuer), notificationToken: secret.text, state: content.state,
            nonce: content.nonce)
    }

    private func cancel(_ carrierID: String, _ issuer: ProviderMetadata, _ client: borrowing ProviderClient) async {
        do throws(ProviderError) {
            try await client.cancelPush(
                carrierID, at: issuer, identifier: Random.token(byteCount: 16), now: clock.seconds)
        } catch {
            // The client has noted it for the log.
            return
        }
    }

    /// Whether the app took a request back, or began it anew, before the carrier had answered.
    private func isTakenBack(_ secret: PushSecret) async throws(ServiceError) -> Bool {
        let now = clock.seconds
        let push = try await stored { () throws(RepositoryError) in
            try await repository.push(notifiedBy: secret.hash(), now: now)
        }
        return push == nil || push?.state == .cancelled
    }

    private func fail(_ secret: PushSecret, _ errand: Errand) async {
        limits.release(errand.content.hint, of: errand.content.ownersHint)
        let now = clock.seconds
        do throws(RepositoryError) {
            _ = try await repository.endPush(secret.hash(), as: .failed, notified: nil, now: now)
        } catch {
            // It stays pending until it expires.
            return
        }
    }
}

extension ProviderError {
    fileprivate var isOurEnd: Bool {
        guard case .call(let problem) = self else { return false }
        return problem.failure == .transport(.shutDown) || problem.failure == .transport(.cancelled)
    }
}
