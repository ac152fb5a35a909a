import EventLoop
import Foundation
import HTTPTesting
import JSON
import Logging
import Settings
import SimulatedCarriers
import Telemetry
import Testing
import Wings

@testable import Composition
@testable import Operations

extension Settings {
    /// Reads a configuration that is in memory, and the files it names from where they are.
    static func load(
        yaml: String, environment: [String: String] = [:], wings: [Wing] = Wing.all
    ) -> LoadedSettings {
        load(file: "test.yaml", environment: environment, wings: wings.map(\.settings)) {
            path throws(SettingsFileError) in
            path == "test.yaml" ? Array(yaml.utf8) : try bytes(of: path)
        }
    }
}

/// A whole Gatehouse with simulated carriers of its own, on ports of the kernel's choice, in a folder of its own.
final class RunningGatehouse: Sendable {
    static let clientID = "ccid-0123456789abcdef"
    static let redirectURI = "ccid-0123456789abcdef://com.xci.provider.sdk"

    let simulation: Simulation
    let server: Server
    let log: RecordedLog
    private let loop: EventLoop
    let folder: URL

    /// How much one address may do in a minute; 0: as much as it likes.
    struct Limits {
        var signIns = 0
        var challenges = 0
        var failedRefreshes = 0
        var failedAdminTokens = 0
        var signUps = 0
        /// YAML lines of a wing's.
        var more: [String] = []
    }

    /// Starts both, runs `body`, and stops both.
    ///
    /// - Parameters:
    ///   - top: more top-level YAML.
    ///   - http: more of the section `http`, in flow style.
    ///   - zenkey: more YAML lines of the provider `zenkey`; likewise `plain`. `{plain}` is the plain provider's URL,
    ///     and `{beyond}` that of the one like Beyond Identity.
    ///   - telenor: more YAML lines of further providers, clients at TelenorID+, by their names.
    ///   - others: the YAML lines of other providers, by their names, in which `{apple}`, `{google}` and so on are the
    ///     simulated ones' URLs, and `{google without scheme}` what Google calls itself at times.
    static func with(
        top: String = "", http: String = "", zenkey: [String] = [], plain: [String] = [],
        telenor: [String: [String]] = [:], others: [String: [String]] = [:], limits: Limits = Limits(),
        latency: Duration = .zero, codeLifetime: Int64? = nil,
        environment: [String: String] = [:], adminToken: String? = nil, wings: [Wing] = Wing.all,
        observers: Observers = .none,
        _ body: (RunningGatehouse) async throws -> Void
    ) async throws {
        let running = try await RunningGatehouse(
            top: top, http: http, zenkey: zenkey, plain: plain, telenor: telenor, others: others, limits: limits,
            latency: latency, codeLifetime: codeLifetime,
            environment: environment, adminToken: adminToken, wings: wings, observers: observers)
        do {
            try await body(running)
        } catch {
            await running.stop()
            throw error
        }
        await running.stop()
    }

    private init(
        top: String, http: String, zenkey: [String], plain: [String], telenor: [String: [String]],
        others: [String: [String]],
        limits: Limits, latency: Duration, codeLifetime: Int64?, environment: [String: String], adminToken: String?,
        wings: [Wing], observers: Observers
    ) async throws {
        loop = try EventLoop(label: "simulation")
        loop.start()
        simulation = try Simulation(
            ports: .kernelChosen, loops: [loop],
            clients: SimulatedClient.demo(
                redirectURIs: (["zenkey", "plain"] + telenor.keys + others.keys).map {
                    "\(BrowserFlow.issuer)/auth/\($0)/callback"
                },
                postLogoutRedirectURIs: telenor.keys.map { "\(BrowserFlow.issuer)/auth/\($0)/logged-out" }),
            latency: latency, codeLifetime: codeLifetime)
        try await simulation.start()
        folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-\(UUID().uuidString)")
        log = RecordedLog()
        server = try await Self.start(
            Self.yaml(
                simulation, folder, top: top, http: http, zenkey: zenkey, plain: plain, telenor: telenor,
                others: others, limits: limits,
                adminToken: adminToken),
            log, environment, wings: wings, observers: observers)
    }

    static func start(
        _ yaml: String, _ log: RecordedLog, _ environment: [String: String], wings: [Wing] = Wing.all,
        observers: Observers = .none
    ) async throws -> Server {
        let loaded = Settings.load(
            yaml: yaml, environment: environment.merging(try await SharedStore.environment()) { own, _ in own },
            wings: wings)
        guard case .valid(let settings, _, _) = loaded else {
            Issue.record("the test's configuration is faulty: \(loaded)")
            throw CancellationError()
        }
        return try await Server.start(
            settings, wings: wings, observers: observers, metrics: MetricRegistry(), logger: log.logger)
    }

    static func yaml(
        _ simulation: Simulation, _ folder: URL, top: String = "", http: String = "", port: UInt16 = 0,
        zenkey: [String] = [], plain: [String] = [], telenor: [String: [String]] = [:],
        others: [String: [String]] = [:], limits: Limits = Limits(),
        adminToken: String? = nil, lameDuckSeconds: Int = 0
    ) -> String {
        let adminToken = adminToken.map { ", token: \($0)" } ?? ", openOnLoopback: true"
        // What a test says takes the place of what is usual.
        func section(_ usual: [String], _ changes: [String]) -> String {
            let changed = Set(changes.map { $0.prefix { $0 != ":" } })
            return (usual.filter { !changed.contains($0.prefix { $0 != ":" }) } + changes)
                // Its port is the kernel's choice.
                .map { line in
                    let issuers: [SimulatedIssuer] = [.plain, .beyond] + SimulatedIssuer.dialects
                    return "    "
                        + issuers.reduce(line) {
                            $0.replacing("{\($1.rawValue)}", with: simulation.url(of: $1)).replacing(
                                "{\($1.rawValue) without scheme}",
                                with: String(simulation.url(of: $1).dropFirst("http://".count)))
                        } + "\n"
                }.joined()
        }
        // All tests begin at once, and a simulated provider has a share of the same processors.
        let patience = ["timeoutSeconds: 60", "signInTimeoutSeconds: 60"]
        let carrier = [
            "profile: zenkey", "discoveryURL: \(simulation.discovery)", "clientID: \(clientID)",
            "clientSecret: demo-secret", "redirectURIs: ['\(redirectURI)']",
            "trustedIssuers: ['127.0.0.1', 'localhost']",
            "allowLoopbackHTTP: true",
        ]
        let other = [
            "profile: openid", "issuer: \(simulation.plain)", "clientID: gatehouse-demo",
            "clientSecret: demo-secret-plain", "redirectURIs: ['com.example.app:/callback']",
            "algorithms: [RS256, ES256]", "allowLoopbackHTTP: true",
        ]
        let usual = [
            "profile: telenor-id", "issuer: \(simulation.telenor)", "clientID: gatehouse-telenor",
            "clientSecret: demo-secret-telenor", "redirectURIs: ['com.example.app:/callback']",
            "allowLoopbackHTTP: true",
        ]
        let further = telenor.sorted { $0.key < $1.key }
        let dialects = others.sorted { $0.key < $1.key }
        let sections =
            further.map { "  \($0.key):\n" + section(usual + patience, $0.value) }.joined()
            + dialects.map { "  \($0.key):\n" + section(["allowLoopbackHTTP: true"] + patience, $0.value) }.joined()
        return """
            http: {host: 127.0.0.1, port: \(port), loops: 1, lameDuckSeconds: \(lameDuckSeconds), \(http)}
            admin: {port: 0\(adminToken)}
            storage: {url: 'file:\(folder.path)/users.db'}
            rateLimit:
              signInsPerMinutePerAddress: \(limits.signIns)
              challengesPerMinutePerAddress: \(limits.challenges)
              failedRefreshesPerMinutePerAddress: \(limits.failedRefreshes)
              failedAdminTokensPerMinutePerAddress: \(limits.failedAdminTokens)
              signUpsPerMinutePerAddress: \(limits.signUps)
            \(limits.more.map { "  " + $0 }.joined(separator: "\n"))
            providers: [\((["zenkey", "plain"] + (further + dialects).map(\.key)).joined(separator: ", "))]
            \(top)
            provider:
              zenkey:
            \(section(carrier + patience, zenkey))
              plain:
            \(section(other + patience, plain))\(sections)
            """
    }

    /// Where the API listens.
    var port: UInt16 { server.address.port }
    /// Where the API for operators listens.
    var adminPort: UInt16 { server.adminAddress.port }

    func stop() async {
        await server.stop()
        await simulation.stop()
        loop.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: What an app does

    /// A code for a subscriber, as the app gets it at its redirect URI.
    ///
    /// - Parameter more: more of the request; an empty text leaves out what is usual.
    func authorize(_ subscriber: String, at carrier: SimulatedIssuer = .aurora, _ more: [String: String] = [:])
        async throws
        -> Authorized
    {
        let isPlain = carrier == .plain
        let verifier = Authorized.makeVerifier()
        var query = [
            "client_id": isPlain ? "gatehouse-demo" : Self.clientID, "response_type": "code",
            "scope": "openid profile email phone name postal_code",
            "redirect_uri": isPlain ? "com.example.app:/callback" : Self.redirectURI, "state": "s", "prompt": "none",
            "login_hint": subscriber, "code_challenge": Authorized.challenge(verifier), "code_challenge_method": "S256",
        ]
        query.merge(more) { _, new in new }
        query = query.filter { !$0.value.isEmpty }
        let issuer = try #require(URLComponents(string: simulation.url(of: carrier)))
        let answer = try await LoopbackClient(port: UInt16(try #require(issuer.port))).send(
            "GET", "/authorize?" + FormText.encode(query))
        let location = try #require(answer.header("location"), "\(answer.status) \(answer.text)")
        let items = URLComponents(string: location)?.queryItems ?? []
        let code = try #require(items.first { $0.name == "code" }?.value, "no code in \(location)")
        return Authorized(
            code: code, verifier: verifier, mccmnc: simulation.mccmnc(of: carrier), isPlain: isPlain)
    }

    /// Posts a sign-in as stock apps do.
    func signIn(_ authorized: Authorized, _ changes: [String: JSONValue?] = [:]) async throws -> HTTPTestAnswer {
        try await post("/auth/signin", authorized.body(changes))
    }

    /// Authorizes and signs in with a challenge of ours: such a sign-in is known to have begun after whatever has ended
    /// before, within the same second too.
    func challengedSignIn(_ subscriber: String, at carrier: SimulatedIssuer = .aurora) async throws -> HTTPTestAnswer {
        let nonce = try #require(try await post("/auth/challenge", [:])["nonce"]?.string)
        return try await signIn(
            try await authorize(subscriber, at: carrier, ["nonce": nonce]), ["nonce": .string(nonce)])
    }

    /// Authorizes and signs in.
    func signIn(
        _ subscriber: String, at carrier: SimulatedIssuer = .aurora, misbehaving name: String? = nil
    ) async throws -> HTTPTestAnswer {
        try await signIn(try await authorize(subscriber, at: carrier, name.map { ["misbehave": $0] } ?? [:]))
    }

    /// - Parameter other: the port of another server with the same carriers; nil for this one.
    func post(
        _ path: String, _ body: JSONValue, _ headers: [String: String] = [:], at other: UInt16? = nil
    ) async throws -> HTTPTestAnswer {
        try await LoopbackClient(port: other ?? port).send(
            "POST", path,
            headers: ["Content-Type": "application/json"].merging(headers) { _, new in new }, body: body.serialized)
    }

    /// - Parameter other: the port of another server with the same carriers; nil for this one.
    func call(
        _ method: String, _ path: String, bearer: String? = nil, headers: [String: String] = [:],
        form: [String: String]? = nil, at other: UInt16? = nil
    ) async throws -> HTTPTestAnswer {
        var headers = headers
        if let bearer { headers["Authorization"] = "Bearer \(bearer)" }
        if form != nil { headers["Content-Type"] = "application/x-www-form-urlencoded" }
        return try await LoopbackClient(port: other ?? port).send(
            method, path, headers: headers,
            body: form.map { Array(FormText.encode($0).utf8) })
    }

    func refresh(_ token: String) async throws -> HTTPTestAnswer {
        try await call("POST", "/auth/token", form: ["grant_type": "refresh_token", "refresh_token": token])
    }
}
