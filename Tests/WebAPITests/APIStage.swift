import Accounts
import Apps
import Crypto
import EventLoop
import HTTPServer
import HTTPTesting
import JSON
import Logging
import Pages
import Providers
import Settings
import SignIn
import Synchronization
import Syntax
internal import System
import Telemetry
import TestSupport
import Testing

@testable import WebAPI
@testable import Wings

extension HTTPTestAnswer {
    init(_ response: HTTPResponse) {
        self.init(
            status: response.status.code, headers: response.headers.map { ($0.name, $0.value) }, body: response.body,
            isCompressible: response.isCompressible)
    }
}

/// The API over a stage, asked in memory.
final class APIStage: HTTPTestClient {
    static let hstsSeconds = 3600

    let stage: SignInStage
    let api: WebAPI
    let log = RecordedLog()
    let failedSignIns = FailedSignInCounter()
    let metrics = MetricRegistry()
    private let seen = Mutex<Set<String>>([])

    /// - Parameter repository: as of ``SignInStage``.
    init(
        in repository: (any AccountRepository)? = nil,
        apiKeys: [String] = [], responses: ResponseShape = .flat, logLevel: Logger.Level = .trace, perMinute: Int = 0,
        registration: RegistrationMode = .automatic, apps: AppRegistry = AppRegistry([], resourceServers: []),
        others: [ProviderConfiguration] = [],
        associationFiles: AssociationFiles = AssociationFiles(apple: nil, android: nil),
        wings: APIExtensions = .ofNewProcess, permissions: Permissions = .everything, splitsAudiences: Bool = false,
        trustedProxies: [AddressRange] = [],
        _ change: (inout ProviderConfiguration) -> Void = { _ in }
    ) async throws {
        stage = try await SignInStage(
            in: repository, registration: registration, apps: apps, others: others, permissions: permissions,
            splitsAudiences: splitsAudiences, change)
        api = WebAPI(
            providers: stage.providers, useCases: stage.useCases, apps: apps, branding: Branding(name: "Acme Telecom"),
            associationFiles: associationFiles,
            apiKeys: APIKeys(apiKeys.map { APIKey(Secret($0), responses: responses) }),
            limits: .each(perMinute, behind: trustedProxies),
            documentation: Documentation(version: "0.0.0", baseURL: nil, wings: wings), wings: wings,
            hstsSeconds: Self.hstsSeconds, failedSignIns: failedSignIns,
            metrics: metrics, logger: log.logger(logLevel))
    }

    /// Every kind of answer that was seen, as ``name(_:_:_:)`` calls it.
    var seenAnswers: Set<String> { seen.withLock(\.self) }

    /// One kind of answer of one operation, such as `signIn 401 invalid_grant`.
    static func name(_ operation: String, _ status: Int, _ code: String?) -> String {
        "\(operation) \(status)" + (code.map { " " + $0 } ?? "")
    }

    /// Asks, and holds every answer against the document.
    func send(
        _ method: HTTPMethod, _ path: String, query: String? = nil, headers: [(String, String)] = [],
        body: [UInt8] = []
    ) async -> HTTPTestAnswer {
        var response = await api.respond(to: .sample(method, path, query: query, headers: headers, body: body))
        await response.watcher?.wasTaken()
        if response.hasCommonFields { response.headers += api.commonFields }
        response.headers += api.transportFields
        let answer = HTTPTestAnswer(response)
        for problem in DocumentedAnswers.ofApps.problems(method, path, answer) {
            Issue.record("\(problem) \(answer.text)")
        }
        if let operation = DocumentedAnswers.ofApps.operation(method, path) {
            seen.withLock {
                $0.insert(Self.name(operation.id, answer.status, answer.error))
                // What is told otherwise than errors of the API is not told apart by code.
                $0.insert(Self.name(operation.id, answer.status, nil))
            }
        }
        return answer
    }

    func answer(to request: HTTPTestRequest) async -> HTTPTestAnswer {
        let parts = request.target.split(separator: "?", maxSplits: 1).map { String($0) }
        let method = HTTPMethod(rawValue: request.method)
        if method == nil { Issue.record("in memory nothing asks with \(request.method)") }
        return await send(
            method ?? .get, parts[0], query: parts.count > 1 ? parts[1] : nil,
            headers: request.headers, body: request.body ?? [])
    }

    func patch(_ path: String, _ json: JSONValue, _ token: String) async -> HTTPTestAnswer {
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

    func signIn(_ changes: [(String, JSONValue?)] = []) async -> HTTPTestAnswer {
        await post("/auth/zenkey-signin", json: Self.authorized(changes))
    }

    func signedIn() async throws -> (token: String, refreshToken: String) {
        let body = await signIn().json
        guard let token = body["token"]?.string, let refreshToken = body["refresh_token"]?.string else {
            throw StageError.notSignedIn
        }
        return (token, refreshToken)
    }
}

extension AddressLimits {
    /// The same for everything.
    static func each(_ perMinute: Int, behind proxies: [AddressRange] = []) -> AddressLimits {
        AddressLimits(
            Dictionary(
                uniqueKeysWithValues: [
                    .signIns, .challenges, .failedRefreshes, .failedAdminTokens, .authorizations, .pushes, .signUps,
                    .keys,
                    .failedLongSecrets,
                ].map { ($0, perMinute) }),
            clientAddress: ClientAddress(header: .xForwardedFor, trustedProxies: proxies))
    }
}

extension APIExtensions {
    /// Those of this service, as the documents have them.
    static let ofTests = ofNewProcess

    /// Those of this service where nothing is configured, with nothing that they remember.
    static var ofNewProcess: APIExtensions {
        APIExtensions(Wing.all.map { $0.open(Settings(wings: Wing.all.map(\.settings)), .none).api })
    }
}

enum StageError: Error { case notSignedIn }

func bearer(_ token: String) -> [(String, String)] { [("Authorization", "Bearer " + token)] }

extension HTTPRequest {
    static func sample(
        _ method: HTTPMethod, _ path: String, query: String? = nil, headers: [(String, String)] = [],
        body: [UInt8] = []
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, path: path, query: query, headers: headers, body: body,
            peer: SocketAddress(address: IPAddress(v4: 0xC000_0201), port: 50_000),
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
