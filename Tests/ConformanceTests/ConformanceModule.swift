import Foundation
import Testing

/// One case that a relying party is put through, as the OpenID Foundation has it: what the provider does, and what the
/// relying party must make of it.
struct ConformanceModule: Sendable, CustomTestStringConvertible {
    /// How the user signs in.
    enum Flow: Sendable, CaseIterable {
        /// The app has a code from the provider, and posts it.
        case postedCode
        /// The app sends a browser, and the relying party sends it on to the provider.
        case browser
    }

    /// What the relying party must do.
    enum Verdict: Sendable {
        case accept
        /// Refuse the ID token, by the rule that it breaks.
        case refuseIDToken(String)
        /// Refuse to take the userinfo for that of the token's user.
        case refuseUserinfo
        /// Refuse to go on with this provider: it is none that can be talked to safely.
        case refuseProvider
        /// Refuse to redeem the code, which may be another provider's.
        case refuseIssuerOfResponse
        /// The same where the provider has announced that it says whose answer it is, and does not.
        case refuseResponseWithoutIssuer
        /// Refuse to take the answer for one to this browser's request.
        case refuseState
    }

    /// The Foundation's name of the case; one of our own where the Foundation has none.
    let name: String
    /// What the provider does, as a sentence without its subject.
    let provider: String
    /// What that breaks; where it breaks nothing, what it makes use of.
    let clause: String
    let verdict: Verdict
    var flows = Flow.allCases
    /// How often somebody signs in, each time with the same verdict.
    var signIns = 1
    /// More of the section of the configuration.
    var settings: [String] = []
    /// More of the request, such as `max_age`.
    var request: [String: String] = [:]
    let script: ProviderScript

    /// - Parameter change: makes the provider do it.
    init(
        _ name: String, _ provider: String, _ clause: String, _ verdict: Verdict, flows: [Flow] = Flow.allCases,
        signIns: Int = 1, settings: [String] = [], request: [String: String] = [:],
        _ change: (inout ProviderScript) -> Void = { _ in }
    ) {
        var script = ProviderScript()
        change(&script)
        self.name = name
        self.provider = provider
        self.clause = clause
        self.verdict = verdict
        self.flows = flows
        self.signIns = signIns
        self.settings = settings
        self.request = request
        self.script = script
    }

    var testDescription: String { name }

    /// For the reader of a failure.
    var explanation: String { "\(name): the provider \(provider) (\(clause))" }
}

extension ConformanceModule {
    private static let modules =
        flow + discovery + signatures + claims + userinfo + tokenResponse + authorizationResponse

    /// Those of a flow. `DEV_CONFORMANCE` leaves only those with that text in their names.
    static func all(by flow: Flow) -> [ConformanceModule] {
        let wanted = ProcessInfo.processInfo.environment["DEV_CONFORMANCE"]
        return modules.filter { $0.flows.contains(flow) && (wanted == nil || $0.name.contains(wanted ?? "")) }
    }
}
