import Crypto
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Syntax
import Testing

@testable import Composition
@testable import Operations

@Suite struct `A sign-in that begins on the phone` {
    @Test func `signs the user in who approves, and gives the app its tokens`() async throws {
        try await PushFlow.with { flow in
            let begun = try await flow.begin()
            #expect(begun.status == 200 && begun["expires_in"] == 600, "\(begun.text)")
            let id = try #require(begun["auth_req_id"]?.string)
            let pending = try await flow.poll(id)
            #expect(pending.status == 200 && pending.json == ["auth_req_id": .string(id)], "\(pending.text)")
            #expect(try await flow.answer() == [200])
            let done = try await flow.ended(id)
            #expect(done.status == 302 && done["auth_req_id"] == .string(id), "\(done.text)")
            #expect(done.header("location") == nil && done.header("cache-control") == "no-store")
            let token = try #require(done["token"]?.string)
            let user = try await flow.gatehouse.call("GET", "/users/me", bearer: token)
            #expect(user["name"] == "Ada Lovelace")
            let refreshed = try await flow.gatehouse.refresh(try #require(done["refresh_token"]?.string))
            #expect(refreshed.status == 200)
        }
    }

    /// Every status of the app's side, one after the other.
    @Test func `tells an app each state by its status`() async throws {
        try await PushFlow.with(top: "apiKeys: [one, two]\npush: {lifetimeSeconds: 60, perUser: 100}") { keyless in
            var flow = keyless
            flow.apiKey = "one"
            var transcript: [String] = []
            func note(_ what: String, _ answer: HTTPTestAnswer) {
                transcript.append("\(what): \(answer.status) \(answer["error"]?.string ?? "")")
            }
            let id = try await flow.begun()
            note("pending", try await flow.poll(id))
            // So many at once that two of them come within a second on the slowest of machines.
            let hasty = try await withThrowingTaskGroup(of: HTTPTestAnswer.self) { [flow] group in
                for _ in 0..<8 { group.addTask { try await flow.poll(id) } }
                return try await group.reduce(into: [HTTPTestAnswer]()) { $0.append($1) }
            }
            note("too often", try #require(hasty.first { $0.status != 200 }))
            note("a second push for the same user", try await flow.begin())
            note("nobody's", try await flow.poll(String(repeating: "A", count: 43)))
            flow.apiKey = "two"
            note("another key's", try await flow.poll(id))
            flow.apiKey = nil
            note("without a key", try await flow.poll(id))
            flow.apiKey = "one"
            note("begun anew", try await flow.send("POST", "\(PushFlow.path)/\(id)"))
            try await flow.pushed(more: 1)
            #expect(try await flow.answer() == [200])
            note("signed in", try await flow.ended(id))
            let denied = try await flow.begun()
            #expect(try await flow.answer("deny") == [200])
            note("denied", try await flow.ended(denied))
            let cancelled = try await flow.begun()
            note("taken back", try await flow.send("DELETE", "\(PushFlow.path)/\(cancelled)"))
            note("asked for after that", try await flow.poll(cancelled))
            flow.gatehouse.simulation.misbehave(.answer(.internalServerError), at: .push, times: 1)
            note("a carrier that fails", try await flow.ended(try await flow.begun()))
            #expect(
                transcript == [
                    "pending: 200 ", "too often: 429 slow_down", "a second push for the same user: 429 rate_limited",
                    "nobody's: 404 not_found", "another key's: 404 not_found", "without a key: 401 invalid_api_key",
                    "begun anew: 200 ", "signed in: 302 ", "denied: 400 sign_in_denied", "taken back: 200 ",
                    "asked for after that: 400 sign_in_cancelled", "a carrier that fails: 502 provider_error",
                ])
        }
    }

    @Test func `completes when the server is killed between the push and the notification`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let folder = gatehouse.folder.appending(path: "killed")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            // The address that the carrier was given must be the same after each start.
            let port = try PushFlow.freePort()
            let yaml = RunningGatehouse.yaml(
                gatehouse.simulation, folder, top: "session: {issuer: 'http://127.0.0.1:\(port)'}", port: port,
                zenkey: PushFlow.zenkey)
            let configuration = folder.appending(path: "gatehouse.yaml")
            try Data(yaml.utf8).write(to: configuration)
            let first = try await ServerProcess(configuration: configuration, log: folder.appending(path: "log1"))
            var flow = try await PushFlow(gatehouse, port: first.port)
            try await flow.registerKeys()
            let approved = try await flow.begun()
            let denied = try await flow.begun(["login_hint": "+12125550102"])
            first.kill()
            // While nobody is there the carrier can tell nobody, and tells again later.
            #expect(try await flow.answer() == [0])
            let second = try await ServerProcess(configuration: configuration, log: folder.appending(path: "log2"))
            flow.port = second.port
            #expect(try await flow.poll(approved).status == 200)
            #expect(try await flow.answer(again: true) == [200])
            #expect(try await flow.answer("deny", subscriber: "grace") == [200])
            // And once more: what came of it is on disk before the carrier is answered.
            second.kill()
            let third = try await ServerProcess(configuration: configuration, log: folder.appending(path: "log3"))
            flow.port = third.port
            let done = try await flow.ended(approved)
            #expect(done.status == 302, "\(done.text)")
            let token = try #require(done["token"]?.string)
            let user = try await LoopbackClient(port: third.port).send(
                "GET", "/users/me", headers: ["Authorization": "Bearer \(token)"])
            #expect(user["name"] == "Ada Lovelace")
            #expect(try await flow.ended(denied).status == 400)
            third.kill()
        }
    }

    @Test func `is not disturbed by strangers who ask a thousand times a second`() async throws {
        try await PushFlow.with { flow in
            let id = try await flow.begun()
            _ = try await flow.poll(id)
            let client = LoopbackClient(port: flow.gatehouse.port)
            let before = try await flow.settledStore()
            let start = ContinuousClock.now
            await withTaskGroup(of: Void.self) { group in
                for stranger in 0..<4 {
                    group.addTask {
                        for number in 0..<500 {
                            let guess = String(repeating: "\(stranger)", count: 38) + "\(1000 + number)A"
                            let answer = try? await client.send("GET", "\(PushFlow.path)/\(guess)")
                            #expect(answer?.status == 404)
                        }
                    }
                }
            }
            let rate = 2000 / max(1, (ContinuousClock.now - start) / .seconds(1))
            #expect(try flow.store() == before, "at \(Int(rate)) polls a second")
            #expect(try await flow.poll(id).status == 200)
            #expect(try await flow.answer() == [200])
            #expect(try await flow.ended(id).status == 302)
        }
    }

    @Test func `of somebody the carrier does not know stays pending, as everybody's does`() async throws {
        try await PushFlow.with { flow in
            let unknown = try await flow.begun(["login_hint": "+12065550999"])
            let known = try await flow.begun()
            let answers = [try await flow.poll(unknown), try await flow.poll(known)]
            for (id, answer) in zip([unknown, known], answers) {
                #expect(answer.status == 200 && answer.json == ["auth_req_id": .string(id)])
            }
        }
    }

    @Test func `is for the user of a session by the subject, and for nobody else who approves`() async throws {
        try await PushFlow.with { flow in
            let session = try #require(try await flow.gatehouse.signIn("ada")["token"]?.string)
            let nobody: [String: JSONValue?] = ["login_hint": nil, "mccmnc": nil]
            let id = try await flow.begun(nobody, bearer: session)
            #expect(try await flow.answer(misbehaving: ["notification_of_another_subscriber"]) == [401])
            #expect(try await flow.ended(id).status == 502)
            let second = try await flow.begun(nobody, bearer: session)
            #expect(try await flow.answer() == [200])
            let done = try await flow.ended(second)
            #expect(done.status == 302, "\(done.text)")
            #expect(try await flow.begin(bearer: session).status == 400, "a session's user is not named")
            #expect(try await flow.begin(nobody, bearer: "x").status == 401)
        }
    }

    @Test func `brings an account along from another carrier`() async throws {
        try await PushFlow.with { flow in
            let before = try await flow.gatehouse.signIn("ada", at: .borealis)
            flow.gatehouse.simulation.port(subscriber: "ada", to: .aurora)
            let id = try await flow.begun()
            #expect(try await flow.answer() == [200])
            let token = try #require(try await flow.ended(id)["token"]?.string)
            let user = try await flow.gatehouse.call("GET", "/users/me", bearer: token)
            #expect(user["user_id"] == before["user"]?["user_id"])
        }
    }

    @Test func `ends in a receipt where the app asks for an approval, and in none where it does not`() async throws {
        try await PushFlow.with(top: "push: {perUser: 100}") { flow in
            for (changes, approves) in [(["acr_values": "a3"], true), ([:], false)] as [([String: JSONValue?], Bool)] {
                let context = "Transfer 250.00 euro to Bob, who has asked for it on the phone this very morning"
                let id = try await flow.begun(changes.merging(["context": .string(context)]) { $1 })
                #expect(try await flow.answer() == [200])
                let answer = try await flow.ended(id)
                #expect(answer.status == 302 && (answer["receipt"] != nil) == approves, "\(answer.text)")
                guard approves, let receipt = answer["receipt"]?.string else { continue }
                let parts = receipt.split(separator: ".")
                let payload = try JSONValue(parsing: try #require(Base64URL.decode(String(parts[1]))))
                let hash = Base64URL.encode(Digest.sha256.hash(Array(context.utf8).span))
                #expect(payload["context_hash"]?.string == hash, "\(payload)")
            }
        }
    }

    @Test func `gives a ticket to somebody who has to register`() async throws {
        try await PushFlow.with(top: "registration: ticket") { flow in
            let id = try await flow.begun()
            #expect(try await flow.answer() == [200])
            let answer = try await flow.ended(id)
            #expect(answer.status == 403 && answer["error"] == "unlinked_user", "\(answer.text)")
            let ticket = try #require(answer["link_ticket"]?.string)
            let registered = try await flow.gatehouse.call("POST", "/users", form: ["link_ticket": ticket])
            #expect(registered.status == 201)
        }
    }
}

@Suite struct `A carrier that asks its subscriber wrongly` {
    /// What it does, what its notification is answered, and what the app is told.
    private static let faults: [(names: [String], answered: Int, told: Int)] = [
        (["id_token_wrong_nonce"], 401, 502), (["id_token_wrong_audience"], 401, 502),
        (["id_token_bad_signature"], 401, 502), (["id_token_alg_none"], 401, 502), (["id_token_expired"], 401, 502),
        (["id_token_wrong_context"], 401, 502), (["id_token_missing_nonce"], 401, 502),
        (["id_token_other_sub"], 401, 502), (["notification_wrong_bearer"], 401, 200),
        (["notification_wrong_state"], 400, 200), (["notification_without_id_token"], 400, 200),
    ]

    @Test func `signs nobody in`() async throws {
        try await PushFlow.with(top: "push: {perUser: 100}") { flow in
            for fault in Self.faults {
                let id = try await flow.begun()
                #expect(try await flow.answer(misbehaving: fault.names) == [fault.answered], "\(fault.names)")
                #expect(try await flow.poll(id).status == fault.told, "\(fault.names)")
                guard fault.told == 200 else { continue }
                // Nothing has come of it, so the right one still counts.
                #expect(try await flow.answer(again: true) == [200], "\(fault.names)")
                #expect(try await flow.ended(id).status == 302, "\(fault.names)")
            }
        }
    }

    @Test func `may say it twice, late, or before it has answered`() async throws {
        try await PushFlow.with(top: "push: {perUser: 100}") { flow in
            let twice = try await flow.begun()
            #expect(try await flow.answer(misbehaving: ["notification_twice_valid"]) == [200, 200])
            #expect(try await flow.ended(twice).status == 302)
            // Another ID token of the same request is another answer; one of the same second would be the same.
            #expect(try await flow.answer(misbehaving: ["id_token_expired"], again: true) == [400])
            flow.gatehouse.simulation.misbehave(.push(.notifiedFirst), times: 1)
            let early = try await flow.begun()
            #expect(try await flow.ended(early).status == 302)
            let cancelled = try await flow.begun()
            #expect(try await flow.send("DELETE", "\(PushFlow.path)/\(cancelled)").status == 200)
            #expect(try await flow.answer(again: true) == [400])
        }
    }

    private static let answers: [(misbehaviour: Misbehaviour, told: Int)] = [
        (.push(.userNotFound), 200), (.push(.deviceUnavailable), 200), (.push(.invalidClient), 502),
        (.push(.withoutID), 502), (.answer(.html), 502), (.answer(.serviceUnavailable), 502), (.answer(.reset), 502),
        (.answer(.redirectKeepingMethod), 502), (.answer(.oversized), 502), (.answer(.hang), 502),
    ]

    @Test func `is told of where it fails, and not where it is about the user`() async throws {
        try await PushFlow.with(zenkey: ["timeoutSeconds: 5"]) { flow in
            for (number, answer) in Self.answers.enumerated() {
                flow.gatehouse.simulation.misbehave(answer.misbehaviour, at: .push, times: 1)
                let id = try await flow.begun(["login_hint": .string("+1555000000\(number)")])
                let told = try await answer.told == 200 ? flow.poll(id) : flow.ended(id)
                #expect(told.status == answer.told, "\(answer.misbehaviour): \(told.text)")
            }
            #expect(!flow.gatehouse.log.text.contains("1555000000"))
        }
    }
}
