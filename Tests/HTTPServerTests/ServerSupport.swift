import EventLoop
import Foundation
import HTTPServer
import HTTPTesting
import Synchronization
import Testing

/// Answers with a closure; refusals carry their sentence.
final class TestHandler: RequestHandler {
    let commonFields: [(name: String, value: String)] = []
    let transportFields: [(name: String, value: String)] = []
    private let answer: @Sendable (HTTPRequest) async -> HTTPResponse

    init(_ answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse) {
        self.answer = answer
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse { await answer(request) }

    func refuse(_ violation: ProtocolError, requestID: String, peer: SocketAddress) -> HTTPResponse {
        HTTPResponse(status: violation.status, body: Array("refused".utf8))
    }
}

/// `METHOD path body`, as plain text.
@Sendable func echo(_ request: HTTPRequest) async -> HTTPResponse {
    let line = "\(request.method.rawValue) \(request.path) \(String(decoding: request.body, as: UTF8.self))"
    return HTTPResponse(status: .ok, body: Array(line.utf8))
}

extension HTTPServerLimits {
    /// For tests of something else than deadlines: hundreds of tests share few threads, so seconds mean nothing.
    static let patient = HTTPServerLimits(
        headerTimeout: .seconds(120), bodyTimeout: .seconds(120), writeTimeout: .seconds(120),
        lingerTimeout: .seconds(120), firstRequestGrace: .seconds(120))

    static func patient(maximumConnections: Int) -> HTTPServerLimits {
        var limits = patient
        limits.maximumConnections = maximumConnections
        return limits
    }
}

/// Runs `body` against a server that listens on a port of the kernel's choice, and drains it afterwards.
func withServer(
    _ limits: HTTPServerLimits = .patient, loops count: Int = 1,
    answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse = echo,
    _ body: (HTTPServer) async throws -> Void
) async throws {
    let loops = try (0..<count).map { try EventLoop(label: "test \($0)") }
    for loop in loops { loop.start() }
    defer { for loop in loops { loop.stop() } }
    let handler = TestHandler(answer)
    let server = try HTTPServer(host: "127.0.0.1", port: 0, loops: loops, limits: limits) { _, _ in handler }
    try await server.start()
    do {
        try await body(server)
    } catch {
        await server.drain(within: .zero)
        throw error
    }
    await server.drain(within: .zero)
}

/// Something that happens once, and the tasks that wait for it.
final class Event: Sendable {
    private let state = Mutex<(happened: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func happen() {
        let waiting = state.withLock { state in
            defer { state = (true, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    var hasHappened: Bool { state.withLock { $0.happened } }

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

/// Waits until a condition holds.
func eventually(_ condition: () async -> Bool) async -> Bool {
    for _ in 0..<6000 {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(10))
    }
    return false
}

func get(_ path: String, _ fields: String...) -> String {
    "GET \(path) HTTP/1.1\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
}
