import Dispatch
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `Any endpoint` {
    /// What the key set's address answers when that is the matter.
    private func keys(_ simulation: Simulation, _ misbehaviour: AnswerMisbehaviour) throws -> HTTPTestAnswer {
        simulation.misbehave(.answer(misbehaviour), at: .keys, of: .borealis, times: 1)
        return try LoopbackClient.get("\(simulation.borealis)/jwks")
    }

    @Test func `fails, moves or shows a page on demand`() async throws {
        try await withSimulation { simulation throws in
            #expect(try keys(simulation, .internalServerError).status == 500)
            let unavailable = try keys(simulation, .serviceUnavailable)
            #expect(unavailable.status == 503)
            #expect(unavailable.header("Retry-After") == "1")
            #expect(try keys(simulation, .tooManyRequests).status == 429)
            #expect(try keys(simulation, .html).header("Content-Type")?.hasPrefix("text/html") == true)
            let moved = try keys(simulation, .redirect)
            #expect(moved.status == 302)
            #expect(moved.header("Location")?.hasPrefix(simulation.plain) == true)
            #expect(try keys(simulation, .redirectKeepingMethod).status == 307)
            #expect(try keys(simulation, .html).status == 200)
            #expect(try LoopbackClient.get("\(simulation.borealis)/jwks").object["keys"] != nil)
        }
    }

    @Test func `breaks the connection on demand`() async throws {
        try await withSimulation { simulation throws in
            #expect(throws: HTTPTestError.reset) { try keys(simulation, .reset) }
            #expect(throws: HTTPTestError.endWithoutAnswer) { try keys(simulation, .close) }
            let error = #expect(throws: HTTPTestError.self) { try keys(simulation, .notHTTP) }
            guard case .noAnswer(let text) = error else {
                Issue.record("it spoke HTTP")
                return
            }
            #expect(text.hasPrefix("220 This is no HTTP server."))
            let half = try keys(simulation, .truncated)
            #expect(half.status == 200)
            #expect(half.body.count == (half.announcedLength ?? 0) / 2)
            #expect(!half.body.isEmpty)
        }
    }

    @Test func `breaks none but the connection it is asked to break`() async throws {
        try await withSimulation { simulation throws in
            let bystanders = try (0..<20).map { _ in try HTTPTestConnection(to: simulation.borealis) }
            #expect(throws: HTTPTestError.reset) { try keys(simulation, .reset) }
            for bystander in bystanders {
                bystander.ask(for: "/jwks")
                #expect(try bystander.readLastAnswer().status == 200)
            }
        }
    }

    @Test func `sends more than anybody wants on demand`() async throws {
        try await withSimulation { simulation throws in
            let large = try keys(simulation, .oversized)
            #expect(large.body.count > 8_000_000)
            #expect(large.body.count == large.announcedLength)
            let bomb = try keys(simulation, .gzipBomb)
            #expect(bomb.header("Content-Encoding") == "gzip")
            #expect(bomb.body.count < 60_000)
            #expect(bomb.body.prefix(3) == [0x1F, 0x8B, 8])
            // RFC 1952 §2.3.1: the last four bytes are the length before compression.
            #expect(bomb.body.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) } == large.body.count)
            let deep = try keys(simulation, .deep)
            #expect(throws: JSONError.tooDeep) { try JSONValue(parsing: deep.body) }
        }
    }

    @Test func `spoils the content on demand`() async throws {
        try await withSimulation { simulation throws in
            #expect(throws: JSONError.duplicateMember("keys")) {
                try JSONValue(parsing: try keys(simulation, .duplicateMembers).body)
            }
            let invalid = try keys(simulation, .invalidUTF8)
            #expect(String(validating: invalid.body, as: UTF8.self) == nil)
            let mistyped = try keys(simulation, .wrongContentType)
            #expect(mistyped.header("Content-Type") == "text/plain")
            #expect(try mistyped.object["keys"] != nil)
        }
    }

    @Test func `loses the answer only after it did what was asked`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .aurora)
            let code = try signIn.code(["misbehave": "reset"])
            #expect(throws: HTTPTestError.reset) { try signIn.token(code: code) }
            #expect(throws: HTTPTestError.reset) { try signIn.token(code: code) }
            let other = try signIn.code()
            simulation.misbehave(.answer(.reset), at: .token, times: 1)
            #expect(throws: HTTPTestError.reset) { try signIn.token(code: other) }
            #expect(try signIn.token(code: other).error == "invalid_grant")
        }
    }

    @Test func `leaves a code unused when it fails before`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .aurora)
            let code = try signIn.code()
            simulation.misbehave(.answer(.serviceUnavailable), at: .token, times: 1)
            #expect(try signIn.token(code: code).status == 503)
            #expect(try signIn.token(code: code).status == 200)
        }
    }

    @Test func `keeps silent until the client leaves, and serves others meanwhile`() async throws {
        try await withSimulation { simulation throws in
            simulation.misbehave(.answer(.hang), at: .keys, times: 1)
            let waiting = try HTTPTestConnection(to: simulation.aurora, patienceSeconds: 1)
            waiting.ask(for: "/jwks")
            #expect(throws: HTTPTestError.timeout) { try waiting.readLastAnswer() }
            #expect(try LoopbackClient.get("\(simulation.aurora)/jwks").status == 200)
            // The server closes its side, which it does only once the client's leaving was noticed.
            waiting.endSending()
            #expect(throws: HTTPTestError.endWithoutAnswer) { try waiting.readLastAnswer() }
        }
    }

    @Test func `sends a byte at a time on demand`() async throws {
        try await withSimulation { simulation throws in
            simulation.misbehave(.answer(.drip), at: .keys, times: 1)
            let connection = try HTTPTestConnection(to: simulation.aurora)
            connection.ask(for: "/jwks")
            #expect(String(decoding: try connection.read(), as: UTF8.self).hasSuffix("\r\n\r\n"))
            #expect(try connection.read() == Array("{".utf8))
            #expect(try LoopbackClient.get("\(simulation.aurora)/jwks").status == 200)
        }
    }

    @Test func `happens at the endpoint that a sign-in names`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .borealis)
            let tokens = try signIn.tokens(["misbehave": "userinfo-status_500.id_token_no_kid"])
            #expect(try tokens.idToken.header["kid"] == nil)
            #expect(try signIn.userinfo(tokens.accessToken).status == 500)
        }
    }

    @Test func `waits without a thread, so that many can wait at once`() async throws {
        try await withSimulation(latency: .milliseconds(200)) { simulation throws in
            let start = DispatchTime.now().uptimeNanoseconds
            let connections = try (0..<200).map { _ in try HTTPTestConnection(to: simulation.plain) }
            for connection in connections { connection.ask(for: "/jwks") }
            for connection in connections { #expect(try connection.readLastAnswer().status == 200) }
            let elapsed = DispatchTime.now().uptimeNanoseconds - start
            #expect(elapsed >= 200_000_000)
            // One after the other would take 40 seconds.
            #expect(elapsed < 10_000_000_000)
        }
    }

    @Test func `any endpoint can be slow once`() async throws {
        try await withSimulation { simulation throws in
            simulation.misbehave(.slow(milliseconds: 300), at: .keys, times: 1)
            let start = DispatchTime.now().uptimeNanoseconds
            #expect(try LoopbackClient.get("\(simulation.plain)/jwks").status == 200)
            #expect(DispatchTime.now().uptimeNanoseconds - start >= 300_000_000)
        }
    }
}
