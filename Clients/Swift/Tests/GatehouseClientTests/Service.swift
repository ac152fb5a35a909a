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
    /// Where the carrier listens that serves the network 310410, and where the plain OpenID Provider does.
    private let carrier: String
    private let plain: String
    private let folder: URL
    private let gatehouse: String
    private let programs: [Process]

    struct Failure: Error {
        let words: String
    }

    /// - Parameter registration: what becomes of somebody unknown: `automatic` or `ticket`.
    init(registration: String = "automatic") async throws {
        let binaries = try #require(
            ProcessInfo.processInfo.environment["DEV_BINARIES"],
            "DEV_BINARIES names the folder of gatehouse and carrier-simulator: use scripts/check-app-clients")
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("client-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let simulator = try Self.start(
            "\(binaries)/carrier-simulator",
            [
                "--host", "127.0.0.1", "--port", "0", "--redirect-uri",
                "https://\(Self.publicHost)/auth/plain/callback",
            ], folder, log: "simulator")
        let provider = try await Self.line(#"listening auth0 (\S+)"#, folder, log: "simulator")
        let discovery = try await Self.line(#"listening discovery (\S+)"#, folder, log: "simulator")
        self.provider = provider
        carrier = try await Self.line(#"listening aurora (\S+)"#, folder, log: "simulator")
        plain = try await Self.line(#"listening plain (\S+)"#, folder, log: "simulator")
        let file = folder.appendingPathComponent("gatehouse.yaml")
        try Data(
            """
            http: {host: 127.0.0.1, port: 0, lameDuckSeconds: 0}
            admin: {host: 127.0.0.1, port: 0}
            storage: {url: 'file:\(folder.path)/users.db'}
            rateLimit: {signInsPerMinutePerAddress: 0}
            session: {issuer: 'https://\(Self.publicHost)'}
            registration: \(registration)
            providers: [auth0, other, zenkey, plain]
            apps: [shop]
            app:
              shop:
                clientID: shop-ios
                redirectURIs: ['https://shop.example/cb']
                providers: [plain]
                scopes: [openid, profile, email, offline_access, account.read, account.identities, transactions]
            provider:
              auth0:
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
              zenkey:
                profile: zenkey
                discoveryURL: \(discovery)
                clientID: ccid-0123456789abcdef
                clientSecret: demo-secret
                redirectURIs: ['ccid-0123456789abcdef://com.xci.provider.sdk']
                trustedIssuers: ['127.0.0.1']
                allowLoopbackHTTP: true
              plain:
                profile: openid
                issuer: \(plain)
                clientID: gatehouse-demo
                clientSecret: demo-secret-plain
                redirectURIs: ['com.example.app:/callback']
                algorithms: [RS256, ES256]
                allowLoopbackHTTP: true
            """.utf8
        ).write(to: file)
        gatehouse = "\(binaries)/gatehouse"
        let server = try Self.start(gatehouse, ["serve", "--config", file.path], folder, log: "gatehouse")
        programs = [server, simulator]
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

    /// Has the operator lock a user.
    func lock(_ user: Int64) async throws {
        let program = try Self.start(
            gatehouse, ["users", "lock", "\(user)", "--config", folder.appendingPathComponent("gatehouse.yaml").path],
            folder, log: "lock")
        program.waitUntilExit()
        #expect(program.terminationStatus == 0)
    }

    /// What the provider's SDK gives to the app.
    ///
    /// - Parameter isFresh: whether the nonce is one of the service's, which shows that the user was asked just now:
    ///   these providers tell no time of authentication.
    func evidence(
        _ subscriber: String = "ada", at name: String = "auth0", isFresh: Bool = true
    ) async throws -> Evidence {
        let path = provider.replacingOccurrences(of: "auth0", with: name)
        let nonce = isFresh ? try await challenge() : "drawn by the app"
        let answer = try await Self.post(
            "\(path)/native", ["client_id": "gatehouse-\(name)-app", "login_hint": subscriber, "nonce": nonce])
        let token = try #require(answer["id_token"] as? String)
        return .idToken(token, nonce: nonce, accessToken: answer["access_token"] as? String)
    }

    private func challenge() async throws -> String {
        try #require(try await Self.post("\(url.absoluteString)/auth/challenge", [:])["nonce"] as? String)
    }

    private static func post(_ address: String, _ members: [String: String]) async throws -> [String: Any] {
        var request = URLRequest(url: try #require(URL(string: address)))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONSerialization.data(withJSONObject: members)
        let answer = try await URLSessionTransport().send(request)
        return try #require(
            try JSONSerialization.jsonObject(with: answer.body) as? [String: Any], "\(answer.response.statusCode)")
    }
}

/// What comes by redirects.
extension Service {
    /// Where people believe the service to be.
    static let publicHost = "sign-in.example"
    static let redirectURI = "https://shop.example/cb"
    // RFC 7636 Appendix B.
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    /// What ZenKey's SDK gives to the app, once the user has approved a text at the carrier.
    func approval(of context: String, by subscriber: String) async throws -> Evidence {
        let (client, redirectURI) = ("ccid-0123456789abcdef", "ccid-0123456789abcdef://com.xci.provider.sdk")
        let back = try await location(
            "\(carrier)/authorize",
            [
                "response_type": "code", "client_id": client, "redirect_uri": redirectURI, "scope": "openid",
                "nonce": "of the approval", "code_challenge": Self.challenge, "code_challenge_method": "S256",
                "prompt": "none", "login_hint": subscriber, "context": context, "acr_values": "a3",
            ])
        return .code(
            try #require(Self.parameter("code", of: back)), redirectURI: redirectURI, codeVerifier: Self.verifier,
            network: "310410", nonce: "of the approval", issuer: Self.parameter("iss", of: back))
    }

    /// What comes back to the app, once a browser has been at the service and at the plain provider.
    func browserCode(
        of subscriber: String = "ada", scope: String = "openid offline_access account.read account.identities",
        _ others: [String: String] = [:]
    ) async throws -> BrowserCode {
        let asked = [
            "response_type": "code", "client_id": "shop-ios", "redirect_uri": Self.redirectURI, "scope": scope,
            "state": "of the app", "nonce": "of the app", "code_challenge": Self.challenge,
            "code_challenge_method": "S256",
        ]
        var cookie: String?
        var address = try await location(
            "\(url.absoluteString)/auth/authorize", asked.merging(others) { $1 }, cookie: &cookie)
        // What a person would do on the provider's page.
        address = try await location(address, ["prompt": "none", "login_hint": subscriber])
        let callback = address.replacingOccurrences(of: "https://\(Self.publicHost)", with: url.absoluteString)
        address = try await location(callback, [:], cookie: &cookie)
        let code = try #require(Self.parameter("code", of: address), "\(address)")
        return BrowserCode(
            code, clientID: "shop-ios", redirectURI: Self.redirectURI, codeVerifier: Self.verifier)
    }

    private func location(_ address: String, _ query: [String: String]) async throws -> String {
        var cookie: String?
        return try await location(address, query, cookie: &cookie)
    }

    /// Where a browser is sent on to.
    private func location(
        _ address: String, _ query: [String: String], cookie: inout String?
    ) async throws -> String {
        var components = try #require(URLComponents(string: address))
        if !query.isEmpty {
            let added = query.map { URLQueryItem(name: $0.key, value: $0.value) }
            components.queryItems = (components.queryItems ?? []) + added
        }
        var request = URLRequest(url: try #require(components.url))
        request.setValue(cookie, forHTTPHeaderField: "Cookie")
        let (body, response) = try await URLSessionTransport().send(request)
        if let set = response.value(forHTTPHeaderField: "Set-Cookie") {
            cookie = set.split(separator: ";").first.map(String.init)
        }
        return try #require(
            response.value(forHTTPHeaderField: "Location"), "\(String(decoding: body, as: UTF8.self))")
    }

    private static func parameter(_ name: String, of address: String) -> String? {
        URLComponents(string: address)?.queryItems?.first { $0.name == name }?.value
    }
}
