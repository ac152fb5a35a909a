import EventLoop
import HTTPClient
import Synchronization
import Syntax

/// Runs a test with a client on a loop of its own, and ends both.
func withClient(
    limits: HTTPClientLimits = HTTPClientLimits(), _ body: (HTTPClient) async throws -> Void
) async throws {
    let loop = try EventLoop(label: "client")
    loop.start()
    let client = HTTPClient(loop: loop, limits: limits)
    defer { loop.stop() }
    do {
        try await body(client)
        await client.shutDown()
    } catch {
        await client.shutDown()
        throw error
    }
}

extension OutboundPolicy {
    /// What tests need: servers on this machine.
    static let local = OutboundPolicy(
        caFile: nil, allowsPrivateAddresses: true, connectionsPerHost: 0, maximumBodyBytes: 1 << 20,
        connectTimeout: .seconds(30))

    func with(_ change: (inout OutboundPolicy) -> Void) -> OutboundPolicy {
        var policy = self
        change(&policy)
        return policy
    }
}

extension OutboundRequest {
    static func get(
        _ text: String, headers: [(name: String, value: String)] = [], timeout: Duration = .seconds(30),
        policy: OutboundPolicy = .local
    ) throws -> OutboundRequest {
        OutboundRequest(
            method: .get, url: try EndpointURL(text, allowLoopbackHTTP: true), headers: headers, timeout: timeout,
            policy: policy)
    }

    static func get(
        _ server: ScriptedServer, _ path: String = "/", headers: [(name: String, value: String)] = [],
        timeout: Duration = .seconds(30), policy: OutboundPolicy = .local
    ) throws -> OutboundRequest {
        try .get("http://127.0.0.1:\(server.port)\(path)", headers: headers, timeout: timeout, policy: policy)
    }

    static func post(
        _ server: ScriptedServer, _ body: String, timeout: Duration = .seconds(30), finishesWhenCancelled: Bool = false
    ) throws -> OutboundRequest {
        OutboundRequest(
            method: .post, url: try EndpointURL("http://127.0.0.1:\(server.port)/token", allowLoopbackHTTP: true),
            body: Array(body.utf8), timeout: timeout, policy: .local, finishesWhenCancelled: finishesWhenCancelled)
    }
}

extension OutboundResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// Something that happens once, and that tasks and threads can wait for.
final class Signal: Sendable {
    private let state = Mutex<(happened: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func happen() {
        let waiting = state.withLock { state in
            state.happened = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let happened = state.withLock { state in
                if !state.happened { state.waiting.append(continuation) }
                return state.happened
            }
            if happened { continuation.resume() }
        }
    }
}
