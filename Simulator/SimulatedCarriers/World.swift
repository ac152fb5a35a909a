internal import Crypto
internal import Glibc
internal import Synchronization
import System

/// What all issuers of a simulation share.
final class World: Sendable {
    let clients: [String: SimulatedClient]
    let subscribers = SubscriberDirectory()
    let switches = MisbehaviourSwitches()
    let log = RequestLog()
    let lines = LineAuthentication()
    let latency: Mutex<Duration>
    /// The base URL of the Gatehouse that the sample app signs in with; nil without that app.
    let gatehouse: String?
    private let issuerHost: String
    /// Keys that clients have registered while the simulation ran, by the client's id.
    private let registeredKeys = Mutex<[String: [PublicKey]]>([:])
    private let ports = Mutex<[Listener: UInt16]>([:])
    private let providers: [SimulatedIssuer: Provider]
    /// Those that somebody has asked: a dozen keys more would hold up every start.
    private let dialects = Mutex<[SimulatedIssuer: Provider]>([:])

    init(
        clients: [SimulatedClient], issuerHost: String, latency: Duration, codeLifetime: Int64?, gatehouse: String?
    ) throws(CryptoError) {
        self.clients = Dictionary(clients.map { ($0.id, $0) }) { $1 }
        self.issuerHost = issuerHost
        self.latency = Mutex(latency)
        self.gatehouse = gatehouse
        var providers: [SimulatedIssuer: Provider] = [:]
        for issuer in SimulatedIssuer.providers {
            guard let profile = IssuerProfile.of(issuer) else { continue }
            providers[issuer] = try Provider(issuer, profile, codeLifetime: codeLifetime)
        }
        self.providers = providers
    }

    /// - Returns: nil for discovery, which signs nobody in, and where no key can be made.
    func provider(_ issuer: SimulatedIssuer) -> Provider? {
        guard let dialect = Dialect.of(issuer) else { return providers[issuer] }
        return dialects.withLock { dialects in
            if let provider = dialects[issuer] { return provider }
            let provider = try? Provider(issuer, dialect.profile)
            dialects[issuer] = provider
            return provider
        }
    }

    /// A client that is registered at an issuer.
    func client(_ id: String?, at issuer: SimulatedIssuer) -> SimulatedClient? {
        guard let id, let client = clients[id], client.issuers.contains(issuer) else { return nil }
        return client
    }

    /// What a client's assertions may be signed with.
    func keys(of client: SimulatedClient) -> [PublicKey] {
        registeredKeys.withLock { $0[client.id] } ?? client.keys
    }

    /// - Returns: false for a client that nobody knows.
    func register(keys: [PublicKey], of id: String) -> Bool {
        guard clients[id] != nil else { return false }
        registeredKeys.withLock { $0[id] = keys }
        return true
    }

    /// Whether an address is registered for a client: one of its own to the letter, or for a client of the demo the
    /// sample app's, whose port is not known before it is bound.
    func allows(_ redirectURI: String, for client: SimulatedClient) -> Bool {
        if client.redirectURIs.contains(redirectURI) { return true }
        guard gatehouse != nil, let path = SampleApp.redirectPaths[client.id] else { return false }
        return redirectURI == url(.discovery) + path
    }

    /// Ports are known once the servers are bound, which is after their handlers are made.
    func setPort(_ port: UInt16, of listener: Listener) {
        ports.withLock { $0[listener] = port }
    }

    func port(_ listener: Listener) -> UInt16 { ports.withLock { $0[listener] ?? 0 } }

    /// The issuer's URL, without a closing slash. A dialect's tokens may name another one, below it.
    func url(_ issuer: SimulatedIssuer) -> String {
        "\(issuerHost.contains("://") ? "" : "http://")\(issuerHost):\(port(issuer.listener))"
            + (issuer.isDialect ? "/\(issuer.rawValue)" : "")
    }

    /// What a subscriber is called by an issuer to a client.
    func subject(of name: String, for clientID: String, at issuer: SimulatedIssuer) -> String {
        guard let dialect = Dialect.of(issuer) else {
            return SubscriberDirectory.subject(of: name, for: clientID, at: issuer)
        }
        let team = subscribers.team(of: name)
        return dialect.subject.text(of: name, for: clientID, of: issuer.rawValue, team: team)
    }

    /// Unix time in seconds.
    static var now: Int64 { WallClock.now.seconds }
}
