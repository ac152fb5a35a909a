package import Accounts
internal import Crypto
internal import HTTPClient
package import Providers
package import SignIn
internal import System

/// The sign-in that begins on the user's phone: the app names the user, our server has the carrier ask them, the
/// carrier says what has come of it (``PushNotifications``), and the app fetches that.
///
/// What an app is told of a request is the same whether the carrier knows the user or not: it is answered before the
/// carrier is asked, and what the carrier says of the user leaves it pending. Only a user who says no is told of.
package struct ServerInitiatedSignIn: Sendable {
    /// A request that was written down, and what is left to do about it.
    package struct Begun: Sendable {
        /// What the app asks by: 256 random bits, good for the app that began it.
        package let id: String
        /// In seconds.
        package let expiresIn: Int64
        /// To be delivered once the app has been answered.
        package let delivery: Delivery
    }

    /// What the carrier is to be told.
    package struct Delivery: Sendable {
        let provider: Provider
        /// nil where it is still to be found: what an app waits for must not depend on whether there is anything to
        /// tell.
        let issuer: ProviderMetadata?
        let content: PushContent
        /// What the carrier is given to show us; nil where nothing more is asked of it.
        let secret: PushSecret?
        /// What it called the request that is over now.
        let former: String?

        // For the log.
        package var providerName: String { content.provider }
        package var correlationID: String { content.correlationID }
    }

    let repository: any PushRepository & IdentityRepository & ReceiptRepository
    let providers: ProviderRegistry
    let tokenIssuer: TokenIssuer
    let limits: PushLimits
    let transport: any HTTPTransport
    let clock: Clock

    package init(_ parts: UseCases.Parts, limits: PushLimits) {
        (repository, providers, tokenIssuer) = (parts.repository, parts.providers, parts.tokenIssuer)
        (transport, clock) = (parts.transport, parts.clock)
        self.limits = limits
    }

    /// Where carriers say what has come of a request, below the package base URL.
    package static let notificationPath = "/auth/zenkey-async-signin/notification"

    /// Begins one: when it returns, it is on disk, and nobody has been asked yet.
    ///
    /// - Parameters:
    ///   - owner: whose it is: nobody else can ask for it.
    ///   - session: of the user who is to be asked; nil where the app names one.
    ///   - userAgent: what the app says it is, for the list of sessions.
    /// - Throws: `ServiceError.pushedTooOften`, `.providerNotFound`, what comes of a call of discovery that failed, or
    ///   of the store.
    package func begin(
        _ backchannel: BackchannelRequest, with provider: Provider, owner: String, session: Session?,
        userAgent: String?,
        in call: CallContext
    ) async throws(ServiceError) -> Begun {
        guard let client = ProviderClient(entering: provider, through: transport, in: call) else {
            throw .overloaded
        }
        let ofSession = try await subject(of: session, at: provider)
        let (hint, issuer, subject) = try await whom(backchannel, ofSession, client)
        let content = PushContent(
            provider: provider.configuration.name, issuer: issuer.issuer, network: backchannel.network,
            loginHint: hint, subject: subject, context: backchannel.context, acrValues: backchannel.acrValues,
            correlationID: backchannel.correlationID, owner: owner, userAgent: userAgent, at: clock.milliseconds)
        let (id, secret) = (PushSecret(.app), PushSecret(.carrier))
        let now = clock.seconds
        let push = try sealed(content, id, secret, now: now)
        try limits.take(content.hint, of: content.ownersHint, instead: false, until: push.expiresAt, now: now)
        do throws(ServiceError) {
            try await stored { () throws(RepositoryError) in
                try await repository.beginPush(push, maximum: limits.configuration.maximumPending, now: now)
            }
        } catch {
            limits.release(content.hint, of: content.ownersHint)
            throw error
        }
        limits.remember(push.handle, until: push.expiresAt, now: now)
        return Begun(
            id: id.text, expiresIn: push.expiresAt - now,
            delivery: Delivery(provider: provider, issuer: issuer, content: content, secret: secret, former: nil))
    }

    /// Begins one anew, under the same limits; what the carrier was given before is good for nothing from then on.
    ///
    /// - Parameter id: what the app asks by.
    /// - Throws: as above; `.unknownPath` where there is none of this owner's; `.pushEnded`, `.invalidRequest` where it
    ///   can't be begun anew.
    package func retry(
        _ id: String, owner: String, in call: CallContext
    ) async throws(ServiceError) -> Begun {
        let (push, former, handle) = try await find(id, owner)
        switch push.state {
        case .cancelled: throw .pushEnded(.cancelled)
        case .denied: throw .pushEnded(.denied)
        case .signedIn, .taken, .unlinked:
            throw .invalidRequest("The user has approved this sign-in: ask for what came of it.")
        case .pending, .silent, .failed: break
        }
        guard let provider = providers.pushing(former.provider),
            let client = ProviderClient(entering: provider, through: transport, in: call)
        else { throw .overloaded }
        let issuer = try await issuer(former, client)
        let now = clock.seconds
        let (content, secret) = (former.renewed(at: clock.milliseconds), PushSecret(.carrier))
        let renewed = try sealed(content, handle, secret, now: now)
        try limits.take(content.hint, of: content.ownersHint, instead: true, until: renewed.expiresAt, now: now)
        let isRenewed = try await stored { () throws(RepositoryError) in
            try await repository.repeatPush(renewed, now: now)
        }
        guard isRenewed else { throw .pushEnded(.cancelled) }
        limits.remember(renewed.handle, until: renewed.expiresAt, now: now)
        return Begun(
            id: id, expiresIn: renewed.expiresAt - now,
            delivery: Delivery(
                provider: provider, issuer: issuer, content: content, secret: secret, former: push.carrierName(former)))
    }

    /// Takes one back. What the carrier is to be told of it may fail: it is over here.
    ///
    /// - Returns: what is left to tell the carrier; nil where there is nothing.
    /// - Throws: `.unknownPath`, and what comes of the store. When it returns, no answer to it is taken any more.
    package func cancel(_ id: String, owner: String) async throws(ServiceError) -> Delivery? {
        let (push, content, _) = try await find(id, owner)
        let now = clock.seconds
        let isCancelled = try await stored { () throws(RepositoryError) in
            try await repository.endPush(push.notification, as: .cancelled, notified: nil, now: now)
        }
        guard isCancelled else { return nil }
        limits.release(content.hint, of: content.ownersHint)
        guard let former = push.carrierName(content), let provider = providers.pushing(content.provider) else {
            return nil
        }
        return Delivery(provider: provider, issuer: nil, content: content, secret: nil, former: former)
    }
}

extension ServerInitiatedSignIn {
    /// The request of an app, with what was sealed under its secret.
    func find(
        _ id: String, _ owner: String
    ) async throws(ServiceError) -> (push: PendingPush, content: PushContent, secret: PushSecret) {
        guard let secret = PushSecret(id, .app) else { throw .unknownPath }
        let now = clock.seconds
        let handle = secret.hash(owner: owner)
        let push = try await stored { () throws(RepositoryError) in try await repository.push(handle, now: now) }
        guard let push, let content = secret.open(push.request), content.owner == owner else { throw .unknownPath }
        limits.remember(handle, until: push.expiresAt, now: now)
        return (push, content, secret)
    }

    /// By which identity the user of a session is asked.
    private func subject(of session: Session?, at provider: Provider) async throws(ServiceError) -> Subject? {
        guard let session else { return nil }
        let identities = try await stored { () throws(RepositoryError) in
            try await repository.identities(of: session.user)
        }
        let ofProvider = identities.filter { $0.provider == provider.configuration.name }
        let identity = ofProvider.first { $0.id == session.identity } ?? ofProvider.first
        guard let identity else { throw .providerNotFound(discoveryUI: nil) }
        return identity.subject
    }

    /// Whom to ask, by what the carrier knows them, and where; and who it must be that answers, where that is known.
    private func whom(
        _ backchannel: BackchannelRequest, _ ofSession: Subject?, _ client: borrowing ProviderClient
    ) async throws(ServiceError) -> (hint: String, issuer: ProviderMetadata, subject: Subject?) {
        if let ofSession {
            return (ofSession.value, try await issuer(of: ofSession, backchannel.network, client), ofSession)
        }
        switch backchannel.hint {
        case nil: throw .invalidParameter(ParameterError("login_hint", "is missing"))
        case .phoneNumber(let number):
            return (number, try await issuer(of: nil, backchannel.network, client), nil)
        case .subject(let value):
            let issuer = try await issuer(ofNamed: value, backchannel.network, client)
            let name = client.provider.currentName(of: issuer.issuer)
            return (value, issuer, Subject(issuer: name, value: value))
        }
    }

    /// The issuer of a subject that an app names.
    private func issuer(
        ofNamed subject: String, _ network: MobileNetwork?, _ client: borrowing ProviderClient
    ) async throws(ServiceError) -> ProviderMetadata {
        let issuer = try await asked { () throws(ProviderError) in
            if let network { return try await client.issuer(serving: network) }
            return try await client.issuer(of: subject)
        }
        return try Self.pushing(issuer)
    }

    private static func pushing(_ issuer: ProviderMetadata) throws(ServiceError) -> ProviderMetadata {
        guard issuer.pushEndpoint != nil else {
            throw .providerError(
                ProviderProblem(.discovery, .invalidMember("server_initiated_authorization_endpoint")))
        }
        return issuer
    }

    private func issuer(
        of subject: Subject?, _ network: MobileNetwork?, _ client: borrowing ProviderClient
    ) async throws(ServiceError) -> ProviderMetadata {
        let issuer = try await asked { () throws(ProviderError) in
            if let subject { return try await client.issuer(of: subject.value) }
            return try await client.issuer(serving: network)
        }
        // A user who has changed carriers has another subject there.
        if let subject, !client.provider.stores(subject.issuer, of: issuer) {
            throw .providerNotFound(discoveryUI: await client.discoveryUI())
        }
        return try Self.pushing(issuer)
    }

    /// The issuer of a request that was begun before.
    func issuer(
        _ content: PushContent, _ client: borrowing ProviderClient
    ) async throws(ServiceError) -> ProviderMetadata {
        let issuer = try await asked { () throws(ProviderError) in
            guard let network = content.network else { return try await client.issuer(named: content.issuer) }
            return try await client.issuer(serving: network)
        }
        guard issuer.issuer == content.issuer else { throw .providerNotFound(discoveryUI: nil) }
        return issuer
    }

    private func sealed(
        _ content: PushContent, _ id: PushSecret, _ secret: PushSecret, now: Int64
    ) throws(ServiceError) -> PendingPush {
        guard let request = try? id.seal(content), let expectation = try? secret.seal(content) else {
            throw .overloaded
        }
        return PendingPush(
            handle: id.hash(owner: content.owner), notification: secret.hash(), request: request,
            expectation: expectation, carrierID: nil, state: .pending, ticket: nil, notified: nil,
            expiresAt: now + limits.lifetime(at: content.issuer))
    }
}

extension ProviderRegistry {
    /// The provider of that name, if it takes server-initiated sign-ins.
    func pushing(_ name: String) -> Provider? {
        provider(named: name).flatMap { $0.requestSigner == nil ? nil : $0 }
    }

    /// Whether any does.
    package var takesPushes: Bool { all.contains { $0.configuration.requestSigner != nil } }
}

extension PendingPush {
    /// What the carrier calls it, if it has said so.
    func carrierName(_ content: PushContent) -> String? {
        carrierID.flatMap(content.openShared).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension PushContent {
    /// By which pushes to one user are counted, of all apps together.
    var hint: TokenHash { TokenHash(sha256: "\(provider)\n\(loginHint)") }
    /// Of each owner.
    var ownersHint: TokenHash { TokenHash(sha256: "\(provider)\n\(loginHint)\n\(owner)") }
}
