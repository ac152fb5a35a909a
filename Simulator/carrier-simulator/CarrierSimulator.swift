internal import ArgumentParser
internal import EventLoop
internal import Glibc
internal import Logging
internal import SimulatedCarriers
internal import System

/// Runs the simulated carriers until it is told to stop.
@main
struct CarrierSimulator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carrier-simulator",
        abstract:
            "Simulates two ZenKey carriers, their discovery and a plain OpenID Provider, and serves a sample app.",
        discussion: """
            Seven ports: discovery, Aurora Mobile (310410), Borealis Wireless (311480), the plain provider, one like \
            TelenorID+, one like Beyond Identity, and one for the dialects of providers that people use, each below a path: \
            /apple, /google, /facebook, /entra, /auth0, /okta, /keycloak, /cognito, /line and /firebase. There POST \
            /DIALECT/native with login_hint=NAME and client_id answers what an SDK hands to an app. At most of them an \
            authorization request with prompt=none&login_hint=NAME gets its code at once; any lower-case name is a \
            subscriber. Misbehaviour is switched on with POST /control/misbehave or the authorization parameter \
            misbehave; GET /control/misbehaviours lists the names.
            """)

    static func main() async {
        await main(ProgramArguments.read(otherwise: Array(CommandLine.arguments.dropFirst())))
    }

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The first of seven ports; 0 lets the kernel choose them.")
    var port: UInt16 = 9000

    @Option(help: "How long each call of a backend is kept waiting, in milliseconds.")
    var latencyMs = 0

    @Option(
        help: "The host name in all URLs, with https:// where a proxy speaks TLS; the address listened on when absent.")
    var issuerHost: String?

    @Option(
        name: .customLong("redirect-uri"),
        help: "An address that both demo clients may send users back to. May be repeated.")
    var redirectURIs: [String] = []

    @Option(help: "The base URL of the Gatehouse that the sample app, at /app/ on the first port, signs in with.")
    var gatehouse = "http://127.0.0.1:8080"

    @Option(help: "How many event loops serve; 0 means one for each core.")
    var loops = 0

    func validate() throws {
        guard port == 0 || port <= UInt16.max - 6 else {
            throw ValidationError("--port leaves no room for seven ports.")
        }
        guard latencyMs >= 0 else { throw ValidationError("--latency-ms must not be negative.") }
        guard loops >= 0 else { throw ValidationError("--loops must not be negative.") }
    }

    func run() async throws {
        // Where Gatehouse gets back what it has sent to a provider, by the names in its demo configuration.
        let dialects = SimulatedIssuer.dialects.map(\.rawValue)
        let callbacks = (["zenkey", "plain", "telenor", "beyond"] + dialects).map { "\(gatehouse)/auth/\($0)/callback" }
        let logger = Logger(label: "carrier-simulator") { StreamLogHandler.standardError(label: $0) }
        // Broken connections are reported by the calls that meet them.
        IgnoredSignals.add(SIGPIPE)
        let stops = StopSignals()
        var eventLoops: [EventLoop] = []
        for index in 0..<(loops == 0 ? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) : loops) {
            eventLoops.append(try EventLoop(label: "simulation-\(index)"))
        }
        for loop in eventLoops { loop.start() }
        defer { for loop in eventLoops { loop.stop() } }
        let simulation = try Simulation(
            host: host, issuerHost: issuerHost, ports: port == 0 ? .kernelChosen : .from(port), loops: eventLoops,
            clients: SimulatedClient.demo(
                redirectURIs: redirectURIs + callbacks,
                postLogoutRedirectURIs: ["\(gatehouse)/auth/telenor/logged-out"]),
            latency: .milliseconds(latencyMs), gatehouse: gatehouse)
        try await simulation.start()
        print("sample app \(simulation.sampleApp)")
        print("listening discovery \(simulation.discovery)")
        print("listening aurora \(simulation.aurora)")
        print("listening borealis \(simulation.borealis)")
        print("listening plain \(simulation.plain)")
        print("listening telenor \(simulation.telenor)")
        print("listening beyond \(simulation.beyond)")
        for issuer in SimulatedIssuer.dialects { print("listening \(issuer.rawValue) \(simulation.url(of: issuer))") }
        // A program that waits for the lines reads them through a pipe, which is buffered.
        fflush(nil)
        let signal = await stops.first()
        logger.info("stopping", metadata: ["signal": "\(signal)"])
        await simulation.stop()
    }
}
