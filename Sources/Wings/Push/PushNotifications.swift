package import Accounts
package import Providers
package import SignIn
internal import Syntax
internal import System

/// What carriers say has come of server-initiated sign-ins: the second half of the road, which is that of a posted code
/// from the ID token on.
package struct PushNotifications: Sendable {
    let signIn: SignInWithProvider
    let repository: any PushRepository
    let providers: ProviderRegistry
    let limits: PushLimits
    let clock: Clock

    package init(_ parts: UseCases.Parts, signIn: SignInWithProvider, limits: PushLimits) {
        (repository, providers, clock) = (parts.repository, parts.providers, parts.clock)
        (self.signIn, self.limits) = (signIn, limits)
    }

    /// What a notification has come to.
    package enum Outcome: Sendable {
        case signedIn(SignedIn)
        /// It signs nobody in, or has come before.
        case noted
    }

    /// What the log may have of a request.
    package struct Names: Sendable {
        package let provider: String
        package let correlationID: String
    }

    /// Takes a notification. The same one once more changes nothing, and no other one after it counts.
    ///
    /// - Parameters:
    ///   - bearer: what the carrier shows, which it was given with the push.
    ///   - noted: told what the log may have of the request, as soon as that is known.
    /// - Throws: `ServiceError.invalidToken` for what shows nothing that we have given out; `.invalidParameter`,
    ///   `.pushEnded` for what is no answer to the request, or comes too late; what a sign-in throws; what comes of the
    ///   store or of a call to the provider that failed, and then the same notification may come again.
    package func receive(
        _ notification: PushNotification, bearer: String, in call: CallContext, noted: (Names) -> Void
    ) async throws(ServiceError) -> Outcome {
        guard let secret = PushSecret(bearer, .carrier) else { throw .invalidToken }
        let now = clock.seconds
        let push = try await stored { () throws(RepositoryError) in
            try await repository.push(notifiedBy: secret.hash(), now: now)
        }
        guard let push, let content = secret.open(push.expectation) else { throw .invalidToken }
        noted(Names(provider: content.provider, correlationID: content.correlationID))
        guard notification.state.isExactly(content.state) else {
            throw .invalidParameter(ParameterError("state", "is not that of the request"))
        }
        // The notification may be here before the answer that names the request.
        if let name = push.carrierName(content), !name.isExactly(notification.carrierID) {
            throw .invalidParameter(ParameterError("auth_req_id", "is not that of the request"))
        }
        if push.state != .pending {
            guard push.notified == notification.fingerprint else { throw .pushEnded(push.end) }
            return .noted
        }
        guard push.expiresAt > now else { throw .pushEnded(.expired) }
        switch notification.result {
        case .refused(let refusal):
            try await end(push, content, as: refusal.end, notification)
            return .noted
        case .approved(let tokens):
            let grant = PushGrant(
                tokens: tokens, content: content, notification: push.notification,
                notified: notification.fingerprint,
                waitsUntil: max(push.expiresAt, now + PushGrant.minimumWaitSeconds))
            return try await finish(push, grant, secret, notification, call)
        }
    }

    private func finish(
        _ push: PendingPush, _ grant: PushGrant, _ secret: PushSecret, _ notification: PushNotification,
        _ call: CallContext
    ) async throws(ServiceError) -> Outcome {
        guard let provider = providers.pushing(grant.content.provider) else { throw .unknownProvider }
        do throws(ServiceError) {
            let signedIn = try await signIn.signIn(
                AuthorizedResponse(grant.content, secret), with: provider, for: grant, in: call)
            limits.release(grant.content.hint, of: grant.content.ownersHint)
            return .signedIn(signedIn)
        } catch .unlinked {
            // The ticket waits for the app.
            limits.release(grant.content.hint, of: grant.content.ownersHint)
            return .noted
        } catch .invalidGrant(.codeAlreadyUsed) {
            // The same notification is being taken at this moment, or was just taken.
            let now = clock.seconds
            let latest = try await stored { () throws(RepositoryError) in
                try await repository.push(notifiedBy: push.notification, now: now)
            }
            guard latest?.notified == notification.fingerprint else { throw ServiceError.overloaded }
            return .noted
        } catch {
            if error.isForGood { try await end(push, grant.content, as: .failed, notification) }
            throw error
        }
    }

    private func end(
        _ push: PendingPush, _ content: PushContent, as state: PendingPush.State, _ notification: PushNotification
    ) async throws(ServiceError) {
        let now = clock.seconds
        _ = try await stored { () throws(RepositoryError) in
            try await repository.endPush(push.notification, as: state, notified: notification.fingerprint, now: now)
        }
        // That another request may be begun would tell that this one is over.
        if state != .silent { limits.release(content.hint, of: content.ownersHint) }
    }
}

extension PushNotification {
    /// By which the same one is known when it comes again.
    fileprivate var fingerprint: TokenHash {
        switch result {
        case .approved(let tokens): TokenHash(sha256: "approved\n\(tokens.idToken)")
        case .refused(let refusal): TokenHash(sha256: "refused\n\(refusal.rawValue)")
        }
    }
}

extension AuthorizationRefusal {
    /// What becomes of a request that ends so. That a user is unknown, or has not answered, is told nobody.
    fileprivate var end: PendingPush.State {
        switch self {
        case .accessDenied, .requestDenied: .denied
        case .temporarilyUnavailable, .serverError, .networkFailure, .requestFault: .failed
        default: .silent
        }
    }
}

extension PendingPush {
    /// Why no other notification is taken.
    fileprivate var end: ServiceError.PushEnd {
        switch state {
        case .cancelled: .cancelled
        case .denied: .denied
        default: .expired
        }
    }
}

extension ServiceError {
    /// Whether the same notification would fare no better later.
    fileprivate var isForGood: Bool {
        switch self {
        case .invalidIDToken(.unknownKey): false
        case .invalidIDToken, .userinfoMismatch, .migrationConflict, .issuerMismatch, .challengeRequired, .locked,
            .insufficientAuthentication:
            true
        default: false
        }
    }
}
