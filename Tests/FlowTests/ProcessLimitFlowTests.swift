import Foundation
import GatehouseTesting
import Glibc
import HTTPTesting
import Patience
import SimulatedCarriers
import Testing

@Suite struct `A limit of a server with several loops` {
    private func with(
        zenkey: [String] = [], limit: Int = 0, latency: Duration, _ body: (RunningGatehouse) async throws -> Void
    ) async throws {
        try await RunningGatehouse.with(
            zenkey: zenkey, limits: .init(signIns: limit), latency: latency, environment: ["GATEHOUSE_HTTP_LOOPS": "4"],
            body)
    }

    private func apps(_ count: Int, _ gatehouse: RunningGatehouse) async throws -> [Authorized] {
        var apps: [Authorized] = []
        for number in 1...count { apps.append(try await gatehouse.authorize(String(repeating: "a", count: number))) }
        return apps
    }

    /// The statuses of sign-ins that come together.
    private func statuses(_ apps: [Authorized], _ gatehouse: RunningGatehouse) async throws -> [Int] {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for app in apps { group.addTask { try await gatehouse.signIn(app).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test(arguments: [1, 2, 4, 6])
    func `a limit of a server with several loops of connections to a carrier holds for all of them together`(limit: Int)
        async throws
    {
        try await with(zenkey: ["connectionsPerHost: \(limit)"], latency: .milliseconds(50)) { gatehouse in
            let port = try #require(URLComponents(string: gatehouse.simulation.aurora)?.port)
            // A provider that has gone may have had this port before, and left clients behind.
            let others = try Self.connections(to: port)
            var most = 0
            // On a busy machine whole sign-ins may pass between two looks.
            for _ in 0..<10 where most < limit {
                most = max(most, try await self.most(to: port, but: others, gatehouse))
            }
            #expect(most == limit)
        }
    }

    /// How many connections to a port are open together while many sign in.
    private func most(to port: Int, but others: Set<Substring>, _ gatehouse: RunningGatehouse) async throws -> Int {
        let apps = try await apps(24, gatehouse)
        let meanwhile = Meanwhile()
        return try await withThrowingTaskGroup(of: [Int].self) { group in
            group.addTask {
                defer { meanwhile.end() }
                return try await statuses(apps, gatehouse)
            }
            group.addTask {
                var most = 0
                var last: Set<Substring> = []
                while meanwhile.goesOn {
                    // The table is not read at one moment: connections that replace each other can both be in it.
                    // What is in two of them in a row was open all the time between them.
                    let open = try Self.connections(to: port).subtracting(others)
                    most = max(most, open.intersection(last).count)
                    last = open
                    try? await Task.sleep(for: .milliseconds(5))
                }
                return [most]
            }
            let answers = try #require(try await group.next())
            #expect(answers == [Int](repeating: 200, count: 24))
            return try #require(try await group.next()?.first)
        }
    }

    @Test func `a limit of a server with several loops of sign-ins in flight holds for all of them together`()
        async throws
    {
        try await with(zenkey: ["inFlight: 3"], latency: .milliseconds(300)) { gatehouse in
            let answers = try await statuses(apps(12, gatehouse), gatehouse)
            #expect(answers.count { $0 == 200 } == 3)
            #expect(answers.count { $0 == 503 } == 9)
        }
    }

    @Test func `a limit of a server with several loops of sign-ins from one address holds for all of them together`()
        async throws
    {
        try await with(limit: 5, latency: .zero) { gatehouse in
            let answers = try await statuses(apps(16, gatehouse), gatehouse)
            #expect(answers.count { $0 == 200 } == 5)
            #expect(answers.count { $0 == 429 } == 11)
        }
    }

    /// Our ends of the connections that lead to a port of this machine.
    private static func connections(to port: Int) throws -> Set<Substring> {
        let file = try #require(FileHandle(forReadingAtPath: "/proc/net/tcp"))
        let table = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        let end = ":" + String(format: "%04X", port)
        let rows = table.split(separator: "\n").map { $0.split(separator: " ") }
        return Set(rows.filter { $0.count > 3 && $0[2].hasSuffix(end) && $0[3] == "01" }.map { $0[1] })
    }
}
