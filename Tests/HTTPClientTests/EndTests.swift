import Dispatch
import EventLoop
import HTTPClient
import Patience
import Testing

private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

@Suite struct `A transfer that ends early` {
    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nConte", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"])
    func `times out when the server hangs`(part: String) async throws {
        let server = try ScriptedServer { connection, _ in
            _ = connection.request()
            connection.send(part)
            connection.waitForEnd()
        }
        try await withClient { client in
            let start = ContinuousClock.now
            await #expect(throws: HTTPClientError.timedOut(requestSent: true)) {
                try await client.send(.get(server, timeout: .milliseconds(150)))
            }
            let took = ContinuousClock.now - start
            #expect(took >= .milliseconds(150))
        }
    }

    @Test func `times out while it waits for a connection, with nothing sent`() async throws {
        let server = try ScriptedServer { connection, _ in
            _ = connection.request()
            connection.waitForEnd()
        }
        let policy = OutboundPolicy.local.with { $0.connectionsPerHost = 1 }
        try await withClient { client in
            let occupying = try OutboundRequest.get(server, timeout: .seconds(60), policy: policy)
            let first = Task { try await client.send(occupying) }
            try await eventually("a connection") { server.connections > 0 }
            await #expect(throws: HTTPClientError.timedOut(requestSent: false)) {
                try await client.send(.get(server, timeout: .milliseconds(150), policy: policy))
            }
            first.cancel()
            await #expect(throws: HTTPClientError.cancelled) { try await first.value }
        }
    }

    @Test(arguments: 0..<10, [true, false])
    func `a transfer that ends early never starts when its end comes between the asking and the start`(
        _: Int, isCancelled: Bool
    ) async throws {
        let server = try ScriptedServer { connection, _ in
            _ = connection.request()
            connection.waitForEnd()
        }
        try await withClient { client in
            // While the loop stands still, the asking and then the end queue up on it.
            let goesOn = DispatchSemaphore(value: 0)
            Task(executorPreference: client.loop) { Self.block(on: goesOn) }
            let request = try OutboundRequest.get(server, timeout: .seconds(60))
            let sending = Task { try await client.send(request) }
            try await Task.sleep(for: .milliseconds(2))
            let end = Task { if isCancelled { sending.cancel() } else { await client.shutDown() } }
            try await Task.sleep(for: .milliseconds(2))
            goesOn.signal()
            await #expect(throws: isCancelled ? HTTPClientError.cancelled : .shutDown) { try await sending.value }
            await end.value
        }
    }

    private static func block(on semaphore: DispatchSemaphore) { semaphore.wait() }

    @Test func `times out at once when no time is left`() async throws {
        let server = try ScriptedServer(answer: ok)
        try await withClient { client in
            await #expect(throws: HTTPClientError.timedOut(requestSent: false)) {
                try await client.send(.get(server, timeout: .zero))
            }
        }
        #expect(server.connections == 0)
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"], [false, true])
    func `a transfer that ends early is a broken connection when the server closes or resets it`(
        part: String, resets: Bool
    ) async throws {
        let server = try ScriptedServer { connection, _ in
            _ = connection.request()
            connection.send(part)
            if resets { connection.reset() }
        }
        try await withClient { client in
            await #expect(throws: HTTPClientError.connectionBroken(requestSent: true)) {
                try await client.send(.post(server, "a=b"))
            }
        }
    }

    @Test func `a transfer that ends early is a broken connection when the server resets before it reads`()
        async throws
    {
        let server = try ScriptedServer { connection, _ in connection.reset() }
        let request = try OutboundRequest.post(server, "a=b")
        try await withClient { client in
            do throws(HTTPClientError) {
                _ = try await client.send(request)
                Issue.record("an answer came from nowhere")
            } catch {
                // The reset may come before or after the connection is known to be made.
                let ends = [true, false].map { HTTPClientError.connectionBroken(requestSent: $0) } + [.couldNotConnect]
                #expect(ends.contains(error))
            }
        }
    }

    @Test func `a transfer that ends early is cancelled at once, and its connection closed`() async throws {
        let (begun, ended) = (Signal(), Signal())
        let server = try ScriptedServer { connection, _ in
            _ = connection.request()
            begun.happen()
            connection.waitForEnd()
            ended.happen()
        }
        try await withClient { client in
            let request = try OutboundRequest.get(server)
            let task = Task { try await client.send(request) }
            await begun.wait()
            task.cancel()
            await #expect(throws: HTTPClientError.cancelled) { try await task.value }
            await ended.wait()
        }
    }

    @Test(arguments: [false, true]) func `a transfer that ends early is never begun by a cancelled task`(
        finishesWhenCancelled: Bool
    ) async throws {
        let server = try ScriptedServer(answer: ok)
        try await withClient { client in
            let request = try OutboundRequest.post(server, "a=b", finishesWhenCancelled: finishesWhenCancelled)
            let task = Task {
                // Only cancellation ends it sooner.
                try? await Task.sleep(for: .seconds(60))
                return try await client.send(request)
            }
            task.cancel()
            await #expect(throws: HTTPClientError.cancelled) { try await task.value }
        }
        #expect(server.connections == 0)
    }

    @Test func `goes on after cancellation when it must be finished`() async throws {
        let begun = Signal()
        let cancelled = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { connection, _ in
            _ = connection.request()
            begun.happen()
            cancelled.wait()
            connection.send(ok)
        }
        try await withClient { client in
            let request = try OutboundRequest.post(server, "code=once", finishesWhenCancelled: true)
            let task = Task { try await client.send(request) }
            await begun.wait()
            task.cancel()
            cancelled.signal()
            let text = try await task.value.text
            #expect(text == "ok")
        }
    }

    @Test func `ends once each when hundreds are cancelled while they start`() async throws {
        let server = try ScriptedServer(answer: ok)
        try await withClient { client in
            let ends = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<300 {
                    let request = try OutboundRequest.get(server)
                    group.addTask {
                        let task = Task { try await client.send(request) }
                        for _ in 0..<(number % 20) { await Task.yield() }
                        task.cancel()
                        do { return try await task.value.status == 200 } catch HTTPClientError.cancelled { return true }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(ends == 300)
        }
    }

    @Test func `a transfer that ends early is told of the shutdown, and so is whatever comes later`() async throws {
        let begun = Signal()
        let server = try ScriptedServer { connection, _ in
            _ = connection.request()
            begun.happen()
            connection.waitForEnd()
        }
        try await withClient { client in
            let request = try OutboundRequest.get(server)
            let tasks = (0..<10).map { _ in Task { try await client.send(request) } }
            await begun.wait()
            await client.shutDown()
            for task in tasks { await #expect(throws: HTTPClientError.shutDown) { try await task.value } }
            await #expect(throws: HTTPClientError.shutDown) { try await client.send(request) }
            await client.shutDown()
        }
    }
}
