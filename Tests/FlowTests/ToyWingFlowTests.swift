import Accounts
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import Settings
import SignIn
import System
import Telemetry
import Testing
import ToyWing
import Wings

@testable import Composition
@testable import Operations

@Suite struct `A wing` {
    private static let listed = Wing.all + [.toy]
    private static let on = "toy: {enabled: true, longest: 5}"

    private func shout(_ text: String, at gatehouse: RunningGatehouse) async throws -> HTTPTestAnswer {
        try await gatehouse.call("POST", "/toy/shout", form: ["text": text])
    }

    @Test func `that is listed and on has its route, limit, error, documents, table, event and job`() async throws {
        let runs = ToyJob.runs
        try await RunningGatehouse.with(
            top: Self.on, limits: .init(more: ["shoutsPerMinutePerAddress: 3"]), wings: Self.listed
        ) {
            gatehouse in
            let first = try await shout("hello", at: gatehouse)
            #expect(first["text"] == "HELLO" && first["times"] == 1)
            let tooLong = try await shout("hello there", at: gatehouse)
            #expect(tooLong.status == 400 && tooLong["error"] == "too_loud")
            let again = try await shout("hello", at: gatehouse)
            #expect(again["times"] == 2)
            let events = try await gatehouse.server.repository.auditEvents(after: 0, limit: 10)
            #expect(events.map(\.kind.rawValue) == ["toy_shouted"])
            // Sealed: what it was made of is nowhere on the disk.
            #expect(try gatehouse.diskHolds("toy_shouts") && !gatehouse.diskHolds("HELLO"))
            let tooOften = try await shout("a", at: gatehouse)
            #expect(tooOften.status == 429 && tooOften["error"] == "rate_limited")
            let document = try await gatehouse.call("GET", "/openapi.json").json
            #expect(document["paths"]?["/toy/shout"]?["post"]?["operationId"] == "shout")
            #expect(document["components"]?["examples"]?["too_loud"] != nil)
            #expect(document["components"]?["schemas"]?["Whisper"] != nil)
            let yaml = RunningGatehouse.yaml(gatehouse.simulation, gatehouse.folder, top: Self.on)
            guard case .valid(let settings, _, _) = Settings.load(yaml: yaml, wings: Self.listed) else {
                Issue.record("the test's configuration is faulty")
                return
            }
            let jobs = Wing.toy.open(settings, .none).jobs(gatehouse.server.jobParts(at: Clock { 0 }))
            for job in jobs { try await job.work() }
            #expect(ToyJob.runs == runs + 1)
        }
    }

    @Test func `that is listed and off has no route, and what it has kept stays`() async throws {
        try await RunningGatehouse.with(wings: Self.listed) { gatehouse in
            let answer = try await shout("hello", at: gatehouse)
            #expect(answer.status == 404)
            #expect(try gatehouse.diskHolds("toy_shouts"))
        }
    }

    @Test func `that is not listed has no route, and its keys are unknown`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let answer = try await shout("hello", at: gatehouse)
            #expect(answer.status == 404)
            #expect(try gatehouse.diskHolds("unlock_keys") && !gatehouse.diskHolds("toy_shouts"))
            let yaml = RunningGatehouse.yaml(gatehouse.simulation, gatehouse.folder, top: Self.on)
            guard case .faulty(let faults, _) = Settings.load(yaml: yaml) else {
                Issue.record("a key of a wing that is not listed was taken")
                return
            }
            #expect(faults.map(\.key) == ["toy"] && faults.map(\.kind) == [.unknownKey])
        }
    }

    @Test func `has its keys in the reference, with its defaults, and its rules kept`() async throws {
        let reference = SettingsReference.markdown(wings: Self.listed.map(\.settings))
        #expect(reference.contains("| `toy.longest` | `GATEHOUSE_TOY_LONGEST` | `5` |"))
        #expect(!SettingsReference.markdown(wings: Wing.all.map(\.settings)).contains("toy"))
        try await RunningGatehouse.with { gatehouse in
            let yaml = RunningGatehouse.yaml(
                gatehouse.simulation, gatehouse.folder, top: "toy: {enabled: true, longest: 13}")
            guard case .faulty(let faults, _) = Settings.load(yaml: yaml, wings: Self.listed) else {
                Issue.record("a wing's rule was not looked at")
                return
            }
            #expect(faults.map(\.key) == ["toy.longest"])
        }
    }
}

extension RunningGatehouse {
    /// Whether a text stands in the files of the store.
    fileprivate func diskHolds(_ text: String) throws -> Bool {
        try ["", "-wal"].contains { suffix in
            try Data(contentsOf: URL(filePath: folder.path + "/users.db" + suffix)).range(of: Data(text.utf8)) != nil
        }
    }
}
