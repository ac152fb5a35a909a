public import EventLoop
internal import HTTPServer
internal import Synchronization

/// Two carriers, their discovery, a plain OpenID Provider, one like TelenorID+ and one like Beyond Identity, and the
/// dialects of those that people use, on seven ports of this process.
///
/// They are strict providers: what a relying party does wrong is refused. What they do wrong themselves is switched on
/// from outside, for all callers (``misbehave(_:at:of:times:)``, or `POST /control/misbehave`), or for one sign-in (the
/// authorization parameter `misbehave`).
public final class Simulation: Sendable {
    /// Which ports are listened on.
    public enum Ports: Sendable {
        case kernelChosen
        /// This one for discovery and the next six for Aurora, Borealis, the plain provider, TelenorID+, Beyond
        /// Identity, and all dialects together.
        case from(UInt16)
    }

    private static let drainTime = Duration.milliseconds(200)

    private let world: World
    private let servers: [HTTPServer]

    /// Binds all ports.
    ///
    /// - Parameters:
    ///   - host: the address to listen on.
    ///   - issuerHost: how clients reach it, as it stands in every URL; nil for `host`. With a scheme,
    ///     `https://127.0.0.2`, where somebody else speaks TLS in front of it.
    ///   - loops: at least one, started by the caller and stopped after ``stop()``.
    ///   - latency: how long each call of a backend is kept waiting; without a thread.
    ///   - codeLifetime: of authorization codes at carriers, in seconds; nil for what is usual.
    ///   - gatehouse: the base URL of the Gatehouse that the sample app signs in with; nil: there is no sample app.
    /// - Throws: `SystemError` when a port can't be bound, `CryptoError` when no key can be made.
    public init(
        host: String = "127.0.0.1", issuerHost: String? = nil, ports: Ports, loops: [EventLoop],
        clients: [SimulatedClient], latency: Duration = .zero, codeLifetime: Int64? = nil,
        gatehouse: String? = nil
    ) throws {
        // RFC 3986 §3.2.2
        let name = issuerHost ?? host
        let world = try World(
            clients: clients, issuerHost: name.contains(":") && !name.contains("://") ? "[\(name)]" : name,
            latency: latency,
            codeLifetime: codeLifetime, gatehouse: gatehouse)
        var servers: [HTTPServer] = []
        for listener in Listener.allCases {
            let port: UInt16 =
                switch ports {
                case .kernelChosen: 0
                case .from(let first): first + UInt16(listener.rawValue)
                }
            let server = try HTTPServer(host: host, port: port, loops: loops, limits: HTTPServerLimits()) { loop, _ in
                SimulationHandler(IssuerRoutes(world: world, listener: listener, loop: loop).routes())
            }
            world.setPort(server.address.port, of: listener)
            servers.append(server)
        }
        self.world = world
        self.servers = servers
    }

    /// Begins to answer.
    public func start() async throws {
        for server in servers { try await server.start() }
    }

    /// Stops listening and closes every connection.
    public func stop() async {
        await withTaskGroup { group in
            for server in servers { group.addTask { await server.drain(within: Self.drainTime) } }
        }
    }

    /// The URL of discovery by mobile network, to which `client_id` and `mccmnc` are added.
    public var discovery: String { world.url(.discovery) + "/.well-known/openid_configuration" }
    /// The page on which a subscriber chooses a carrier.
    public var discoveryUI: String { world.url(.discovery) + DiscoveryEndpoint.userInterfacePath }
    /// The sample app, when there is one.
    public var sampleApp: String { world.url(.discovery) + SampleApp.path }
    /// Aurora's issuer URL.
    public var aurora: String { url(of: .aurora) }
    /// Borealis's issuer URL.
    public var borealis: String { url(of: .borealis) }
    /// The plain provider's issuer URL.
    public var plain: String { url(of: .plain) }

    /// TelenorID+'s issuer URL.
    public var telenor: String { url(of: .telenor) }

    /// Beyond Identity's issuer URL.
    public var beyond: String { url(of: .beyond) }

    /// The URL of an issuer, or of the discovery port, without a closing slash.
    public func url(of issuer: SimulatedIssuer) -> String { world.url(issuer) }

    /// The mobile network of a carrier; nil for the others.
    public func mccmnc(of issuer: SimulatedIssuer) -> String? { IssuerProfile.of(issuer)?.mccmnc }

    /// What a subscriber is called by an issuer to a client.
    public func subject(of subscriber: String, for clientID: String, at issuer: SimulatedIssuer) -> String {
        world.subject(of: subscriber, for: clientID, at: issuer)
    }

    /// What a dialect's ID tokens have as their issuer.
    ///
    /// - Parameter tenant: where there are several; nil for the usual one.
    /// - Returns: nil for an issuer that is no dialect, and for a tenant that it does not have.
    public func tokenIssuer(of issuer: SimulatedIssuer, tenant: String? = nil) -> String? {
        Dialect.of(issuer)?.site(tenant, of: world.url(issuer))?.issuer
    }

    /// Where a dialect's metadata is.
    ///
    /// - Parameter tenant: likewise.
    public func metadata(of issuer: SimulatedIssuer, tenant: String? = nil) -> String? {
        Dialect.of(issuer)?.site(tenant, of: world.url(issuer))?.metadata
    }

    /// The client of the demo's server at a dialect.
    public static func serverClient(at issuer: SimulatedIssuer) -> String { DialectClients.server(at: issuer) }
    /// And those of its apps.
    public static func appClients(at issuer: SimulatedIssuer) -> [String] { DialectClients.apps(at: issuer) }

    /// Switches a misbehaviour on, for all callers.
    ///
    /// - Parameters:
    ///   - endpoint: nil for those it is made for; for one that any endpoint can do, all that backends call.
    ///   - issuer: nil for every one. Discovery counts as the carrier's that is asked for.
    ///   - times: how many requests; nil until ``behave()``.
    public func misbehave(
        _ misbehaviour: Misbehaviour, at endpoint: SimulatedEndpoint? = nil, of issuer: SimulatedIssuer? = nil,
        times: Int? = nil
    ) {
        world.switches.set(misbehaviour, at: endpoint, of: issuer, times: times)
    }

    /// Switches all of it off.
    public func behave() { world.switches.clear() }

    /// Moves a subscriber to a carrier; from then on its ID tokens carry a port token of the other one, which no
    /// longer knows the subscriber. Nothing happens for a name that is no subscriber's, or another issuer.
    public func port(subscriber: String, to carrier: SimulatedIssuer) {
        _ = world.subscribers.port(subscriber, to: carrier, now: World.now)
    }

    /// Replaces an issuer's keys.
    ///
    /// - Throws: `CryptoError` when no key can be made.
    public func rotateKeys(of issuer: SimulatedIssuer) throws {
        try world.provider(issuer)?.keys.rotate()
    }

    /// Replaces an issuer's keys by others of the same names.
    ///
    /// - Throws: as above.
    public func exchangeKeys(of issuer: SimulatedIssuer) throws {
        try world.provider(issuer)?.keys.exchange()
    }

    /// How long each call of a backend is kept waiting.
    public var latency: Duration {
        get { world.latency.withLock { $0 } }
        set { world.latency.withLock { $0 = newValue } }
    }

    /// How many requests each endpoint has had, since the start.
    public var counts: RequestCounts { world.log.counts }

    /// The newest requests at an endpoint, oldest first.
    public func requests(at endpoint: SimulatedEndpoint) -> [RecordedRequest] { world.log.requests(at: endpoint) }
}
