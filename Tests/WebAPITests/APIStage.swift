import Crypto
import EventLoop
import HTTPServer
import JSON
import Logging
import Providers
import SignIn
import Synchronization
import TestSupport
import WebAPI

/// What the API answered, with its body read.
struct Answer {
    let response: HTTPResponse
    let body: JSONValue

    var status: Int { response.status.code }
    var error: String? { body["error"]?.string }
    func header(_ name: String) -> String? { response.headers.first { $0.name.lowercased() == name }?.value }
    var text: String { String(decoding: response.body, as: UTF8.self) }
}

/// The API over a stage, asked in memory.
final class APIStage: Sendable {
    let stage: SignInStage
    let api: WebAPI
    let log = RecordedLog()

    init(
        apiKeys: [String] = [], logLevel: Logger.Level = .trace,
        registration: SignInWithCode.Registration = .automatic,
        _ change: (inout ProviderConfiguration) -> Void = { _ in }
    ) async throws {
        stage = try await SignInStage(registration: registration, change)
        api = WebAPI(
            providers: ProviderDirectory([stage.provider]), useCases: stage.useCases,
            apiKeys: APIKeys(apiKeys.map { Secret($0) }), limiter: AddressLimiter(perMinute: 0),
            clientAddress: ClientAddress(read: { _ in nil }, isTrusted: { _ in false }),
            documentation: Documentation(version: "0.0.0", baseURL: nil), logger: log.logger(logLevel))
    }

    func send(
        _ method: HTTPMethod, _ path: String, headers: [(String, String)] = [], body: [UInt8] = []
    ) async -> Answer {
        var response = await api.respond(to: .sample(method, path, headers: headers, body: body))
        if response.hasCommonFields { response.headers += api.commonFields }
        return Answer(response: response, body: (try? JSONValue(parsing: response.body)) ?? .null)
    }

    func post(_ path: String, json: JSONValue, headers: [(String, String)] = []) async -> Answer {
        await send(.post, path, headers: [("Content-Type", "application/json")] + headers, body: json.serialized)
    }

    func post(_ path: String, form: String, headers: [(String, String)] = []) async -> Answer {
        await send(
            .post, path, headers: [("Content-Type", "application/x-www-form-urlencoded")] + headers,
            body: Array(form.utf8))
    }

    func patch(_ path: String, _ json: JSONValue, _ token: String) async -> Answer {
        await send(
            .patch, path, headers: bearer(token) + [("Content-Type", "application/merge-patch+json")],
            body: json.serialized)
    }

    /// What a stock app posts, changed.
    static func authorized(_ changes: [(String, JSONValue?)] = []) -> JSONValue {
        var body = JSONObject([("client_id", "ccid-0123456789abcdef")])
        for (name, value) in SignInStage.parameters.sorted(by: { $0.key < $1.key }) {
            body.append(name, .string(value))
        }
        for (name, value) in changes { body[setting: name] = value }
        return .object(body)
    }

    func signIn(_ changes: [(String, JSONValue?)] = []) async -> Answer {
        await post("/auth/zenkey-signin", json: Self.authorized(changes))
    }

    func signedIn() async throws -> (token: String, refreshToken: String) {
        let body = await signIn().body
        guard let token = body["token"]?.string, let refreshToken = body["refresh_token"]?.string else {
            throw StageError.notSignedIn
        }
        return (token, refreshToken)
    }
}

enum StageError: Error { case notSignedIn }

func bearer(_ token: String) -> [(String, String)] { [("Authorization", "Bearer " + token)] }

extension HTTPRequest {
    static func sample(
        _ method: HTTPMethod, _ path: String, headers: [(String, String)] = [], body: [UInt8] = []
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, path: path, headers: headers, body: body,
            peer: SocketAddress(bytes: .init(high: 0xC000_0201 << 32, low: 0), isIPv6: false, port: 50_000),
            id: "request-1",
            receivedAt: .now)
    }
}

/// Every line of the log, with all of its values.
final class RecordedLog: Sendable {
    struct Line: Sendable {
        let level: Logger.Level
        let message: String
        let values: [String: String]
    }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let values = (event.metadata ?? [:]).mapValues { "\($0)" }
            log.state.withLock { $0.append(Line(level: event.level, message: "\(event.message)", values: values)) }
        }
    }

    private let state = Mutex<[Line]>([])

    var lines: [Line] { state.withLock(\.self) }
    var text: String { lines.map { "\($0.level) \($0.message) \($0.values)" }.joined(separator: "\n") }
    var signIns: [Line] { lines.filter { $0.message == "sign-in" } }

    func logger(_ level: Logger.Level) -> Logger {
        Logger(label: "gatehouse") { _ in Handler(log: self, logLevel: level) }
    }
}
