import Foundation
import GatehouseTesting
import JSON
import SimulatedCarriers
import Synchronization
import Testing

@testable import Composition
@testable import Operations

@Suite struct `The providers command` {
    private func run(_ arguments: String..., plain: [String] = []) async throws -> CommandRun {
        let result = Mutex<CommandRun?>(nil)
        try await RunningGatehouse.with { gatehouse in
            let file = gatehouse.folder.appending(path: "probe.yaml")
            try Data(RunningGatehouse.yaml(gatehouse.simulation, gatehouse.folder, plain: plain).utf8).write(to: file)
            let run = try await CommandRun(arguments + ["--config", file.path])
            result.withLock { $0 = run }
        }
        let run = result.withLock { $0 }
        return try #require(run)
    }

    @Test func `finds a provider well that knows us`() async throws {
        let run = try await run("providers", "probe", "plain", "--json")
        #expect(run.status == 0, "\(run.everything)")
        #expect(run.json.array?.compactMap { $0["step"]?.string } == ["discovery", "clock", "keys", "token"])
        #expect(run.json.array?.allSatisfy { $0["good"] == true } == true, "\(run.output)")
    }

    @Test func `finds a carrier by a mobile network`() async throws {
        let run = try await run("providers", "probe", "zenkey", "--mccmnc", "310410")
        #expect(run.status == 0, "\(run.everything)")
        #expect(run.output.contains("zenkey token: good: refuses a code that is made up"))
        let none = try await self.run("providers", "probe", "zenkey")
        #expect(none.status == 1 && none.output.contains("BAD") && none.output.contains("--mccmnc"))
    }

    @Test func `tells a secret that is wrong, and never what it is`() async throws {
        let run = try await run("providers", "probe", "plain", plain: ["clientSecret: not-the-secret"])
        #expect(run.status == 1)
        #expect(run.output.contains("plain token: BAD: does not know us"), "\(run.everything)")
        #expect(!run.everything.contains("not-the-secret"))
    }

    @Test func `knows only providers of the configuration, and networks of five or six digits`() async throws {
        let unknown = try await run("providers", "probe", "other")
        #expect(unknown.status == 1 && unknown.errors == "No provider is called other.\n")
        let network = try await run("providers", "probe", "zenkey", "--mccmnc", "12")
        #expect(network.status == 1 && network.errors.contains("digits"))
    }

    @Test func `is part of check-config where that may go online`() async throws {
        let good = try await run("check-config", "--online")
        #expect(good.status == 0 && good.output.hasPrefix("The configuration is valid.\nplain discovery: good"))
        #expect(!good.output.contains("zenkey"))
        let bad = try await run("check-config", "--online", "--json", plain: ["clientSecret: not-the-secret"])
        #expect(bad.status == 1)
        #expect(bad.json["providers"]?.array?.last?["good"] == false, "\(bad.everything)")
        let offline = try await run("check-config", plain: ["clientSecret: not-the-secret"])
        #expect(offline.status == 0 && offline.output == "The configuration is valid.\n")
    }
}
