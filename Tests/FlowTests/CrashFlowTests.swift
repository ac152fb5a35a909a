import Accounts
import AccountsSQL
import AccountsSQLite
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import Sealing
import SimulatedCarriers
import Testing
import Wings

@testable import Composition
@testable import Operations

@Suite struct `A server that is killed` {
    /// More of them by hand: `DEV_CRASH_ROUNDS=100 scripts/test --filter CrashFlow`.
    private static let rounds = ProcessInfo.processInfo.environment["DEV_CRASH_ROUNDS"].flatMap { Int($0) } ?? 5

    @Test func `serves every user and session it acknowledged when it starts again`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let folder = gatehouse.folder.appending(path: "killed")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let yaml =
                RunningGatehouse.yaml(gatehouse.simulation, folder)
                + "\nsession: {issuer: 'https://sign-in.example'}\n"
            let configuration = folder.appending(path: "gatehouse.yaml")
            try Data(yaml.utf8).write(to: configuration)
            var acknowledged: [(user: Int64, token: String)] = []
            for round in 0..<Self.rounds {
                let fatal = Int.random(in: 1..<40)
                let server = try await ServerProcess(
                    configuration: configuration, log: folder.appending(path: "log\(round)"))
                let client = LoopbackClient(port: server.port)
                var apps: [Authorized] = []
                for number in 0..<40 { apps.append(try await gatehouse.authorize("r\(round)n\(number)")) }
                let answers = await withTaskGroup(of: HTTPTestAnswer?.self) { group in
                    for app in apps {
                        group.addTask {
                            try? await client.post("/auth/signin", json: app.body())
                        }
                    }
                    // Killed in the middle of the burst: after some answers, before the last can have come.
                    var answers: [HTTPTestAnswer] = []
                    for await answer in group {
                        if let answer, answer.status == 200 { answers.append(answer) }
                        if answers.count == fatal { server.kill() }
                    }
                    return answers
                }
                #expect(answers.count >= fatal, "killed after \(fatal) answers")
                for answer in answers {
                    acknowledged.append(
                        (try #require(answer["user"]?["user_id"]?.integer), try #require(answer["token"]?.string)))
                }
                if server.process.isRunning { server.kill() }
            }
            let server = try await ServerProcess(configuration: configuration, log: folder.appending(path: "last"))
            for (user, token) in acknowledged {
                let answer = try await LoopbackClient(port: server.port).send(
                    "GET", "/users/me", headers: ["Authorization": "Bearer \(token)"])
                #expect(answer.status == 200, "user \(user): \(answer.text)")
                #expect(answer["user_id"] == .integer(user))
            }
            server.kill()
            let path = folder.appending(path: "users.db").path
            let masterKey = try MasterKey.load(path: path + ".key", madeWith: nil)
            let store = try await SQLiteAccounts.open(
                SQLiteSettings(path: path, access: .besideServer, tables: try StoreTables(of: Wing.all)), now: 0,
                unlockKeyRing: KeyRing.unlocker(masterKey: masterKey, now: 0))
            let flaws = try await store.check()
            #expect(flaws.isEmpty)
            await store.close()
        }
    }
}
