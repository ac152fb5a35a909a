import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@testable import Composition
@testable import Operations

/// What people and operators read of providers, over real sockets.
@Suite struct `What is read of a provider` {
    @Test func `is what a carrier announces of its subscribers, in a probe`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let file = gatehouse.folder.appending(path: "probe.yaml")
            try Data(RunningGatehouse.yaml(gatehouse.simulation, gatehouse.folder).utf8).write(to: file)
            let mccmnc = try #require(gatehouse.simulation.mccmnc(of: .aurora))
            let arguments = ["providers", "probe", "zenkey", "--mccmnc", mccmnc, "--config", file.path]
            let told = try await CommandRun(arguments)
            #expect(told.status == 0 && told.everything.contains("zenkey signals: "), "\(told.everything)")
            #expect(told.everything.contains("usertraits_supported: sim_tenure_24"), "\(told.everything)")
            let run = try await CommandRun(arguments + ["--json"])
            let signals = run.json.array?.first { $0["step"] == "signals" }
            #expect(signals?["usertraits_supported"] == ["sim_tenure_24"], "\(run.everything)")
        }
    }

    @Test func `is its display name and logo, in the order that is configured, where people choose`() async throws {
        let configuration = BrowserFlow.configuration
        let plain = ["displayName: Acme ID", "order: 1"]
        let zenkey = ["displayName: Your carrier", "order: 2"]
        try await RunningGatehouse.with(top: configuration, zenkey: zenkey, plain: plain) { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let request = browser.request(["provider": "", "mccmnc": "", "prompt": "", "login_hint": ""])
            let page = try await browser.visit(
                "/auth/authorize?" + FormText.encode(request.filter { !$0.value.isEmpty }))
            #expect(page.status == 200, "\(page.status) \(page.text)")
            let first = try #require(page.text.range(of: "Acme ID"), "\(page.text)")
            let second = try #require(page.text.range(of: "Your carrier"), "\(page.text)")
            #expect(first.lowerBound < second.lowerBound)
            #expect(!page.text.contains(">zenkey<") && !page.text.contains(">plain<"))
        }
    }
}
