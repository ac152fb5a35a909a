internal import Accounts
internal import Crypto
internal import HTTPServer
internal import JSON
internal import OpenAPI
package import Settings
internal import SignIn
internal import Synchronization
import System
internal import WebAPI
package import Wings

/// A wing as small as one can be, with one of everything that a wing may bring: what a newcomer adds is this folder,
/// and one line in a list.
extension Wing {
    package static let toy = Wing(ToySettings.self, tables: [ToyShouts.table]) { settings, _, _ in
        OpenWing(api: .toy(settings), limits: [.shouts: settings.perMinute]) { _ in
            settings.enabled
                ? [
                    HousekeepingJob(interval: .seconds(3600), complaint: "nobody shouted") {
                        ToyEndpoint.runs.add(1, ordering: .relaxed)
                    }
                ] : []
        }
    }
}

extension APIExtension {
    fileprivate static func toy(_ settings: ToySettings) -> APIExtension {
        var toy = APIExtension(isOn: { _ in settings.enabled }, operations: [ToyEndpoint.shout(settings)])
        toy.groups = [.toy]
        toy.requestSchemas = [
            ("Whisper", Schema.object("What is to be louder.", ["text": Schema.text("Any text.")]))
        ]
        toy.answerSchemas = [
            (
                "Shout",
                Schema.object(
                    "It, louder.",
                    ["text": Schema.text("In capitals."), "times": Schema.integer("How often in a minute.")])
            )
        ]
        toy.errors = [.tooLoud]
        return toy
    }
}

/// What the configuration says of it.
package struct ToySettings: WingSettings {
    var enabled = false
    var longest = 5
    var perMinute: Int? = 60

    package init() {}

    package static let keys: [SettingKey<Self>] = [
        SettingKey("toy.enabled", \.enabled, .flag, "Whether there is a toy."),
        SettingKey("toy.longest", \.longest, .number(1...100), "How long a whisper may be."),
        SettingKey(
            "rateLimit.shoutsPerMinutePerAddress", \.perMinute, .limit(upTo: 1000),
            "Shouts that one client address may ask for in a minute."),
    ]

    package var claimedPaths: ClaimedPaths? { nil }

    package func limitsAddresses(beside settings: Settings) -> Bool { enabled && perMinute != nil }

    package func notices(beside settings: Settings) -> [SettingsNotice] { [] }

    package func faults(beside settings: Settings) -> [SettingsError] {
        longest == 13 ? [SettingsError(.conflict, "toy.longest", value: "13", expected: "a lucky number")] : []
    }
}

/// `POST /toy/shout`: says a text louder.
struct ToyEndpoint: Sendable {
    private enum Parameter: String, ParameterNames {
        case text
    }

    private static let parameters = ParameterTable<Parameter>()
    /// How often the job has run.
    static let runs = Atomic(0)

    let longest: Int
    let limits: AddressLimits
    let shouts: ToyShouts
    let clock: Clock

    static func shout(_ settings: ToySettings) -> Operation<APIServices> {
        .keyless(
            .post, "/toy/shout",
            OperationDescription(
                id: "shout", tag: .toy, summary: "Say it louder", description: "In capitals.",
                body: .init(schema: "Whisper", example: ["text": "hello"]),
                successes: [
                    .init(
                        description: "It.", schema: Reference.schema("Shout"), example: ["text": "HELLO", "times": 1])
                ], errors: [ErrorCode(.tooLoud), .rateLimited])
        ) {
            ToyEndpoint(
                longest: settings.longest, limits: $0.limits, shouts: ToyShouts(repository: $0.parts.repository),
                clock: $0.parts.clock
            ).respond
        }
    }

    func respond(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        try limits.count(context.network, as: .shouts)
        let text = try RequestParameters(context.request, Self.parameters)[.text] ?? ""
        guard text.utf8.count <= longest else { throw .ofWing(.tooLoud) }
        let loud = text.uppercased()
        let now = clock.seconds
        let times = try await stored { () throws(RepositoryError) in try await shouts.count(loud, now: now) }
        var writer = JSONWriter()
        writer.object {
            $0.member("text", loud)
            $0.member("times", times)
        }
        return .secretJSON(writer.bytes)
    }
}

/// What was shouted in the last minute, and how often.
struct ToyShouts: Sendable {
    static let table = Table(
        "toy_shouts", key: .bytes("hash"), [.sealed("text"), .integer("times"), .integer("expires")], owner: .nobody,
        expiry: "expires")

    let repository: any TableRepository

    func count(_ text: String, now: Int64) async throws(RepositoryError) -> Int64 {
        let key = Cell.bytes(Digest.sha256.hash(Array(text.utf8)))
        let content = Cell.bytes(Array(text.utf8))
        return try await repository.changeRows(now: now) { rows throws(RepositoryError) in
            if case .integer(let times)? = try rows.find(key, in: Self.table, now: now)?[2] {
                _ = try rows.replace([key, content, .integer(times + 1), .integer(now + 60)], in: Self.table)
                return times + 1
            }
            _ = try rows.delete(key, from: Self.table)
            _ = try rows.insert([key, content, .integer(1), .integer(now + 60)], into: Self.table)
            try rows.note(.toyShouted, of: nil)
            return 1
        }
    }
}

extension AuditEvent.Kind {
    static let toyShouted = Self(rawValue: "toy_shouted")
}

extension OperationGroup {
    static let toy = OperationGroup("The toy", "For those who learn how wings are made.")
}

extension AddressLimit {
    static let shouts = AddressLimit("shouts", "Too many shouts come from this address.")
}

extension WingError {
    static let tooLoud = WingError(
        status: 400, code: "too_loud", sentence: "The text is longer than toy.longest.",
        meaning: "The text is longer than this service shouts.")
}

/// How often the job of the toy has run in this process.
public enum ToyJob {
    public static var runs: Int { ToyEndpoint.runs.load(ordering: .relaxed) }
}
