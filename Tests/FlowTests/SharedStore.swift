import AccountsPostgres
import EventLoop
import Foundation
import GatehouseTesting
import Postgres
import PostgresTestSupport

/// A database of a test's own for any number of servers.
enum SharedStore {
    /// Where ``everywhere`` is set: `DEV_FLOW_STORE=postgres scripts/test --filter FlowTests` has servers that
    /// would keep their users in a file keep them in PostgreSQL. The tests that look into the file fail then.
    private static let everywhere = ProcessInfo.processInfo.environment["DEV_FLOW_STORE"] == "postgres"

    static func environment() async throws -> [String: String] {
        everywhere ? try await environment(of: SharedServer.makeDatabase()) : [:]
    }

    /// Runs a test with what tells a server to use a database that nobody else does.
    static func with(_ body: ([String: String]) async throws -> Void) async throws {
        try await SharedServer.withEmptyTables { address in try await body(environment(of: address)) }
    }

    static func environment(of address: String) throws -> [String: String] {
        let key = FileManager.default.temporaryDirectory.appending(path: "gatehouse-key-\(UUID().uuidString)").path
        let bytes = Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
        let text = bytes.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        try Data(text.utf8).write(to: URL(filePath: key))
        return [
            "GATEHOUSE_STORAGE_URL": url(address), "GATEHOUSE_STORAGE_MASTER_KEY_FILE": key,
            "GATEHOUSE_STORAGE_CREATE": "true",
            // All tests begin at once, and the database has a share of the same processors.
            "GATEHOUSE_STORAGE_STATEMENT_SECONDS": "60", "GATEHOUSE_STORAGE_CONNECT_SECONDS": "60",
            "GATEHOUSE_STORAGE_REQUEST_SECONDS": "60",
        ]
    }

    /// The same as a URI, which is what the configuration takes.
    private static func url(_ address: String) -> String {
        if address.contains("://") { return address }
        let pairs = address.split(separator: " ").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        let query = pairs.map { "\($0[0])=\($0[1].replacing("/", with: "%2F"))" }.joined(separator: "&")
        return "postgres://?\(query)"
    }
}
