import Dispatch
import EventLoop
import Foundation
import Glibc
import HTTPClient
import Testing

private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

/// A server whose first connections are forgotten by the network once each has had its answer; it answers all later
/// ones.
private final class ForgottenConnections: Sendable {
    let server: ScriptedServer
    private let over = DispatchSemaphore(value: 0)
    private let forgotten = Signal()

    /// - Parameter count: how many; they are answered together, so that none of them serves two requests.
    init(_ count: Int) throws {
        let (asked, swallowed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        server = try ScriptedServer { [over, forgotten] connection, number in
            guard number < count else {
                while connection.request() != nil { connection.send(ok) }
                return
            }
            _ = connection.request()
            if number == count - 1 {
                for _ in 1..<count { asked.wait() }
                for _ in 1..<count { swallowed.signal() }
            } else {
                asked.signal()
                swallowed.wait()
            }
            connection.send(ok)
            if number == count - 1 {
                for _ in 1..<count { asked.wait() }
                connection.swallowPackets()
                forgotten.happen()
            } else {
                connection.swallowPackets()
                asked.signal()
            }
            // Its end stays open until the test is over.
            over.wait()
            over.signal()
        }
    }

    deinit {
        over.signal()
    }

    /// Opens them all, and waits until they are forgotten.
    func open(_ count: Int, _ client: HTTPClient) async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<count { group.addTask { _ = try await client.send(.get(self.server)) } }
            try await group.waitForAll()
        }
        await forgotten.wait()
    }

    /// Whether the system has a connection to the server that it takes for alive.
    var hasEstablishedConnection: Bool {
        get throws {
            let file = try #require(FileHandle(forReadingAtPath: "/proc/net/tcp"))
            let table = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
            let end = ":" + String(format: "%04X", Int(server.port))
            return table.split(separator: "\n").contains { line in
                let fields = line.split(separator: " ")
                return fields.count > 3 && fields[2].hasSuffix(end) && fields[3] == "01"
            }
        }
    }
}

@Suite struct `A connection whose packets the network drops` {
    @Test func `costs one request, and the idle ones to that server are not tried after it`() async throws {
        let forgotten = try ForgottenConnections(4)
        try await withClient { client in
            try await forgotten.open(4, client)
            await #expect(throws: HTTPClientError.timedOut(requestSent: true)) {
                try await client.send(.post(forgotten.server, "code=once", timeout: .seconds(2)))
            }
            for _ in 0..<4 {
                let status = try await client.send(.post(forgotten.server, "code=again", timeout: .seconds(2))).status
                #expect(status == 200)
            }
        }
        #expect(forgotten.server.connections == 5)
    }

    @Test
    func
        `a connection whose packets the network drops is given up when nothing is acknowledged, however long the answer may take`()
        async throws
    {
        let forgotten = try ForgottenConnections(1)
        try await withClient(limits: HTTPClientLimits(acknowledgementTimeout: .milliseconds(500))) { client in
            try await forgotten.open(1, client)
            let began = ContinuousClock.now
            await #expect(throws: HTTPClientError.timedOut(requestSent: true)) {
                try await client.send(.post(forgotten.server, "code=once", timeout: .seconds(60)))
            }
            #expect(ContinuousClock.now - began < .seconds(30))
        }
    }

    @Test func `a connection whose packets the network drops is found dead while it is idle, and costs nothing`()
        async throws
    {
        let forgotten = try ForgottenConnections(1)
        let limits = HTTPClientLimits(
            acknowledgementTimeout: .milliseconds(500), keepAliveIdle: .seconds(1), keepAliveInterval: .seconds(1))
        try await withClient(limits: limits) { client in
            try await forgotten.open(1, client)
            let deadline = ContinuousClock.now + .seconds(30)
            while try forgotten.hasEstablishedConnection, ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(try !forgotten.hasEstablishedConnection)
            let status = try await client.send(.post(forgotten.server, "code=once", timeout: .seconds(2))).status
            #expect(status == 200)
        }
    }

    @Test
    func
        `a connection whose packets the network drops is not what a server has that is merely slow: its idle connections stay in use`()
        async throws
    {
        let server = try ScriptedServer { connection, number in
            while let request = connection.request() {
                if request.contains("slow=1") {
                    connection.waitForEnd()
                    return
                }
                // The first two are open at once.
                if number < 2, request.contains("pause=1") { usleep(200_000) }
                connection.send(ok)
            }
        }
        try await withClient { client in
            async let first = client.send(.post(server, "pause=1"))
            async let second = client.send(.post(server, "pause=1"))
            let statuses = try await [first.status, second.status]
            #expect(statuses == [200, 200])
            #expect(server.connections == 2)
            await #expect(throws: HTTPClientError.timedOut(requestSent: true)) {
                try await client.send(.post(server, "slow=1", timeout: .milliseconds(600)))
            }
            let status = try await client.send(.post(server, "a=b")).status
            #expect(status == 200)
        }
        #expect(server.connections == 2)
    }
}

@Suite struct `A connection that grows old` {
    @Test func `a connection that grows old is not used again by those who wait for it either`() async throws {
        let server = try ScriptedServer(answer: ok)
        let policy = OutboundPolicy.local.with { $0.connectionsPerHost = 1 }
        try await withClient(limits: HTTPClientLimits(connectionLifetime: .zero)) { client in
            try await withThrowingTaskGroup { group in
                for _ in 0..<5 { group.addTask { _ = try await client.send(.get(server, policy: policy)) } }
                try await group.waitForAll()
            }
        }
        #expect(server.connections == 5)
    }

    @Test func `a connection that grows old is not used again`() async throws {
        let server = try ScriptedServer(answer: ok)
        try await withClient(limits: HTTPClientLimits(connectionLifetime: .seconds(1))) { client in
            let deadline = ContinuousClock.now + .seconds(120)
            while server.connections < 2, ContinuousClock.now < deadline {
                _ = try await client.send(.get(server))
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        #expect(server.connections == 2)
    }
}
