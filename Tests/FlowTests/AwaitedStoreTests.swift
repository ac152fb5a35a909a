import Foundation
import GatehouseTesting
import Glibc
import HTTPTesting
import JSON
import Patience
import PostgresTestSupport
import Testing

@Suite struct `A server whose database is not there yet` {
    /// Two processes and a database server begin beside all other tests.
    private static let patience = Duration.seconds(300)

    /// The executable with a database server that is away, and its admin port.
    private func withWaiting(
        _ body: (PostgresServer, ChildProcess, _ admin: LoopbackClient, _ log: () -> String) async throws -> Void
    ) async throws {
        try await RunningGatehouse.with { gatehouse in
            let database = try PostgresServer()
            let port = try PushFlow.freePort()
            let environment = try SharedStore.environment(of: database.address + " dbname=postgres").merging([
                "GATEHOUSE_ADMIN_PORT": "\(port)", "GATEHOUSE_STORAGE_CONNECT_SECONDS": "5",
                "GATEHOUSE_STORAGE_REQUEST_SECONDS": "1",
            ]) { $1 }
            let file = gatehouse.folder.appending(path: "waiting.yaml")
            try Data(RunningGatehouse.yaml(gatehouse.simulation, gatehouse.folder).utf8).write(to: file)
            let log = gatehouse.folder.appending(path: "waiting.log")
            try database.stop()
            let process = try ServerProcess.launch(
                ["serve", "--config", file.path], log: log, environment: environment)
            let admin = LoopbackClient(port: port)
            let text = { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }
            do {
                try await eventually("the listener for operators", within: Self.patience) {
                    text().contains("admin waiting")
                }
                try await body(database, process, admin, text)
            } catch {
                process.signal(SIGKILL)
                throw error
            }
        }
    }

    @Test func `lives, is not ready, and serves as soon as the database is there`() async throws {
        try await withWaiting { database, process, admin, log in
            #expect(try await admin.send("GET", "/healthz").status == 200)
            let unready = try await admin.send("GET", "/readyz")
            #expect(unready.status == 503 && unready["error"] == "storage_unavailable", "\(unready.text)")
            #expect(!log().contains(" listening address="), "nobody is served without a store")
            try database.start()
            try await eventually("the server to be ready", within: Self.patience) {
                // In between nobody listens for a moment.
                (try? await admin.send("GET", "/readyz"))?.status == 200
            }
            try await eventually("the word that it listens", within: Self.patience) {
                log().contains(" listening address=")
            }
            process.signal(SIGTERM)
            try await eventually("the server's end", within: Self.patience) { !process.isRunning }
        }
    }

    @Test func `stops when it is told to`() async throws {
        try await withWaiting { _, process, _, log in
            process.signal(SIGTERM)
            try await eventually("its end", within: Self.patience) { !process.isRunning }
            #expect(log().contains("told to stop while it waited for the database"))
        }
    }
}
