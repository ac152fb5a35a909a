import Accounts
import Apps
import Crypto
import EventLoop
import HTTPServer
import HTTPTesting
import JSON
import Logging
import Providers
import SignIn
import Syntax
internal import System
import Telemetry
import TestSupport
import Testing

@testable import WebAPI

/// The API for operators over a stage, asked in memory.
final class AdminStage: Sendable {
    static let token = "the-admin-token"

    let stage: SignInStage
    let plain = Provider(.plain(named: "plain"))
    let readiness: ServiceReadiness
    let api: AdminAPI
    let log = RecordedLog()
    let metrics = MetricRegistry()

    /// - Parameters:
    ///   - token: of the operator `admin`; nil: the listener is on loopback, and nobody has one but `operators`.
    ///   - operators: who has tokens besides.
    ///   - roleOnLoopback: of callers on this machine where nobody has a token.
    ///   - demandsReasons: whether looks at a person take a reason.
    ///   - more: providers besides the stage's, `plain` among them when nil.
    init(
        token: String? = AdminStage.token, operators: [Operators.Entry] = [],
        roleOnLoopback: OperatorRole = .operator, demandsReasons: Bool = false, more: [Provider]? = nil
    ) async throws {
        stage = try await SignInStage()
        readiness = ServiceReadiness(
            repository: stage.repository, clock: stage.clock, firstPatience: .seconds(60))
        api = AdminAPI(
            repository: stage.repository, readiness: readiness, pulse: LoopPulse([]),
            providers: [stage.provider] + (more ?? [plain]),
            apps: AppRegistry([], resourceServers: []),
            operators: Operators(
                operators
                    + (token.map {
                        [Operators.Entry(name: "admin", token: Secret($0), roles: [.operator], expiresAt: nil)]
                    } ?? []), roleOnLoopback: roleOnLoopback),
            demandsReasons: demandsReasons, limits: .each(0), version: "0.0.0", wings: .ofTests,
            observers: .none, metrics: metrics, clock: stage.clock, logger: log.logger(.trace))
    }

    /// Asks, and holds every answer against the document.
    func send(
        _ method: HTTPMethod, _ path: String, query: String? = nil,
        headers: [(String, String)] = bearer(AdminStage.token), json: JSONValue? = nil
    ) async -> HTTPTestAnswer {
        var response = await api.respond(
            to: HTTPRequest(
                method: method, path: path, query: query, headers: headers, body: json?.serialized ?? [],
                peer: SocketAddress(address: IPAddress(v4: 0x7F00_0001), port: 50_000),
                id: "request-1", receivedAt: .now))
        if response.hasCommonFields { response.headers += api.commonFields }
        let answer = HTTPTestAnswer(response)
        for problem in DocumentedAnswers.ofOperators.problems(method, path, answer) {
            Issue.record("\(problem) \(answer.text)")
        }
        return answer
    }

    /// Lets a user say something of themselves.
    func edit(_ user: UserID, _ name: String, _ value: String) async throws {
        let subject = try await stage.repository.identities(of: user).map(\.subject)[0]
        var record = Sample.signIn(subject, attributes: [:])
        record.draft.provider = "plain"
        _ = try await stage.repository.signIn(record)
        _ = try await stage.repository.editProfile(
            under: record.session.id, [ProfileEdit(name, value)], demands: Sample.demands, now: Sample.now)
    }

    /// Users from elsewhere, numbered from 1 on as the store is empty; each has one identity at the plain provider.
    func populate(_ count: Int) async throws {
        let users = (1...count).map { number in
            ImportedUser(
                reference: "reference-\(number)", profile: Profile(carrier: ["email": "user\(number)@example.com"]),
                createdAt: Int64(number),
                identities: [
                    ImportedUser.Identity(
                        provider: "plain", subject: Subject.plain("secret-subject-\(number)"), emailStoppedAt: nil)
                ])
        }
        _ = try await stage.repository.importUsers(users, now: stage.now)
    }
}

extension Subject {
    static func plain(_ value: String) -> Subject { Subject(issuer: "https://id.plain.example", value: value) }
}

extension ProviderConfiguration {
    /// A plain OpenID Provider.
    static func plain(named name: String) -> ProviderConfiguration {
        var configuration = ProviderConfiguration.zenkey()
        configuration.name = name
        configuration.issuerSource = .configured(issuer: "https://id.plain.example")
        return configuration
    }
}
