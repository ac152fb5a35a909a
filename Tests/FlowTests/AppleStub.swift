import Crypto
import EventLoop
import Foundation
import HTTPServer
import JOSE
import JSON
import Synchronization
import Syntax
import System
import Testing

@testable import Composition
@testable import Operations

/// Apple as far as a move to another team goes: it signs in the user that a code names, and tells by what users will be
/// known.
final class AppleStub: Sendable {
    static let keyID = "apple-1"
    static let clientID = "com.example.app"

    /// What it does with questions about users.
    struct Behaviour: Sendable {
        /// The users of whom it tells nothing.
        var refused: Set<String> = []
        /// After so many answers it is out of order.
        var breaksAfter = Int.max
        /// What it says of every client.
        var clientError: String?
    }

    private struct State {
        var behaviour = Behaviour()
        var asked: [String] = []
        var answered = 0
        var secrets: [String] = []
    }

    private let key: PrivateKey
    private let signer: JWTSigner
    private let loop: EventLoop
    private let state = Mutex(State())
    private let bound = Mutex<HTTPServer?>(nil)

    init() async throws {
        key = try PrivateKey.generate(.rsa(bits: 2048))
        signer = try JWTSigner(key: key, algorithm: .rs256, type: "JWT", keyID: Self.keyID)
        loop = try EventLoop(label: "apple")
        loop.start()
        let server = try HTTPServer(host: "127.0.0.1", port: 0, loops: [loop], limits: HTTPServerLimits()) { _, _ in
            Handler(stub: self)
        }
        bound.withLock { $0 = server }
        try await server.start()
    }

    func stop() async {
        await bound.withLock { $0 }?.drain(within: .zero)
        bound.withLock { $0 = nil }
        loop.stop()
    }

    var issuer: String { "http://127.0.0.1:\(bound.withLock { $0?.address.port } ?? 0)" }

    func behave(_ change: (inout Behaviour) -> Void) { state.withLock { change(&$0.behaviour) } }

    /// About whom it was asked, in any order within a page, since the last time.
    func takeAsked() -> [String] {
        state.withLock { state in
            defer { state.asked = [] }
            return state.asked.sorted()
        }
    }

    /// What must stand in nobody's output: subjects and what they are exchanged for begin so, and so does the token.
    static let secrets = ["person-", "transfer-", "the-migration-token", "PRIVATE"]

    private struct Handler: RequestHandler {
        let commonFields: [(name: String, value: String)] = []
        let transportFields: [(name: String, value: String)] = []
        let stub: AppleStub

        func respond(to request: HTTPRequest) async -> HTTPResponse { stub.respond(to: request) }

        func refuse(_ violation: ProtocolError, requestID: String, peer: SocketAddress) -> HTTPResponse {
            HTTPResponse(status: violation.status)
        }
    }

    private func respond(to request: HTTPRequest) -> HTTPResponse {
        let form = (try? FormFields(parsing: request.body.span, limit: 16))?.fields ?? []
        let fields = Dictionary(form.map { ($0.name, $0.value) }) { first, _ in first }
        let answer: JSONValue? =
            switch request.path {
            case "/.well-known/openid-configuration": metadata
            case "/auth/keys": ["keys": [.object(key.publicKey.jwk(keyID: Self.keyID, algorithm: .rs256))]]
            case "/auth/token": token(fields)
            case "/auth/usermigrationinfo": transfer(fields, request.header("authorization"))
            default: nil
            }
        guard let answer else { return HTTPResponse(status: .notFound) }
        let status: HTTPStatus =
            switch answer["error"]?.string {
            case nil: .ok
            case "server_error": .serviceUnavailable
            default: .badRequest
            }
        return HTTPResponse(
            status: status, headers: [("Content-Type", "application/json")], body: answer.serialized)
    }

    private var metadata: JSONValue {
        [
            "issuer": .string(issuer), "token_endpoint": .string(issuer + "/auth/token"),
            "jwks_uri": .string(issuer + "/auth/keys"),
            "authorization_endpoint": .string(issuer + "/auth/authorize"),
        ]
    }

    /// The team of the client secret: it has to be the one that the app leaves.
    private func team(of secret: String?) -> String? {
        guard let part = secret?.split(separator: ".").dropFirst().first,
            let bytes = Base64URL.decode(String(part))
        else { return nil }
        return (try? JSONValue(parsing: bytes.span))?["iss"]?.string
    }

    private func token(_ fields: [String: String]) -> JSONValue {
        if let error = state.withLock({ $0.behaviour.clientError }) { return ["error": .string(error)] }
        guard team(of: fields["client_secret"]) == "OLDTEAM001" || fields["grant_type"] == "authorization_code" else {
            return ["error": "invalid_client"]
        }
        if fields["grant_type"] == "client_credentials", fields["scope"] == "user.migration" {
            return ["access_token": "the-migration-token", "token_type": "Bearer", "expires_in": 3600]
        }
        // A code says who it is, and who that was before.
        let parts = (fields["code"] ?? "").split(separator: " ").map(String.init)
        let now = Int64(Date.now.timeIntervalSince1970)
        var claims = JSONObject([
            ("iss", .string(issuer)), ("aud", .string(Self.clientID)), ("iat", .integer(now)),
            ("auth_time", .integer(now)),
            ("exp", .integer(now + 600)),
        ])
        if let subject = parts.first { claims.append("sub", .string(subject)) }
        if parts.count > 2 { claims.append("transfer_sub", .string(parts[1])) }
        guard let idToken = try? signer.sign(JSONValue.object(claims).serialized) else {
            return ["error": "server_error"]
        }
        return ["access_token": "access", "token_type": "Bearer", "id_token": .string(idToken)]
    }

    private func transfer(_ fields: [String: String], _ authorization: String?) -> JSONValue {
        guard let subject = fields["sub"], fields["target"] == "NEWTEAM001",
            authorization == "Bearer the-migration-token", fields["client_id"] == Self.clientID,
            team(of: fields["client_secret"]) == "OLDTEAM001"
        else { return ["error": "invalid_request"] }
        return state.withLock { state in
            state.asked.append(subject)
            guard state.answered < state.behaviour.breaksAfter else { return ["error": "server_error"] }
            guard !state.behaviour.refused.contains(subject) else {
                return ["error": "invalid_request", "error_description": .string("no user \(subject)")]
            }
            state.answered += 1
            return ["transfer_sub": .string(subject.replacing("person", with: "transfer"))]
        }
    }
}
