import Dispatch
import EventLoop
import HTTPServer
import HTTPTesting
import Synchronization
import Syntax
import Testing

@Suite struct `The end of a connection` {
    /// Waits for ever, and notes when it starts and when it is cancelled.
    private static func stuck(_ started: Event, _ cancelled: Event) -> @Sendable (HTTPRequest) async -> HTTPResponse {
        { _ in
            started.happen()
            try? await Task.sleep(for: .seconds(3600))
            if Task.isCancelled { cancelled.happen() }
            return HTTPResponse(status: .ok)
        }
    }

    @Test func `cancels the request when the client resets it`() async throws {
        let (started, cancelled) = (Event(), Event())
        try await withServer(answer: Self.stuck(started, cancelled)) { server in
            var client: HTTPTestConnection? = try HTTPTestConnection(to: server.address.port)
            await client?.send(get("/"))
            await started.wait()
            client?.reset()
            client = nil
            #expect(await eventually { cancelled.hasHappened })
        }
    }

    @Test func `waits for the answer when the client has only closed its sending side`() async throws {
        let (started, mayFinish) = (Event(), Event())
        try await withServer { request in
            started.happen()
            await mayFinish.wait()
            return await echo(request)
        } _: { server in
            let client = try HTTPTestConnection(to: server.address.port)
            await client.send(get("/1") + get("/2") + "GET /3 HT")
            client.endSending()
            await started.wait()
            mayFinish.happen()
            let text = String(decoding: try await client.rest().bytes, as: UTF8.self)
            #expect(text.contains("GET /1 "))
            #expect(text.hasSuffix("GET /2 "))
        }
    }

    /// Hears of an answer, and takes its time to note that it was taken.
    private final class SlowWatcher: DeliveryWatcher {
        let mayNote = Event()
        let isLost = Event()
        let heard = Mutex<[String]>([])

        func wasTaken() async {
            await mayNote.wait()
            heard.withLock { $0.append("taken") }
        }

        func wasLost() async {
            heard.withLock { $0.append("lost") }
            isLost.happen()
        }
    }

    @Test func `is told as a loss of the answer once it is noted that the answer was taken`() async throws {
        let watcher = SlowWatcher()
        let next = Event()
        try await withServer { request in
            guard request.path == "/watched" else {
                next.happen()
                return HTTPResponse(status: .ok)
            }
            var response = HTTPResponse(status: .ok)
            response.watcher = watcher
            return response
        } _: { server in
            let client = try HTTPTestConnection(to: server.address.port)
            await client.send(get("/watched"))
            _ = try await blocking { try client.read() }
            client.reset()
            // One loop has both connections: it has heard of the reset when it answers the next one.
            let other = try HTTPTestConnection(to: server.address.port)
            await other.send(get("/"))
            await next.wait()
            watcher.mayNote.happen()
            await watcher.isLost.wait()
            #expect(watcher.heard.withLock(\.self) == ["taken", "lost"])
        }
    }

    @Test func `comes for the one idle longest when there are too many`() async throws {
        try await withServer(.patient(maximumConnections: 2)) { server in
            let (first, second) = (
                try HTTPTestConnection(to: server.address.port), try HTTPTestConnection(to: server.address.port)
            )
            _ = try await second.exchange(get("/"))
            _ = try await first.exchange(get("/"))
            let third = try HTTPTestConnection(to: server.address.port)
            #expect(try await third.exchange(get("/3")).text == "GET /3 ")
            #expect(try await second.rest().bytes.isEmpty)
            #expect(try await first.exchange(get("/1")).text == "GET /1 ")
        }
    }

    @Test func `comes for an idle one of another loop when this one has none`() async throws {
        try await withServer(.patient(maximumConnections: 1), loops: 2) { server in
            var clients: [HTTPTestConnection] = []
            for number in 0..<20 {
                clients.append(try HTTPTestConnection(to: server.address.port))
                #expect(try await clients[number].exchange(get("/\(number)")).text == "GET /\(number) ")
                if number > 0 { #expect(try await clients[number - 1].rest().bytes.isEmpty) }
            }
        }
    }

    @Test func `comes with 503 for the one too many when all are busy`() async throws {
        let mayFinish = Event()
        let running = Mutex(0)
        try await withServer(.patient(maximumConnections: 2)) { request in
            running.withLock { $0 += 1 }
            await mayFinish.wait()
            return await echo(request)
        } _: { server in
            let busy = [
                try HTTPTestConnection(to: server.address.port), try HTTPTestConnection(to: server.address.port),
            ]
            for client in busy { await client.send(get("/")) }
            #expect(await eventually { running.withLock { $0 } == 2 })
            let third = try HTTPTestConnection(to: server.address.port)
            #expect(try await third.answer().status == 503)
            #expect(server.connectionCount == 3)
            #expect(server.refusalCounts.map(\.count) == [1, 0, 0, 0])
            third.endSending()
            #expect(try await third.rest().bytes.isEmpty)
            mayFinish.happen()
            for client in busy { #expect(try await client.answer().status == 200) }
            #expect(try await HTTPTestConnection(to: server.address.port).exchange(get("/")).status == 200)
        }
    }

    @Test func `comes with 503 for the one too many of its address, until another of them goes`() async throws {
        var limits = HTTPServerLimits.patient
        limits.maximumConnectionsPerAddress = 2
        try await withServer(limits, loops: 2) { server in
            let clients = [
                try HTTPTestConnection(to: server.address.port), try HTTPTestConnection(to: server.address.port),
            ]
            for client in clients { #expect(try await client.exchange(get("/")).status == 200) }
            let third = try HTTPTestConnection(to: server.address.port)
            #expect(try await third.answer().status == 503)
            #expect(server.refusalCounts.map(\.count) == [0, 1, 0, 0])
            third.endSending()
            #expect(try await third.rest().bytes.isEmpty)
            _ = try await clients[0].exchange(get("/", "Connection: close"))
            clients[0].endSending()
            _ = try await clients[0].rest()
            #expect(
                await eventually {
                    guard let next = try? HTTPTestConnection(to: server.address.port),
                        let answer = try? await next.exchange(get("/"))
                    else {
                        return false
                    }
                    return answer.status == 200
                })
            #expect(try await clients[1].exchange(get("/")).status == 200)
        }
    }

    @Test func `the end of a connection never comes for the many of a proxy's address`() async throws {
        let loop = try EventLoop(label: "test")
        loop.start()
        defer { loop.stop() }
        let handler = TestHandler(echo)
        var limits = HTTPServerLimits.patient
        limits.maximumConnectionsPerAddress = 1
        let server = try HTTPServer(
            at: .bound(host: "127.0.0.1", port: 0), loops: [loop], limits: limits,
            proxies: [#require(AddressRange("127.0.0.1"))]
        ) { _, _ in handler }
        try await server.start()
        let clients = try (0..<5).map { _ in try HTTPTestConnection(to: server.address.port) }
        for client in clients { #expect(try await client.exchange(get("/")).status == 200) }
        await server.drain(within: .zero)
    }

    @Test func `makes room for another`() async throws {
        let mayFinish = Event()
        // One more than are busy in the end, since the server may learn of the last client's end a moment later.
        try await withServer(.patient(maximumConnections: 3)) { request in
            if request.path == "/busy" { await mayFinish.wait() }
            return await echo(request)
        } _: { server in
            for _ in 1...10 {
                let client = try HTTPTestConnection(to: server.address.port)
                _ = try await client.exchange(get("/", "Connection: close"))
                _ = try await client.rest()
                client.endSending()
            }
            let busy = [
                try HTTPTestConnection(to: server.address.port), try HTTPTestConnection(to: server.address.port),
            ]
            for client in busy { await client.send(get("/busy")) }
            mayFinish.happen()
            for client in busy { #expect(try await client.answer().status == 200) }
        }
    }

    @Test func `comes after the answer when the server drains`() async throws {
        let (started, mayFinish) = (Event(), Event())
        try await withServer { request in
            if request.path == "/slow" {
                started.happen()
                await mayFinish.wait()
            }
            return await echo(request)
        } _: { server in
            let (idle, busy) = (
                try HTTPTestConnection(to: server.address.port), try HTTPTestConnection(to: server.address.port)
            )
            #expect(try await idle.exchange(get("/")).status == 200)
            await busy.send(get("/slow"))
            await started.wait()
            async let drained: Void = server.drain(within: .seconds(10))
            #expect(try await idle.rest().bytes.isEmpty)
            #expect(throws: HTTPTestError.self) { _ = try HTTPTestConnection(to: server.address.port) }
            mayFinish.happen()
            let answer = try await busy.answer()
            #expect(answer.text == "GET /slow ")
            #expect(answer.header("Connection") == "close")
            #expect(try await busy.rest().bytes.isEmpty)
            busy.endSending()
            await drained
        }
    }

    @Test func `comes at the latest when the time to drain is over`() async throws {
        let (started, cancelled) = (Event(), Event())
        try await withServer(answer: Self.stuck(started, cancelled)) { server in
            let client = try HTTPTestConnection(to: server.address.port)
            await client.send(get("/"))
            await started.wait()
            await server.drain(within: .milliseconds(100))
            #expect(try await client.rest().bytes.isEmpty)
            #expect(await eventually { cancelled.hasHappened })
        }
    }

    @Test func `waits for the first request of a client that has just connected when the server drains`() async throws {
        try await withServer { server in
            let (fresh, old) = (
                try HTTPTestConnection(to: server.address.port), try HTTPTestConnection(to: server.address.port)
            )
            #expect(try await old.exchange(get("/")).status == 200)
            async let drained: Void = server.drain(within: .seconds(60))
            // The server drains from now on: who has been answered waits for nothing.
            #expect(try await old.rest().bytes.isEmpty)
            let answer = try await fresh.exchange(get("/first"))
            #expect(answer.text == "GET /first ")
            #expect(answer.header("Connection") == "close")
            fresh.endSending()
            await drained
        }
    }

    @Test func `comes soon for a client that has just connected and says nothing while the server drains`() async throws
    {
        var limits = HTTPServerLimits.patient
        limits.firstRequestGrace = .milliseconds(50)
        try await withServer(limits) { server in
            let (silent, slow) = (
                try HTTPTestConnection(to: server.address.port), try HTTPTestConnection(to: server.address.port)
            )
            await slow.send("GET / HT")
            async let drained: Void = server.drain(within: .seconds(60))
            #expect(try await silent.rest().bytes.isEmpty)
            #expect(try await slow.exchange("TP/1.1\r\nHost: a\r\n\r\n").status == 200)
            slow.endSending()
            await drained
        }
    }

    @Test func `comes after the answers to all that was sent before the server drains`() async throws {
        let (started, mayFinish) = (Event(), Event())
        try await withServer { request in
            if request.path == "/1" {
                started.happen()
                await mayFinish.wait()
            }
            return await echo(request)
        } _: { server in
            let (client, idle) = (
                try HTTPTestConnection(to: server.address.port), try HTTPTestConnection(to: server.address.port)
            )
            #expect(try await idle.exchange(get("/")).status == 200)
            await client.send(get("/1") + get("/2") + get("/3"))
            await started.wait()
            async let drained: Void = server.drain(within: .seconds(60))
            #expect(try await idle.rest().bytes.isEmpty)
            mayFinish.happen()
            #expect(try await client.answer().header("Connection") == nil)
            #expect(try await client.answer().header("Connection") == nil)
            let last = try await client.answer()
            #expect(last.text == "GET /3 ")
            #expect(last.header("Connection") == "close")
            client.endSending()
            await drained
        }
    }

    @Test
    func
        `the end of a connection is announced with every answer once the server is told to, while it accepts as before`()
        async throws
    {
        try await withServer(loops: 2) { server in
            let old = try HTTPTestConnection(to: server.address.port)
            #expect(try await old.exchange(get("/")).header("Connection") == nil)
            await server.announceClose()
            #expect(try await old.exchange(get("/")).header("Connection") == "close")
            for _ in 0..<4 {
                let answer = try await HTTPTestConnection(to: server.address.port).exchange(get("/"))
                #expect(answer.status == 200)
                #expect(answer.header("Connection") == "close")
            }
        }
    }

    @Test func `the end of a connection of the last connection is noticed at whatever moment of the draining it comes`()
        async throws
    {
        for _ in 0..<20 {
            let (started, mayFinish, drained) = (Event(), Event(), Event())
            let loop = try EventLoop(label: "test")
            loop.start()
            let handler = TestHandler { request in
                started.happen()
                await mayFinish.wait()
                return await echo(request)
            }
            let server = try HTTPServer(host: "127.0.0.1", port: 0, loops: [loop], limits: .patient) { _, _ in handler }
            try await server.start()
            let client = try HTTPTestConnection(to: server.address.port)
            await client.send(get("/"))
            client.endSending()
            await started.wait()
            // While the loop stands still, the drain and then the end of the last request queue up on it.
            let goesOn = DispatchSemaphore(value: 0)
            Task(executorPreference: loop) { Self.block(on: goesOn) }
            Task {
                await server.drain(within: .milliseconds(10))
                drained.happen()
            }
            try await Task.sleep(for: .milliseconds(2))
            mayFinish.happen()
            goesOn.signal()
            try #require(await eventually { drained.hasHappened })
            loop.stop()
        }
    }

    private static func block(on semaphore: DispatchSemaphore) { semaphore.wait() }

    @Test func `leaves nothing behind`() async throws {
        weak var weakHandler: TestHandler?
        weak var weakServer: HTTPServer?
        let loop = try EventLoop(label: "test")
        loop.start()
        defer { loop.stop() }
        do {
            let handler = TestHandler { request in
                if request.path == "/never" { try? await Task.sleep(for: .seconds(3600)) }
                return await echo(request)
            }
            weakHandler = handler
            let limits = HTTPServerLimits(lingerTimeout: .milliseconds(50))
            let server = try HTTPServer(host: "127.0.0.1", port: 0, loops: [loop], limits: limits) { _, _ in handler }
            weakServer = server
            try await server.start()
            var clients: [HTTPTestConnection] = []
            for text in [get("/"), get("/", "Connection: close"), get("/never"), "garbage\r\n", "GET / HT", "", "\r\n"]
            {
                for _ in 0..<20 {
                    let client = try HTTPTestConnection(to: server.address.port)
                    await client.send(text)
                    clients.append(client)
                }
            }
            #expect(try await clients[0].answer().status == 200)
            await server.drain(within: .milliseconds(50))
        }
        // Every connection holds its listener, and that its handler: one that stayed would keep the handler alive.
        #expect(await eventually { weakHandler == nil && weakServer == nil })
    }
}
