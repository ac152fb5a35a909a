internal import Crypto

/// One issuer: what it is, its keys, and what it has granted.
final class Provider: Sendable {
    let issuer: SimulatedIssuer
    let profile: IssuerProfile
    /// Nil for one that speaks none of those.
    let dialect: Dialect?
    let keys: KeyRing
    /// For what nobody here encrypts; published by one carrier so that clients learn to look at `use`.
    let encryptionKey: SigningKey?
    let grants: GrantStore
    /// Of browsers, where the issuer keeps those.
    let sessions = BrowserSessions()
    let pushes = PushBook()
    /// The accounts that sign in, where the issuer keeps those; elsewhere any name is a subscriber's.
    let directory: DirectoryBook?
    /// Who is behind a subject that a client was told.
    private let subjects = ExpiringStore<String>(lifetime: 86_400, capacity: 200_000)
    /// The last session of each subscriber at each client, where the issuer names its sessions.
    private let sessionIDs = ExpiringStore<String>(lifetime: 86_400, capacity: 200_000)
    /// Whom it has told a client of, where names are told once.
    private let introduced = ExpiringStore<Bool>(lifetime: 86_400, capacity: 200_000)
    /// Access tokens for carrying users to another team, with the clients that have them.
    let migrations = ExpiringStore<String>(lifetime: GrantStore.accessTokenLifetime, capacity: 1_000)
    private let assertions = ExpiringStore<Bool>(lifetime: ClientAssertion.maximumLifetime, capacity: 200_000)

    /// - Parameter codeLifetime: in seconds; nil for what is usual at the issuer.
    init(_ issuer: SimulatedIssuer, _ profile: IssuerProfile, codeLifetime: Int64? = nil) throws(CryptoError) {
        self.issuer = issuer
        self.profile = profile
        let dialect = Dialect.of(issuer)
        self.dialect = dialect
        directory = issuer == .beyond ? DirectoryBook() : nil
        grants = GrantStore(
            codeLifetime: codeLifetime ?? dialect?.codeLifetime ?? GrantStore.codeLifetime,
            refreshTokenLifetime: profile.refreshLifetime ?? 86_400)
        keys = try KeyRing(owner: issuer.rawValue, algorithms: profile.algorithms)
        encryptionKey = profile.publishesEncryptionKey ? try KeyRing.key(of: "encryption", .rs256, generation: 0) : nil
    }

    /// The subscriber of a login hint, who need not have a credential.
    func subscriber(named hint: String) -> Subscriber? {
        guard let directory else { return Subscriber.named(hint) }
        return directory.account(hinted: hint)?.subscriber
    }

    /// Those whom the sign-in page offers.
    var offered: [Subscriber] { directory?.bound.prefix(20).map(\.subscriber) ?? Subscriber.wellKnown }

    /// Whether a subscriber can show to be that one.
    func hasCredential(_ subscriber: Subscriber) -> Bool {
        directory.map { $0.account { $0.subject == subscriber.name }?.isBound == true } ?? true
    }

    /// Notes the session that a sign-in has opened, and every refresh of it shows again.
    func note(session: String, of grant: Grant, now: Int64) {
        sessionIDs.insert(session, as: Self.name(grant.subscriber, grant.clientID), now: now)
    }

    /// The session that a subscriber has opened last at a client.
    func session(of subscriber: Subscriber, at clientID: String, now: Int64) -> String? {
        sessionIDs.value(Self.name(subscriber, clientID), now: now)
    }

    /// Notes what a client was told that a subscriber is called.
    func note(subject: String, of subscriber: Subscriber, now: Int64) {
        if subjects.value(subject, now: now) == nil { subjects.insert(subscriber.name, as: subject, now: now) }
    }

    /// The subscriber whom a client knows by a subject: one of the well-known, or one who has signed in there.
    func subscriber(with subject: String, for clientID: String) -> Subscriber? {
        let known = Subscriber.wellKnown.first { subscriber in
            SubscriberDirectory.subject(of: subscriber.name, for: clientID, at: issuer) == subject
        }
        return known ?? subjects.value(subject, now: World.now).flatMap(Subscriber.named)
    }

    /// Whether a subscriber comes to a client for the first time; from then on it is the second.
    func isFirstVisit(of subscriber: Subscriber, to clientID: String, now: Int64) -> Bool {
        let name = Self.name(subscriber, clientID)
        guard introduced.value(name, now: now) == nil else { return false }
        introduced.insert(true, as: name, now: now)
        return true
    }

    /// The subscriber whom a team's clients knew by a subject: one of the well-known, or one who has signed in there.
    func subscriber(called subject: String, by team: String) -> Subscriber? {
        let known = Subscriber.wellKnown.first { subscriber in
            dialect?.subject.text(of: subscriber.name, for: "", of: issuer.rawValue, team: team) == subject
        }
        return known ?? subjects.value(subject, now: World.now).flatMap(Subscriber.named)
    }

    private static func name(_ subscriber: Subscriber, _ clientID: String) -> String {
        "\(clientID)\u{0}\(subscriber.name)"
    }

    /// Whether a client's assertion of that name comes for the first time; from then on it has come.
    func isFirstUse(ofAssertion identifier: String, by clientID: String, now: Int64) -> Bool {
        let name = "\(clientID)\u{0}\(identifier)"
        guard assertions.value(name, now: now) == nil else { return false }
        assertions.insert(true, as: name, now: now)
        return true
    }
}
