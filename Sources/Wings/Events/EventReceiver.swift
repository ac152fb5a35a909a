internal import Accounts
internal import HTTPClient
package import Providers
package import SignIn
internal import System

/// What providers tell of their users of their own accord: an account is gone, a grant is taken back, somebody else has
/// got hold of it, mail does not arrive any more.
///
/// It ends sessions and sets marks, and erases nobody: whether somebody is a user of ours is the user's word and ours.
/// Anything may come twice, late and out of order, so what an event does depends on when it has happened, and not on
/// when it comes.
package struct EventReceiver: Sendable {
    /// What has come of a message, for the log: it names nobody.
    package struct Receipt: Sendable, Equatable {
        /// What was told, in our words.
        package let kinds: [ProviderEvent.Kind]
        /// How many events there were of kinds that nobody here knows.
        package let unknown: Int
        /// Whether the same message has come before.
        package let isRepeated: Bool
        /// How many events have changed anything.
        package let changes: Int
        /// What shows that a request to be forgotten was carried out; nil for everything else.
        package let confirmation: String?
    }

    private let repository: any SessionRepository
    private let seen: SeenTokens
    private let transport: any HTTPTransport
    private let clock: Clock

    package init(_ parts: UseCases.Parts, seen: SeenTokens) {
        (repository, transport, clock) = (parts.repository, parts.transport, parts.clock)
        self.seen = seen
    }

    /// Takes a signed token about events: Apple's notification, or a security event token of RISC.
    ///
    /// - Parameter call: where a failed call to the provider is noted for the log.
    /// - Throws: `ServiceError.invalidEvent`; `.overloaded` when the provider's bulkhead is full; what comes of a call
    ///   to the provider that failed, or of the store, and then the same message may come again. When it returns, what
    ///   follows from the message is on disk.
    package func take(
        token text: String, at provider: Provider, in call: CallContext
    ) async throws(ServiceError) -> Receipt {
        let now = clock.seconds
        let presented: PresentedEventToken
        do throws(EventTokenError) {
            presented = try provider.presented(eventToken: text)
        } catch {
            throw .invalidEvent(error)
        }
        guard let client = ProviderClient(entering: provider, through: transport, in: call) else {
            throw .overloaded
        }
        let events = try await asked { () throws(ProviderError) in try await client.verified(presented, now: now) }
        return try await take(events, at: provider, now: now)
    }

    /// What Facebook's signed requests mean, each at an address of its own: nothing in them says it.
    private static let signedRequestKinds: [ProviderEvent.Kind] = [.deauthorized, .deletionRequested]

    /// Takes a signed request of Facebook's. One that was taken at one address is none at another: who has seen a
    /// request to remove an app must not make one to be forgotten of it.
    ///
    /// - Parameter kind: what it means, which the address tells that it came to.
    /// - Throws: `ServiceError.invalidEvent`, `.replayed` for one that has come to another address; what comes of the
    ///   store, and then the same request may come again.
    package func take(
        signedRequest text: String, as kind: ProviderEvent.Kind, at provider: Provider
    ) async throws(ServiceError) -> Receipt {
        let now = clock.seconds
        let events: ProviderEvents
        do throws(EventTokenError) {
            events = try provider.verified(signedRequest: text, as: kind, now: now)
        } catch {
            throw .invalidEvent(error)
        }
        let name = events.name(at: provider, as: [kind])
        let others = Self.signedRequestKinds.filter { $0 != kind }.map { events.name(at: provider, as: [$0]) }
        guard seen.enter(name, butFor: others, now: now) else { throw .invalidEvent(.replayed) }
        defer { seen.leave(name) }
        return try await take(events, at: provider, now: now)
    }

    /// One message that comes twice at once is done twice, of which the second changes nothing: neither may be told
    /// that it is done before it is.
    private func take(
        _ message: ProviderEvents, at provider: Provider, now: Int64
    ) async throws(ServiceError) -> Receipt {
        let kinds = message.events.map(\.kind)
        let confirmation = message.confirmation(by: provider)
        let name = message.name(at: provider, as: kinds)
        if seen.has(name, now: now) {
            return Receipt(
                kinds: kinds, unknown: message.unknown, isRepeated: true, changes: 0, confirmation: confirmation)
        }
        let events = message.events.compactMap { $0.identityEvent(at: provider) }
        var changes = 0
        if !events.isEmpty {
            changes = try await stored { () throws(RepositoryError) in
                try await repository.take(events, line: clock.line, now: now)
            }
        }
        seen.remember(name, now: now)
        return Receipt(
            kinds: kinds, unknown: message.unknown, isRepeated: false, changes: changes, confirmation: confirmation)
    }

    /// When the request was made that a code confirms, in seconds since 1970; nil where there is none of the
    /// provider's.
    package func requestTime(ofConfirmation code: String, at provider: Provider) -> Int64? {
        provider.eventSecret.flatMap { DeletionCode(secret: $0).time(of: code) }
    }
}

extension ProviderEvents {
    /// By which a message that comes again is known.
    fileprivate func name(at provider: Provider, as kinds: [ProviderEvent.Kind]) -> TokenHash {
        TokenHash(sha256: [provider.configuration.name, issuer, identifier] + kinds.map(\.rawValue))
    }

    /// What confirms a request to be forgotten.
    fileprivate func confirmation(by provider: Provider) -> String? {
        guard let event = events.first(where: { $0.kind == .deletionRequested }), let secret = provider.eventSecret
        else { return nil }
        return DeletionCode(secret: secret).text(for: identifier, at: event.time)
    }
}

extension ProviderEvent {
    /// What follows from it here; nil where that is nothing, or nobody is named.
    fileprivate func identityEvent(at provider: Provider) -> IdentityEvent? {
        guard let subject, let issuer = provider.eventIssuer else { return nil }
        // A session that was opened in the very moment, by a clock that goes otherwise than the provider's, has ended,
        // too.
        let openedBy = time + provider.configuration.clockSkewSeconds
        let ending = IdentityEvent.Effect.endsSessions(openedBy: openedBy, reauthenticate: false)
        let locksUser = provider.configuration.locksOnHijacking
        let hijacking: IdentityEvent.Effect =
            locksUser
            ? .locks(openedBy: openedBy, wholeUser: true) : .endsSessions(openedBy: openedBy, reauthenticate: true)
        let (name, effect): (AuditEvent.Kind, IdentityEvent.Effect)
        switch kind {
        case .consentRevoked: (name, effect) = (.providerConsentRevoked, ending)
        case .accountDeleted: (name, effect) = (.providerAccountDeleted, ending)
        case .accountHijacked: (name, effect) = (.providerAccountHijacked, hijacking)
        case .sessionsRevoked: (name, effect) = (.providerSessionsRevoked, ending)
        case .tokensRevoked: (name, effect) = (.providerTokensRevoked, ending)
        case .deauthorized: (name, effect) = (.providerDeauthorized, ending)
        case .deletionRequested: (name, effect) = (.providerDeletionRequested, ending)
        case .emailDisabled: (name, effect) = (.providerEmailDisabled, .stopsEmail)
        case .emailEnabled: (name, effect) = (.providerEmailEnabled, .resumesEmail)
        case .accountDisabled: (name, effect) = (.providerAccountDisabled, .locks(openedBy: openedBy, wholeUser: false))
        case .accountEnabled: (name, effect) = (.providerAccountEnabled, .unlocks)
        case .credentialChangeRequired: (name, effect) = (.providerCredentialChangeRequired, .none)
        // Of a token nobody keeps yet, and of nobody.
        case .tokenRevoked, .verification: return nil
        }
        return IdentityEvent(
            subject: Subject(issuer: issuer, value: subject), kind: name, effect: effect, time: time)
    }
}

extension Provider {
    /// The name under which the users are stored whom its events are about.
    fileprivate var eventIssuer: String? {
        issuerNames.map { currentName(of: $0.configured) }
    }
}
