import Foundation
import GatehouseClient
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A real Gatehouse with a simulated provider, as programs of their own, on ports that are free.
final class Service: @unchecked Sendable {
    // Unchecked: nothing changes once it is made.
    let url: URL
    private let provider: String
    private let folder: URL
    private let programs: [Process]

    struct Failure: Error {
        let words: String
    }

    init() async throws {
        let binaries = try #require(
            ProcessInfo.processInfo.environment["GATEHOUSE_BINARIES"],
            "GATEHOUSE_BINARIES names the folder of gatehouse and carrier-simulator: use scripts/check-app-clients")
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("client-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let simulator = try Self.start(
            "\(binaries)/carrier-simulator", ["--host", "127.0.0.1", "--port", "0"], folder, log: "simulator")
        let provider = try await Self.line(#"listening auth0 (\S+)"#, folder, log: "simulator")
        self.provider = provider
        let file = folder.appendingPathComponent("gatehouse.yaml")
        try Data(
            """
            http: {host: 127.0.0.1, port: 0, lameDuckSeconds: 0}
            admin: {host: 127.0.0.1, port: 0}
            storage: {url: 'file:\(folder.path)/users.db'}
            rateLimit: {signInsPerMinutePerAddress: 0}
            providers: [auth0, other]
            provider:
              auth0: &section
                profile: auth0
                issuer: '\(provider)/'
                clientID: gatehouse-auth0
                clientSecret: demo-secret-auth0
                redirectURIs: ['com.example.app:/callback']
                audiences: [gatehouse-auth0-app]
                nativeNonce: raw
                freshness: challenge
                allowLoopbackHTTP: true
              other:
                profile: okta
                issuer: '\(provider.replacingOccurrences(of: "auth0", with: "okta"))/oauth2/default'
                clientID: gatehouse-okta
                clientSecret: demo-secret-okta
                redirectURIs: ['com.example.app:/callback']
                audiences: [gatehouse-okta-app]
                nativeNonce: raw
                freshness: challenge
                allowLoopbackHTTP: true
            """.replacingOccurrences(of: " &section", with: "").utf8
        ).write(to: file)
        let gatehouse = try Self.start(
            "\(binaries)/gatehouse", ["serve", "--config", file.path], folder, log: "gatehouse")
        programs = [gatehouse, simulator]
        let port = try await Self.line(#" listening address=127\.0\.0\.1:(\d+)"#, folder, log: "gatehouse")
        url = try #require(URL(string: "http://127.0.0.1:\(port)"))
    }

    func stop() {
        for program in programs {
            program.terminate()
            program.waitUntilExit()
        }
        try? FileManager.default.removeItem(at: folder)
    }

    private static func start(_ path: String, _ arguments: [String], _ folder: URL, log: String) throws -> Process {
        let file = folder.appendingPathComponent(log)
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        let program = Process()
        program.executableURL = URL(fileURLWithPath: path)
        program.arguments = arguments
        program.standardOutput = try FileHandle(forWritingTo: file)
        program.standardError = program.standardOutput
        try program.run()
        return program
    }

    private static func line(_ pattern: String, _ folder: URL, log: String) async throws -> String {
        let expression = try NSRegularExpression(pattern: pattern)
        let file = folder.appendingPathComponent(log)
        for _ in 0..<1_000 {
            let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            let found = expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text))
            if let found, let range = Range(found.range(at: 1), in: text) { return String(text[range]) }
            try await Task.sleep(nanoseconds: 20_000_000)
        }
        throw Failure(words: "\(log) does not say where it listens")
    }

    /// What the provider's SDK gives to the app.
    func evidence(_ subscriber: String = "ada", at name: String = "auth0") async throws -> Evidence {
        let path = provider.replacingOccurrences(of: "auth0", with: name)
        var request = URLRequest(url: try #require(URL(string: "\(path)/native")))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        // What its user just did is shown by our own nonce: these providers tell no time of authentication.
        let nonce = try await challenge()
        request.httpBody = try JSONSerialization.data(withJSONObject: [
            "client_id": "gatehouse-\(name)-app", "login_hint": subscriber, "nonce": nonce,
        ])
        let answer = try await URLSessionTransport().send(request)
        let object = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
        let token = try #require(object?["id_token"] as? String, "\(answer.response.statusCode)")
        return .idToken(token, nonce: nonce, accessToken: object?["access_token"] as? String)
    }

    private func challenge() async throws -> String {
        var request = URLRequest(url: url.appendingPathComponent("auth/challenge"))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data("{}".utf8)
        let answer = try await URLSessionTransport().send(request)
        let object = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
        return try #require(object?["nonce"] as? String, "\(answer.response.statusCode)")
    }
}
