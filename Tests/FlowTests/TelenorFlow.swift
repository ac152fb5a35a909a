import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

/// A browser at a Gatehouse that signs users in with TelenorID+, and at TelenorID+ itself.
struct TelenorFlow {
    static let configuration = """
        session: {issuer: '\(BrowserFlow.issuer)'}
        apps: [desk]
        app:
          desk:
            clientID: desk
            idTokenAlgorithm: ES256
            redirectURIs: ['https://desk.example/cb']
            postLogoutRedirectURIs: ['http://127.0.0.1/bye']
            scopes: [openid, profile, email, phone, claims, offline_access, account.read, account.write]
            impliedScopes: [offline_access, account.read, account.write]
        """

    var browser: BrowserFlow
    /// What TelenorID+ knows the browser by.
    var session: String?
    private var gatehouse: RunningGatehouse { browser.gatehouse }

    init(_ gatehouse: RunningGatehouse) {
        browser = BrowserFlow(gatehouse)
    }

    /// - Parameter telenor: YAML lines of providers, by their names.
    static func with(
        _ telenor: [String: [String]] = ["telenor": []], _ body: (RunningGatehouse) async throws -> Void
    ) async throws {
        try await RunningGatehouse.with(top: configuration, telenor: telenor, body)
    }

    /// The app asks for a sign-in.
    ///
    /// - Returns: where the browser is sent.
    mutating func begin(_ changes: [String: String] = [:]) async throws -> URLComponents {
        // An empty parameter is none.
        let usual = [
            "provider": "telenor", "mccmnc": "", "prompt": "", "login_hint": "", "scope": "openid profile email phone",
        ]
        let request = browser.request(usual.merging(changes) { $1 })
        return try BrowserFlow.location(of: try await browser.visit("/auth/authorize?" + FormText.encode(request)))
    }

    /// Goes to TelenorID+.
    mutating func visit(_ address: URLComponents, form: [String: String]? = nil) async throws -> HTTPTestAnswer {
        var headers = session.map { ["Cookie": $0] } ?? [:]
        if form != nil { headers["Content-Type"] = "application/x-www-form-urlencoded" }
        let query = form == nil ? address.percentEncodedQuery.map { "?" + $0 } ?? "" : ""
        let answer = try await LoopbackClient(port: UInt16(try #require(address.port))).send(
            form == nil ? "GET" : "POST", address.path + query,
            headers: headers, body: form.map { Array(FormText.encode($0).utf8) })
        if let set = answer.header("set-cookie") { session = String(set.prefix { $0 != ";" }) }
        return answer
    }

    /// The user says yes on TelenorID+'s page, and to all that is asked.
    mutating func approve(_ address: URLComponents, as subscriber: String = "ada") async throws -> URLComponents {
        #expect(try await visit(address).status == 200, "no page")
        let fields = address.queryItems ?? []
        var form = Dictionary(fields.map { ($0.name, $0.value ?? "") }) { first, _ in first }
        for scope in (address["scope"] ?? "").split(separator: " ") { form["simulation_scope_\(scope)"] = "yes" }
        form["simulation_decision"] = "approve"
        form["simulation_subscriber"] = subscriber
        var decision = address
        decision.path += "/decision"
        return try BrowserFlow.location(of: try await visit(decision, form: form))
    }

    /// Goes to the provider, which asks nothing, and comes back from it to the app.
    mutating func passThrough(_ address: URLComponents) async throws -> URLComponents {
        let back = try BrowserFlow.location(of: try await visit(address))
        return try BrowserFlow.location(of: try await browser.comeBack(back))
    }

    /// Signs in by the page.
    ///
    /// - Returns: where the app is told of it.
    mutating func signIn(
        as subscriber: String = "ada", _ changes: [String: String] = [:]
    ) async throws -> URLComponents {
        let back = try await approve(try await begin(changes), as: subscriber)
        return try BrowserFlow.location(of: try await browser.comeBack(back))
    }

    /// Signs in, up to the app's tokens.
    mutating func tokens(
        as subscriber: String = "ada", _ changes: [String: String] = [:]
    ) async throws -> HTTPTestAnswer {
        let location = try await signIn(as: subscriber, changes)
        let answer = try await browser.redeem(try #require(location["code"], "\(location)"))
        #expect(answer.status == 200, "\(answer.text)")
        return answer
    }

    /// What TelenorID+'s own SDK does on the cellular network, to the session that it gets.
    func aloha(of number: String) async throws -> (token: String, lifetime: Int64) {
        let port = UInt16(try #require(URLComponents(string: gatehouse.simulation.telenor)?.port))
        func get(_ path: String, _ headers: [String: String] = [:]) async throws -> HTTPTestAnswer {
            try await LoopbackClient(port: port).send("GET", path, headers: headers)
        }
        let prepared = try await get("/hr/v1/prepare/" + UUID().uuidString)
        let inject = try #require(URLComponents(string: prepared["injectPath"]?.string ?? "")?.path)
        let redirect = try BrowserFlow.location(of: try await get(inject, ["X-Simulated-Msisdn": number]))
        let answer = try await get(redirect.path)
        return (try #require(answer["uuid"]?.string, "\(answer.text)"), try #require(answer["exp"]?.integer))
    }

    /// What the network tells a handset that is on the subscriber's line.
    func line(of subscriber: String, seconds: Int64 = 60) async throws -> (token: String, lifetime: Int64) {
        let port = try #require(URLComponents(string: gatehouse.simulation.telenor)?.port)
        let command: JSONValue = ["subscriber": .string(subscriber), "seconds": .integer(seconds)]
        let answer = try await LoopbackClient(port: UInt16(port)).send(
            "POST", "/control/line", headers: ["Content-Type": "application/json"],
            body: command.serialized)
        return (try #require(answer["uuid"]?.string), try #require(answer["exp"]?.integer))
    }
}
