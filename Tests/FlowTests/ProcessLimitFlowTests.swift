import Foundation
import Glibc
import SimulatedCarriers
import Testing

@Suite struct `A limit of a server with several loops` {
    private func with(
        zenkey: [String] = [], limit: Int = 0, latency: Duration, _ body: (RunningGatehouse) async throws -> Void
    ) async throws {
        try await RunningGatehouse.with(
            zenkey: zenkey, limits: .init(signIns: limit), latency: latency, environment: ["HTTP_LOOPS": "4"], body)
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
            let apps = try await apps(24, gatehouse)
            let most = try await withThrowingTaskGroup(of: [Int].self) { group in
                group.addTask { try await statuses(apps, gatehouse) }
                group.addTask {
                    var most = 0
                    while !Task.isCancelled {
                        most = max(most, try Self.connections(to: port))
                        try? await Task.sleep(for: .milliseconds(5))
                    }
                    return [most]
                }
                let answers = try #require(try await group.next())
                #expect(answers == [Int](repeating: 200, count: 24))
                group.cancelAll()
                return try #require(try await group.next()?.first)
            }
            #expect(most == limit)
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

    /// How many connections lead to a port of this machine.
    private static func connections(to port: Int) throws -> Int {
        let file = try #require(FileHandle(forReadingAtPath: "/proc/net/tcp"))
        let table = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        let end = ":" + String(format: "%04X", port)
        return table.split(separator: "\n").count { line in
            let fields = line.split(separator: " ")
            return fields.count > 3 && fields[2].hasSuffix(end) && fields[3] == "01"
        }
    }
}
