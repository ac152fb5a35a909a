import CSQLite
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import Patience
import SimulatedCarriers
import Testing

@Suite struct `The errors that take some doing` {
    @Test func `sign in as the new user, and offer a merge, where that was made while the port token was verified`()
        async throws
    {
        try await RunningGatehouse.with { gatehouse in
            let before = try await gatehouse.signIn("ada", at: .aurora)
            #expect(before.status == 200)
            gatehouse.simulation.port(subscriber: "ada", to: .borealis)
            let moving = try await gatehouse.authorize("ada", at: .borealis)
            // Its port token does not hold, so this one becomes a user.
            let other = try await gatehouse.authorize("ada", at: .borealis, ["misbehave": "port_token_garbage"])
            gatehouse.simulation.misbehave(.slow(milliseconds: 8000), at: .configuration, of: .aurora)
            async let late = gatehouse.signIn(moving)
            try await eventually("a look at the former carrier") {
                gatehouse.simulation.counts[.aurora, .configuration] > 0
            }
            let overtaking = try await gatehouse.signIn(other)
            #expect(overtaking["new_user"] == true, "\(overtaking.text)")
            let answer = try await late
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer["user"]?["user_id"] == overtaking["user"]?["user_id"])
            #expect(answer["merge_offered"] == true && answer["migrated"] == false)
            // Nobody was moved: the old account's session lives on.
            let old = try await gatehouse.call("GET", "/users/me", bearer: before["token"]?.string)
            #expect(old["user_id"] == before["user"]?["user_id"])
        }
    }

    @Test func `storage that is locked, until it is free again`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let warm = try await gatehouse.signIn("ada")
            #expect(warm.status == 200)
            let app = try await gatehouse.authorize("grace")
            let lock = try ForeignLock(gatehouse.folder.appending(path: "users.db").path)
            let answer = try await gatehouse.signIn(app)
            #expect(answer.status == 503, "\(answer.text)")
            #expect(answer["error"] == "storage_unavailable")
            #expect(answer["error_code"] == "storage_unavailable")
            #expect(answer.header("retry-after") != nil)
            #expect(!answer.text.contains(app.code))
            lock.release()
            let after = try await gatehouse.signIn("grace")
            #expect(after.status == 200, "\(after.text)")
        }
    }

    @Test func `a request whose head does not come`() async throws {
        try await RunningGatehouse.with(environment: ["GATEHOUSE_HTTP_HEADER_TIMEOUT_SECONDS": "1"]) { gatehouse in
            let answer = try await LoopbackClient(port: gatehouse.port).answer(
                to: Array("GET /healthz HTTP/1.1\r\nHo".utf8))
            #expect(answer.status == 408)
            #expect(answer["error"] == "request_timeout")
            #expect(answer["request_id"]?.string?.isEmpty == false)
        }
    }
}

/// Another process's hold on the database, as far as SQLite can tell.
@safe private final class ForeignLock {
    private var database: OpaquePointer?

    init(_ path: String) throws {
        let opened = unsafe sqlite3_open(path, &database)
        try #require(opened == SQLITE_OK)
        let begun = unsafe sqlite3_exec(database, "BEGIN IMMEDIATE", nil, nil, nil)
        try #require(begun == SQLITE_OK)
    }

    func release() {
        _ = unsafe sqlite3_close(database)
        unsafe database = nil
    }
}
