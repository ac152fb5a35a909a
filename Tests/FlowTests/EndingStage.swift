import EventLoop
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Syntax
import Testing

@testable import Composition
@testable import Operations

/// Where something is ended at one server, or by the command line, and seen at another with the same PostgreSQL. With a
/// file the two are one.
struct EndingStage {
    static let configuration =
        BrowserFlow.configuration + """

            resourceServers: [backend]
            resourceServer: {backend: {id: backend, secret: secret-of-the-backend}}
            """

    let gatehouse: RunningGatehouse
    /// The port of the other.
    let there: UInt16
    let plain: [String]
    let environment: [String: String]

    static func withTwo(_ act: EndingAct, _ body: (EndingStage) async throws -> Void) async throws {
        try await SharedStore.with { environment in
            try await RunningGatehouse.with(
                top: configuration, plain: act.plain, environment: environment
            ) { gatehouse in
                let yaml = RunningGatehouse.yaml(
                    gatehouse.simulation, gatehouse.folder, top: configuration, plain: act.plain)
                let other = try await RunningGatehouse.start(yaml, RecordedLog(), environment)
                let outcome: Result<Void, any Error>
                do {
                    outcome = .success(
                        try await body(
                            EndingStage(
                                gatehouse: gatehouse, there: other.address.port, plain: act.plain,
                                environment: environment)))
                } catch { outcome = .failure(error) }
                await other.stop()
                try outcome.get()
            }
        }
    }

    static func withFile(_ act: EndingAct, _ body: (EndingStage) async throws -> Void) async throws {
        try await RunningGatehouse.with(top: configuration, plain: act.plain) { gatehouse in
            try await body(
                EndingStage(gatehouse: gatehouse, there: gatehouse.port, plain: act.plain, environment: [:]))
        }
    }

    func admin(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> HTTPTestAnswer {
        let answer = try await LoopbackClient(port: gatehouse.adminPort).send(
            method, path, headers: body == nil ? [:] : ["Content-Type": "application/json"], body: body?.serialized)
        #expect(answer.status == 200, "\(method) \(path): \(answer.text)")
        return answer
    }

    func command(_ arguments: [String]) async throws {
        try FileManager.default.createDirectory(at: gatehouse.folder, withIntermediateDirectories: true)
        let file = gatehouse.folder.appending(path: "commands.yaml")
        let yaml = RunningGatehouse.yaml(
            gatehouse.simulation, gatehouse.folder, top: Self.configuration, plain: plain)
        try Data(yaml.utf8).write(to: file)
        let run = try await CommandRun(arguments + ["--config", file.path], environment: environment)
        #expect(run.status == 0, "\(arguments): \(run.everything)")
    }

    /// Asks the other.
    func ask(
        _ method: String, _ path: String, bearer: String? = nil, form: [String: String]? = nil
    ) async throws -> HTTPTestAnswer {
        try await gatehouse.call(method, path, bearer: bearer, form: form, at: there)
    }

    /// The doors of the other that a session opens, of those that a session can open.
    func openEndpoints(_ session: Tokens) async throws -> [String] {
        var open: [String] = []
        if try await ask("GET", "/users/me", bearer: session.access).status == 200 { open.append("bearer") }
        for token in [session.access, session.refresh] {
            let told = try await gatehouse.introspect(token, at: there)
            #expect(told.status == 200, "\(told.text)")
            if told["active"] == true { open.append("introspection") }
        }
        var form = ["grant_type": "refresh_token", "refresh_token": session.refresh]
        if session.isApps { form["client_id"] = "desk" }
        if try await ask("POST", "/auth/token", form: form).status == 200 { open.append("refresh") }
        return open
    }

    static let allEndpoints = ["bearer", "introspection", "introspection", "refresh"]

    /// Posts a code at the other.
    func post(_ authorized: Authorized, _ changes: [String: JSONValue?] = [:]) async throws -> HTTPTestAnswer {
        try await gatehouse.post("/auth/signin", authorized.body(changes), at: there)
    }

    /// A sign-in that begins and ends at the other, with a challenge of ours.
    func signInThere(_ name: String, at carrier: SimulatedIssuer = .plain) async throws -> HTTPTestAnswer {
        let nonce = try #require(try await gatehouse.post("/auth/challenge", [:], at: there)["nonce"]?.string)
        return try await post(
            try await gatehouse.authorize(name, at: carrier, ["nonce": nonce]), ["nonce": .string(nonce)])
    }

    var browser: BrowserFlow {
        var browser = BrowserFlow(gatehouse)
        browser.port = there
        return browser
    }

    static let asPlain = ["provider": "plain", "mccmnc": "", "scope": "openid offline_access account.read"]
}

/// What a session's app holds.
struct Tokens {
    let access: String
    let refresh: String
    /// The session's name.
    let session: String
    let user: Int64
    /// Of an app that has a client id.
    let isApps: Bool
}

extension RunningGatehouse {
    /// What a service is told of a token, at a server with the same carriers.
    fileprivate func introspect(_ token: String, at port: UInt16) async throws -> HTTPTestAnswer {
        let basic = Data("backend:secret-of-the-backend".utf8).base64EncodedString()
        return try await call(
            "POST", "/auth/introspect", headers: ["Authorization": "Basic \(basic)"], form: ["token": token], at: port)
    }

    /// What an app has of a sign-in.
    func tokens(_ answer: HTTPTestAnswer, isApps: Bool = false) async throws -> Tokens {
        let access = try #require(answer[isApps ? "access_token" : "token"]?.string, "\(answer.text)")
        let told = try await introspect(access, at: port)
        let refresh = try #require(answer["refresh_token"]?.string, "\(answer.text)")
        // Its number, by which operators know the user.
        let payload = try #require(Base64URL.decode(String(refresh.split(separator: ".")[1])))
        let user = try #require(try JSONValue(parsing: payload)["uid"]?.string.flatMap { Int64($0) })
        return Tokens(
            access: access, refresh: refresh, session: try #require(told["sid"]?.string, "\(told.text)"), user: user,
            isApps: isApps)
    }
}
