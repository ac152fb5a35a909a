/// Asks over a socket, each time on a connection of its own that is read to its end.
public struct LoopbackClient: HTTPTestClient {
    private let port: UInt16

    public init(port: UInt16) {
        self.port = port
    }

    /// - Parameter url: `http://127.0.0.1:PORT…`; what follows the port is not looked at.
    /// - Throws: ``HTTPTestError/noConnection`` where it names no port.
    public init(url: String) throws(HTTPTestError) {
        try self.init(port: Self.port(of: url))
    }

    public static func port(of url: String) throws(HTTPTestError) -> UInt16 {
        let authority = url.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" }
        guard let port = UInt16(authority.split(separator: ":").last ?? "") else { throw .noConnection }
        return port
    }

    /// - Throws: ``HTTPTestError``, also for an answer that is cut short.
    public func answer(to request: HTTPTestRequest) async throws -> HTTPTestAnswer {
        try await answer(to: bytes(of: request))
    }

    /// Sends bytes as they are.
    public func answer(to bytes: [UInt8]) async throws -> HTTPTestAnswer {
        let answer = try await blocking { try ask(bytes) }
        guard answer.isWhole else { throw HTTPTestError.noAnswer(answer.text) }
        return answer
    }

    public func send(
        _ method: String, _ target: String, headers: [String: String] = [:], body: [UInt8]? = nil
    ) async throws -> HTTPTestAnswer {
        try await answer(
            to: HTTPTestRequest(method, target, headers: headers.map { ($0.key, $0.value) }, body: body))
    }

    /// Blocks its thread; an answer may be cut short.
    public func ask(_ request: HTTPTestRequest) throws(HTTPTestError) -> HTTPTestAnswer { try ask(bytes(of: request)) }

    public func bytes(of request: HTTPTestRequest) -> [UInt8] { request.bytes(to: "127.0.0.1:\(port)") }

    private func ask(_ bytes: [UInt8]) throws(HTTPTestError) -> HTTPTestAnswer {
        let connection = try HTTPTestConnection(to: port, patienceSeconds: 30)
        // Who refuses a request may do so before it has read all of it.
        connection.write(bytes)
        return try connection.readLastAnswer()
    }
}
