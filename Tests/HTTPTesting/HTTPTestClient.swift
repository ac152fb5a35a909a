public import JSON

/// A request of a test: one that HTTP knows, or one that it does not.
public struct HTTPTestRequest: Sendable {
    public var method: String
    /// A path, with its query where it has one.
    public var target: String
    public var headers: [(String, String)]
    /// Nil sends no Content-Length.
    public var body: [UInt8]?

    public init(_ method: String, _ target: String, headers: [(String, String)] = [], body: [UInt8]? = nil) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// The request as it is sent; the only one of its connection, or one of several.
    public func bytes(to host: String, isLast: Bool = true) -> [UInt8] {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n"
        if isLast { head += "Connection: close\r\n" }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        return Array("\(head)\r\n".utf8) + (body ?? [])
    }
}

/// Who asks in a test: over a socket (``LoopbackClient``), or in memory, where nothing but the test can fail.
public protocol HTTPTestClient: Sendable {
    associatedtype Failure: Error

    func answer(to request: HTTPTestRequest) async throws(Failure) -> HTTPTestAnswer
}

extension HTTPTestClient {
    public func post(
        _ path: String, json: JSONValue, headers: [(String, String)] = []
    ) async throws(Failure) -> HTTPTestAnswer {
        try await answer(
            to: HTTPTestRequest(
                "POST", path, headers: [("Content-Type", "application/json")] + headers, body: json.serialized))
    }

    public func post(
        _ path: String, form: String, headers: [(String, String)] = []
    ) async throws(Failure) -> HTTPTestAnswer {
        try await answer(
            to: HTTPTestRequest(
                "POST", path, headers: [("Content-Type", "application/x-www-form-urlencoded")] + headers,
                body: Array(form.utf8)))
    }
}
