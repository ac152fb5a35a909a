import EventLoop
import HTTPServer
import JOSE
import JSON
import Syntax

/// An OpenID Provider on a port of the kernel's choice, which does what a module's script says.
struct ScriptedProvider {
    static let clientID = "conformance-client"
    static let clientSecret = "secret-of-the-conformance-client"
    static let subject = "subject-of-diana"
    static let email = "diana@example.org"

    let issuer: String
    let record = ProviderRecord()
    let port: UInt16
    private let tokens: SignedTokens
    private let server: HTTPServer
    private let loop: EventLoop

    init(_ script: ProviderScript) async throws {
        let loop = try EventLoop(label: "scripted provider")
        loop.start()
        let record = record
        let server = try HTTPServer(host: "127.0.0.1", port: 0, loops: [loop], limits: HTTPServerLimits()) {
            _, address in
            ProviderEndpoints(SignedTokens(issuer: Self.issuer(address.port), script: script, record: record))
        }
        port = server.address.port
        issuer = Self.issuer(port)
        tokens = SignedTokens(issuer: issuer, script: script, record: record)
        (self.server, self.loop) = (server, loop)
        try await server.start()
    }

    func stop() async {
        await server.drain(within: .zero)
        loop.stop()
    }

    /// A logout token for the user's sessions (OpenID Connect Back-Channel Logout 1.0 §2.4).
    func logoutToken(_ module: LogoutModule) throws -> String { try tokens.logoutToken(module) }

    private static func issuer(_ port: UInt16) -> String { "http://127.0.0.1:\(port)" }
}
