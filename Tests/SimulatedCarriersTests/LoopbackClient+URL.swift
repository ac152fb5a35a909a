import HTTPTesting

/// Asks the simulation by URL; what it answers may be cut short.
extension LoopbackClient {
    static func ask(
        _ method: String, _ url: String, headers: [(String, String)] = [], body: String = ""
    ) throws -> HTTPTestAnswer {
        let target = url.dropFirst("http://".count).drop { $0 != "/" }
        let hasBody = !body.isEmpty || method == "POST"
        return try LoopbackClient(url: url).ask(
            HTTPTestRequest(
                method, target.isEmpty ? "/" : String(target), headers: headers, body: hasBody ? Array(body.utf8) : nil)
        )
    }

    static func get(_ url: String, headers: [(String, String)] = []) throws -> HTTPTestAnswer {
        try ask("GET", url, headers: headers)
    }

    static func post(
        _ url: String, _ fields: [(String, String)] = [], headers: [(String, String)] = []
    ) throws -> HTTPTestAnswer {
        try ask(
            "POST", url, headers: headers + [("Content-Type", "application/x-www-form-urlencoded")],
            body: FormText.encode(fields))
    }
}

extension HTTPTestConnection {
    /// - Parameter url: `http://127.0.0.1:PORT`.
    convenience init(to url: String, patienceSeconds: Int32 = 20) throws {
        try self.init(to: LoopbackClient.port(of: url), patienceSeconds: patienceSeconds)
    }

    /// Asks for a document, and for nothing behind it.
    func ask(for path: String) { write(HTTPTestRequest("GET", path).bytes(to: "127.0.0.1")) }
}
