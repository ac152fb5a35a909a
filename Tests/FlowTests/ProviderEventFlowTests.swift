import Accounts
import AccountsSQL
import AccountsSQLite
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@testable import Composition
@testable import Operations

/// One of the ways in which a provider tells of events, as the simulation and the configuration name it.
enum ToldAs: String, CaseIterable, Sendable {
    case apple, risc, facebook

    /// Of an answer that it is done.
    var status: Int { self == .risc ? 202 : 200 }

    var lines: [String] {
        switch self {
        case .apple, .facebook: ["events: \(rawValue)"]
        case .risc: ["events: risc", "eventConfigurationURL: {plain}/.well-known/risc-configuration"]
        }
    }
}

extension RunningGatehouse {
    /// What the simulated provider would tell, as it is posted.
    func event(_ dialect: ToldAs, _ command: [String: JSONValue]) async throws -> String {
        let port = try #require(URLComponents(string: simulation.plain)?.port)
        let command = command.merging(["dialect": .string(dialect.rawValue)]) { old, _ in old }
        let answer = try await LoopbackClient(port: UInt16(port)).send(
            "POST", "/control/event", headers: ["Content-Type": "application/json"],
            body: JSONValue.object(JSONObject(command.map { (name: $0, value: $1) })).serialized)
        let text = ["payload", "token", "signed_request"].compactMap { answer[$0]?.string }.first
        return try #require(text, "\(answer.status) \(answer.text)")
    }

    /// What the provider would do with it.
    func tell(_ text: String, _ dialect: ToldAs, to path: String = "/auth/plain/events") async throws -> HTTPTestAnswer
    {
        switch dialect {
        case .apple: try await post(path, ["payload": .string(text)])
        case .facebook: try await call("POST", path, form: ["signed_request": text])
        case .risc:
            try await LoopbackClient(port: port).send(
                "POST", path, headers: ["Content-Type": "application/secevent+jwt"],
                body: Array(text.utf8))
        }
    }

    func tell(_ dialect: ToldAs, _ command: [String: JSONValue]) async throws -> HTTPTestAnswer {
        try await tell(try await event(dialect, command), dialect)
    }
}

@Suite struct `What a provider tells over real sockets` {
    @Test(arguments: ToldAs.allCases)
    func `ends all sessions of a user and nobody else's, once, and later ones not`(dialect: ToldAs) async throws {
        try await RunningGatehouse.with(plain: dialect.lines) { gatehouse in
            let ada = [try await gatehouse.plainSession(of: "ada"), try await gatehouse.plainSession(of: "ada")]
            let grace = try await gatehouse.plainSession(of: "grace")
            let event = try await gatehouse.event(dialect, ["subscriber": "ada"])
            // It happened longer ago than two clocks may differ: everybody has signed in since.
            let old = try await gatehouse.event(dialect, ["subscriber": "ada", "secondsAgo": 3600])
            #expect(try await gatehouse.tell(old, dialect).status == dialect.status)
            for session in ada { #expect(try await gatehouse.isLive(session.token)) }
            let answer = try await gatehouse.tell(event, dialect)
            #expect(answer.status == dialect.status && answer.text.isEmpty, "\(answer.text)")
            #expect(answer.header("cache-control") == "no-store")
            for session in ada {
                #expect(try await !gatehouse.isLive(session.token))
                #expect(try await gatehouse.refresh(session.refreshToken).status == 401)
            }
            #expect(try await gatehouse.isLive(grace.token))
            let again = try await gatehouse.tell(event, dialect)
            #expect(again.status == answer.status && again.text == answer.text)
            #expect(try await gatehouse.server.repository.userCount() == 2)
        }
    }

    /// One server for all of them: a user who is still signed in shows that the last one has ended nothing.
    @Test(arguments: ToldAs.allCases)
    func `is refused with anything the matter with it, and ends nothing`(dialect: ToldAs) async throws {
        try await RunningGatehouse.with(plain: dialect.lines) { gatehouse in
            var session = try await gatehouse.plainSession(of: "ada")
            for misbehaviour in EventMisbehaviour.allCases where misbehaviour.applies(to: dialect.rawValue) {
                let answer = try await gatehouse.tell(
                    dialect, ["subscriber": "ada", "misbehaviour": .string(misbehaviour.rawValue)])
                let isValid = misbehaviour.rawValue.hasSuffix("_valid") || misbehaviour == .expired && dialect == .risc
                #expect(answer.status == (isValid ? dialect.status : 400), "\(misbehaviour) \(answer.text)")
                if !isValid { #expect(answer["error"] == "invalid_event" && answer["err"] != nil) }
                let endsIt = isValid && ![.unknownSubjectValid, .unknownEventValid].contains(misbehaviour)
                #expect(try await gatehouse.isLive(session.token) == !endsIt, "\(misbehaviour)")
                if endsIt { session = try await gatehouse.plainSession(of: "ada") }
            }
        }
    }

    @Test func `marks whose mail is stopped, by the newest word, over a sign-in`() async throws {
        try await RunningGatehouse.with(plain: ToldAs.apple.lines) { gatehouse in
            _ = try await gatehouse.plainSession(of: "ada")
            for (event, secondsAgo, isStopped) in [
                ("email-disabled", 300, true), ("email-enabled", 600, true), ("email-enabled", 200, false),
                ("email-disabled", 250, false), ("email-disabled", 100, true),
            ] as [(String, Int64, Bool)] {
                let answer = try await gatehouse.tell(
                    .apple,
                    ["subscriber": "ada", "event": .string(event), "secondsAgo": .integer(secondsAgo)])
                #expect(answer.status == 200)
                let token = try await gatehouse.plainSession(of: "ada").token
                let identities = try await gatehouse.call("GET", "/users/me/identities", bearer: token)
                #expect(identities.text.contains("email_stopped_at") == isStopped, "\(event) \(secondsAgo)")
                for path in ["/admin/users/1", "/admin/users/1/export"] {
                    let shown = try await LoopbackClient(port: gatehouse.adminPort).send("GET", path)
                    #expect(shown.text.contains("email_stopped_at") == isStopped, "\(path)")
                    #expect(shown.text.contains(#""email_stopped_at":1"#) == isStopped, "\(path)")
                }
            }
        }
    }

    @Test func `of somebody who wants to be forgotten is confirmed by a page`() async throws {
        try await RunningGatehouse.with(plain: ToldAs.facebook.lines) { gatehouse in
            let session = try await gatehouse.plainSession(of: "ada")
            let request = try await gatehouse.event(.facebook, ["subscriber": "ada"])
            let answer = try await gatehouse.tell(request, .facebook, to: "/auth/plain/events/deletion")
            #expect(answer.status == 200)
            #expect(try await !gatehouse.isLive(session.token))
            let code = try #require(answer["confirmation_code"]?.string)
            #expect(answer["url"]?.string?.hasSuffix("/auth/plain/events/deletion?code=\(code)") == true)
            let page = try await gatehouse.call("GET", "/auth/plain/events/deletion?code=\(code)")
            #expect(page.status == 200 && page.header("cache-control") == "no-store")
            #expect(page.header("content-security-policy") != nil)
            #expect(try await gatehouse.call("GET", "/auth/plain/events/deletion?code=x\(code)").status == 404)
        }
    }
}
