import Accounts
import Composition
import Crypto
import EventLoop
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import Syntax

/// A whole Gatehouse as the relying party of a scripted provider, over real sockets, in a folder of its own.
struct RelyingParty {
    /// What browsers call the service. Nothing listens there: each address is taken to where the service is.
    static let origin = "http://127.0.0.1:1"
    static let appID = "conformance-app"
    static let appSecret = "secret-of-the-conformance-app"
    /// How the app authenticates (RFC 6749 §2.3.1).
    static let appAuthorization = "Basic " + Base64.encode(Array("\(appID):\(appSecret)".utf8))
    static let appRedirectURI = "https://app.example/callback"
    private static let providerRedirectURI = "com.example.app:/cb"

    let provider: ScriptedProvider
    let keepsTokens: Bool
    private let server: Server

    /// Starts both, runs `body`, and stops both.
    ///
    /// - Parameters:
    ///   - settings: more YAML lines of the provider's section.
    ///   - keepsTokens: whether it keeps the provider's tokens for the app.
    static func with(
        _ script: ProviderScript, settings: [String] = [], keepsTokens: Bool = false,
        _ body: (RelyingParty) async throws -> Void
    ) async throws {
        let provider = try await ScriptedProvider(script)
        let folder = FileManager.default.temporaryDirectory.appending(path: "conformance-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let server: Server
        do {
            server = try await Server.start(
                yaml: yaml(provider.issuer, folder, settings, keepsTokens), log: RecordedLog())
        } catch {
            await provider.stop()
            throw error
        }
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(
                try await body(RelyingParty(provider: provider, keepsTokens: keepsTokens, server: server)))
        } catch {
            outcome = .failure(error)
        }
        await server.stop()
        await provider.stop()
        try outcome.get()
    }

    private static func yaml(
        _ issuer: String, _ folder: URL, _ settings: [String], _ keepsTokens: Bool
    ) -> String {
        // Tests begin at the same time, and the provider has a share of the same processors.
        let usual = ["algorithms: [RS256]", "timeoutSeconds: 60", "signInTimeoutSeconds: 60"]
        let keeping = keepsTokens ? ["keepTokens: true", "scopes: [openid, profile, email, offline_access]"] : []
        let changed = Set(settings.map { $0.prefix { $0 != ":" } })
        let section = usual.filter { !changed.contains($0.prefix { $0 != ":" }) } + settings + keeping
        return """
            http: {host: 127.0.0.1, port: 0, loops: 1, lameDuckSeconds: 0}
            admin: {port: 0, openOnLoopback: true}
            storage: {url: 'file:\(folder.path)/users.db'}
            session: {issuer: '\(origin)'}
            apps: [app]
            app:
              app:
                clientID: \(appID)
                secret: \(appSecret)
                redirectURIs: ['\(appRedirectURI)']
                idTokenAlgorithm: ES256
                providerTokens: [\(keepsTokens ? "op" : "")]
                scopes: [\(scope(keepsTokens).replacing(" ", with: ", "))]
            providers: [op]
            provider:
              op:
                profile: openid
                issuer: \(issuer)
                clientID: \(ScriptedProvider.clientID)
                clientSecret: \(ScriptedProvider.clientSecret)
                redirectURIs: ['\(providerRedirectURI)']
                allowLoopbackHTTP: true
            \(section.map { "    \($0)" }.joined(separator: "\n"))
            """
    }

    /// What the app asks a browser's sign-in for.
    static func scope(_ keepsTokens: Bool) -> String {
        "openid profile email" + (keepsTokens ? " account.read account.identities tokens" : "")
    }

    /// How many users have come of it.
    func users() async throws -> Int { try await server.repository.userCount() }

    func call(
        _ method: String, _ path: String, headers: [String: String] = [:], form: [String: String]? = nil
    ) async throws -> HTTPTestAnswer {
        var headers = headers
        if form != nil { headers["Content-Type"] = "application/x-www-form-urlencoded" }
        return try await LoopbackClient(port: server.address.port).send(
            method, path, headers: headers, body: form.map { Array(FormText.encode($0).utf8) })
    }

    /// Has a user approve at the provider, and posts the code as an app does.
    ///
    /// - Parameter request: more of what the app asks, of both.
    func postCode(_ request: [String: String]) async throws -> HTTPTestAnswer {
        let (verifier, nonce) = (Random.token(byteCount: 32), Random.token(byteCount: 16))
        let asked = [
            "client_id": ScriptedProvider.clientID, "response_type": "code", "redirect_uri": Self.providerRedirectURI,
            "scope": "openid profile email", "state": "of-the-app", "nonce": nonce,
            "code_challenge": Authorized.challenge(verifier), "code_challenge_method": "S256",
        ]
        let answer = try await provider.authorize(asked.merging(request) { $1 })
        var form = [
            "provider": "op", "redirect_uri": Self.providerRedirectURI, "code_verifier": verifier, "nonce": nonce,
        ]
        for name in ["code", "iss"] { form[name] = answer[name] }
        return try await call("POST", "/auth/signin", form: form.merging(request) { $1 })
    }
}

extension ScriptedProvider {
    /// Goes to the authorization endpoint, wherever the configuration says that it is.
    ///
    /// - Returns: what comes back to the redirect URI.
    func authorize(_ query: [String: String]) async throws -> URLComponents {
        let client = LoopbackClient(port: port)
        let metadata = try await client.send("GET", ProviderRecord.Endpoint.configuration.rawValue)
        let endpoint = try URLComponents(metadata["authorization_endpoint"]?.string)
        return try await follow(endpoint.path + "?" + FormText.encode(query))
    }

    /// - Returns: where the provider sends a browser.
    func follow(_ target: String) async throws -> URLComponents {
        try URLComponents(try await LoopbackClient(port: port).send("GET", target).header("location"))
    }
}

extension URLComponents {
    struct NoAddress: Error {}

    init(_ text: String?) throws {
        guard let components = text.flatMap({ URLComponents(string: $0) }) else { throw NoAddress() }
        self = components
    }

    /// The path with the query.
    var target: String { path + (percentEncodedQuery.map { "?\($0)" } ?? "") }

    subscript(name: String) -> String? { queryItems?.first { $0.name == name }?.value }
}
