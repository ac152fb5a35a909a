import Foundation
import GatehouseTesting
import Glibc
import HTTPTesting
import JSON
import Patience
import SimulatedCarriers
import Testing

@Suite(.enabled(if: TLSServer.isAvailable, "needs the openssl command"))
struct `A server with a provider behind TLS` {
    @Test func `takes over its trust anchors on SIGHUP, and writes no keys of connections anywhere`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let folder = gatehouse.folder.appending(path: "tls")
            let provider = try TLSServer(folder.appending(path: "provider"))
            let other = try TLSServer(folder.appending(path: "other"))
            other.stop()
            defer { provider.stop() }
            let (file, anchors, log) = (
                folder.appending(path: "gatehouse.yaml"), folder.appending(path: "ca.pem"),
                folder.appending(path: "log")
            )
            try Data(contentsOf: other.certificate).write(to: anchors)
            let yaml = RunningGatehouse.yaml(gatehouse.simulation, folder, plain: ["caFile: '\(anchors.path)'"])
            try Data(
                yaml.replacing(
                    "issuer: \(gatehouse.simulation.plain)", with: "issuer: https://localhost:\(provider.port)"
                )
                .utf8
            ).write(to: file)
            let keys = folder.appending(path: "keys")
            let server = try await ServerProcess(
                configuration: file, log: log, environment: ["SSLKEYLOGFILE": keys.path])
            defer { server.kill() }
            func error() async throws -> String? {
                let app = try await gatehouse.authorize("linus", at: .plain)
                return try await LoopbackClient(port: server.port).send(
                    "POST", "/auth/signin", headers: ["Content-Type": "application/json"],
                    body: app.body(["provider": "plain"]).serialized)["error"]?.string
            }
            func text() -> String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }
            // Until the provider listens, it is as unknown as one that is not trusted.
            try await eventually("the provider to answer") { provider.answers() }
            #expect(try await error() == "provider_error")
            #expect(text().contains("no trusted TLS connection"))

            try Data(contentsOf: provider.certificate).write(to: anchors)
            server.signal(SIGHUP)
            try await eventually("the settings to be read again") { text().contains("were read again") }
            // What comes over TLS is no metadata.
            for _ in 0..<100 where !text().contains("not a JSON object") {
                _ = try await error()
                // A failure is remembered for a moment.
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(text().contains("not a JSON object"))
            // Another path is another matter, and is not half taken over.
            let moved = folder.appending(path: "moved.pem")
            try FileManager.default.copyItem(at: other.certificate, to: moved)
            try Data(try String(contentsOf: file, encoding: .utf8).replacing(anchors.path, with: moved.path).utf8)
                .write(to: file)
            server.signal(SIGHUP)
            try await eventually("the settings to be read once more") {
                text().components(separatedBy: "were read again").count >= 3
            }
            #expect(text().contains("with a restart only keys=provider.plain.caFile"))
            #expect(text().contains("and the files of trust anchors were read again"))
            #expect(text().contains("SSLKEYLOGFILE has no effect"))
            #expect(!FileManager.default.fileExists(atPath: keys.path))
        }
    }
}
