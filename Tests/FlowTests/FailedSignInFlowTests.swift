import Accounts
import GatehouseTesting
import HTTPTesting
import JSON
import Logging
import Observability
import Testing

@testable import Composition
@testable import Operations

@Suite struct `Failed sign-ins over sockets` {
    private func rows(_ gatehouse: RunningGatehouse) async throws -> [JSONValue] {
        let answer = try await LoopbackClient(port: gatehouse.adminPort).send("GET", "/admin/failed-sign-ins")
        return answer["failed_sign_ins"]?.array ?? []
    }

    @Test func `become one line of the log and a few rows, however many there are`() async throws {
        try await RunningGatehouse.with { gatehouse in
            for number in 0..<50 {
                let answer = try await gatehouse.post(
                    "/auth/signin", ["client_id": "nobody", "code": .integer(Int64(number))])
                #expect(answer.status == 400)
            }
            #expect(try await gatehouse.signIn("ada", misbehaving: "id_token_wrong_audience").status == 401)
            // None of them wrote anything by itself.
            #expect(try await rows(gatehouse).isEmpty)
            try await gatehouse.server.failedSignIns.write()
            let written = try await rows(gatehouse)
            #expect(written.map { $0["count"] } == [50, 1])
            #expect(written.last?["provider"] == "zenkey")
            #expect(written.last?["reason"] == "invalid_id_token: audience")
            #expect(written.last?["network"] == "127.0.0.0/24")
            let lines = gatehouse.log.text.split(separator: "\n").filter { $0.contains("failed sign-ins") }
            #expect(lines.count == 1, "\(lines)")
            #expect(lines.first?.contains("51") == true)
            try await gatehouse.server.failedSignIns.write()
            #expect(try await rows(gatehouse).count == 2)
        }
    }

    @Test func `are found by what the app shows of the error, with a sentence for the user`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let answer = try await gatehouse.signIn("ada", misbehaving: "id_token_wrong_audience")
            let name = try #require(answer["request_id"]?.string)
            try await gatehouse.server.failedSignIns.write()
            let found = try await gatehouse.run("sign-ins", "--request-id", name, "--provider", "zenkey")
            #expect(found.status == 0, "\(found.errors)")
            #expect(found.output.contains("zenkey  127.0.0.0/24  1 times  invalid_id_token: audience\n"))
            #expect(found.output.contains("for another client than the one in the provider's section"))
            let document = try await gatehouse.run("sign-ins", "--json")
            #expect(document.json.array?.map { $0["reason"] } == ["invalid_id_token: audience"])
            let nobody = try await gatehouse.run("sign-ins", "--request-id", "another")
            #expect(nobody.status == 1 && nobody.errors.contains("no sign-in that failed is known by that"))
            let both = try await gatehouse.run("sign-ins", "--request-id", "a", "--correlation-id", "b")
            #expect(both.status == 64)
        }
    }

    @Test func `failed sign-ins over sockets are counted in numbers where the log is JSON`() throws {
        let log = RecordedLog(format: .json)
        log.logger.notice(
            "failed sign-ins",
            metadata: FailedSignInLog.totals([
                FailedSignInCount(provider: "zenkey", reason: "invalid_grant", network: "192.0.2.0/24", count: 7),
                FailedSignInCount(provider: "zenkey", reason: "invalid_grant", network: "198.51.100.0/24", count: 4),
            ]))
        let line = try JSONValue(parsing: Array(log.text.utf8))
        #expect(line["count"] == 11)
        #expect(line["networks"] == 2)
        #expect(line["reasons"] == "invalid_grant 11")
    }
}
