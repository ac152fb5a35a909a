import Accounts
import AccountsSQL
import AccountsSQLite
import ArgumentParser
import Composition
import EventLoop
import HTTPClient
import JSON
import Providers
import Settings
import SignIn
import Syntax
import System
import Wings

/// `gatehouse providers …`.
struct ProvidersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "providers", abstract: "Ask providers from here.",
        subcommands: [Probe.self, ProvidersTransfer.self])

    /// `gatehouse providers probe NAME`.
    struct Probe: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ask a provider what a sign-in would, and tell what is wrong.",
            discussion: """
                Discovery, keys and clocks, then a token request with a code that is made up: that the provider refuses the \
                code, and not the client, is what shows that all is well. Exits 1 when something is wrong.

                Whether the provider compares code verifiers only shows with a code that somebody has signed in for: --code \
                and --verifier try it with a wrong verifier first, and with the right one then. That uses it up.
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var report: ReportOptions
        @Argument(help: "The provider's name in the configuration.")
        var name: String
        @Option(help: "A mobile network, for providers that are found by one.")
        var mccmnc: String?

        @Option(help: "A code that you have signed in for just now; - reads it from standard input.")
        var code: String?
        @Option(help: "The verifier of that request's code challenge (S256).")
        var verifier: String?
        @Option(help: "That request's redirect URI; else the first of redirectURIs, or this service's callback.")
        var redirectURI: String?

        func validate() throws {
            guard (code == nil) == (verifier == nil), code != nil || redirectURI == nil else {
                throw ValidationError("--code and --verifier go together, and --redirect-uri with them.")
            }
        }

        private var signedIn: ProviderProbe.SignedInCode? {
            guard let code, let verifier else { return nil }
            let text = code == "-" ? readLine(strippingNewline: true) ?? "" : code
            return ProviderProbe.SignedInCode(code: text, verifier: verifier, redirectURI: redirectURI)
        }

        func run() async throws {
            guard
                case .valid(let settings, _, _) = Settings.loadOfProcess(
                    file: options.file, wings: Wing.all.map(\.settings))
            else {
                throw ProbeRun.failure("The configuration is not valid; see gatehouse check-config.")
            }
            guard let provider = settings.provider(named: name) else {
                throw ProbeRun.failure("No provider is called \(name).")
            }
            let network = mccmnc.flatMap { MobileNetwork($0) }
            guard network != nil || mccmnc == nil else {
                throw ProbeRun.failure("A mobile network has five or six digits.")
            }
            let findings = try await ProbeRun(settings: settings).findings(
                of: [provider], network: network, signedIn: signedIn)
            report.write(ProbeRun.json(findings), ProbeRun.text(findings))
            guard findings.allSatisfy(\.isGood) else { throw ExitCode(1) }
        }
    }
}

/// Providers asked from this process, which is no server: with a loop of its own, and the keys of the store.
struct ProbeRun {
    struct Row {
        let provider: String
        let finding: ProviderProbe.Finding

        var isGood: Bool { finding.isGood }
    }

    let settings: Settings

    static func failure(_ sentence: String) -> ExitCode {
        StandardError.write(sentence + "\n")
        return ExitCode(1)
    }

    /// - Parameters:
    ///   - network: for those that are found by one.
    ///   - signedIn: a code to try verifiers with.
    func findings(
        of providers: [ProviderConfiguration], network: MobileNetwork?,
        signedIn: ProviderProbe.SignedInCode? = nil
    ) async throws -> [Row] {
        let loop = try EventLoop(label: "probe")
        loop.start()
        defer { loop.stop() }
        let client = HTTPClient(loop: loop)
        let keys = try await clientKeys(for: providers)
        var rows: [Row] = []
        for configuration in providers {
            let issuer = BaseURL(settings.session.issuer?.text ?? "https://gatehouse.example")
            let probe = ProviderProbe(
                Provider(configuration, clientKeys: keys), through: client,
                redirectURI: issuer.address(BrowserSignIn.callbackPath(of: configuration.name)), network: network,
                signedIn: signedIn, now: { WallClock.now.seconds })
            rows += await probe.run().map { Row(provider: configuration.name, finding: $0) }
        }
        await client.shutDown()
        return rows
    }

    /// The store's, where a provider is told by one who we are.
    private func clientKeys(for providers: [ProviderConfiguration]) async throws -> ClientKeys {
        guard providers.contains(where: { !$0.sharedKeys.isEmpty }) else { return ClientKeys() }
        let now = WallClock.now.seconds
        guard
            let store = try? await OpenStore.open(
                settings.storage, tables: StoreTables(of: Wing.all), formerIssuers: .none, for: .tool, now: now)
        else {
            return ClientKeys()
        }
        let keys = try? await SessionKeys.load(from: store.repository, for: [], now: now)
        await store.close()
        return keys?.clientKeys ?? ClientKeys()
    }

    static func text(_ rows: [Row]) -> String {
        rows.map { row in
            "\(row.provider) \(row.finding.step.rawValue): \(row.isGood ? "good" : "BAD"): \(row.finding.sentence)\n"
        }.joined()
    }

    static func json(_ rows: [Row]) -> JSONValue {
        .array(
            rows.map { row in
                let members: [JSONObject.Member] = [
                    ("provider", .string(row.provider)), ("step", .string(row.finding.step.rawValue)),
                    ("good", .boolean(row.isGood)), ("sentence", .string(row.finding.sentence)),
                ]
                let announced = row.finding.announced.map {
                    (name: $0.member, value: JSONValue.array($0.names.map { .string($0) }))
                }
                return .object(JSONObject(members + announced))
            })
    }
}
