import Accounts
import HTTPClient
import JSON
import Providers
import Synchronization
import Syntax
import Telemetry
import TestSupport
import Testing

@testable import SignIn

/// Each answer of each provider's table, as the provider makes it, against whatever asks for it.
@Suite(.timeLimit(.minutes(5))) struct `A provider's own words` {
    private static let revocationEndpoint = "https://carrier.example/revoke"

    /// Every refusal of every table that is an answer to one call.
    private static func refusals(_ place: SpokenAnswer.Place) -> [Spoken] {
        ProviderTable.all.flatMap { table in
            table.refusals.compactMap { answer in
                answer.outcomes[place].map { Spoken(table: table, answer: answer, outcome: $0) }
            }
        }
    }

    /// One line of one table.
    struct Spoken: Sendable, CustomTestStringConvertible {
        let table: ProviderTable
        let answer: SpokenAnswer
        let outcome: SpokenAnswer.Outcome

        var testDescription: String { "\(table.testDescription): \(answer.situation)" }
    }

    private static func configure(
        _ configuration: inout ProviderConfiguration, as table: ProviderTable, asksUserinfo: Bool
    ) {
        configuration.issuerSource = .configured(issuer: SigningProvider().issuer)
        configuration.dialect = table.dialect
        configuration.keepsTokens = true
        configuration.userinfo = asksUserinfo ? .required : .never
        if table.revoked != nil {
            configuration.revocationEndpoint = try? EndpointURL(revocationEndpoint, allowLoopbackHTTP: false)
        }
    }

    private func outcome(_ failure: ServiceError?) -> SpokenAnswer.Outcome {
        switch failure {
        case nil: .good
        case .invalidGrant(.refusedByProvider): .over
        case .accessDenied: .denied
        case .authorizationRefused(.interactionRequired): .userMustAct
        case .providerError(let problem):
            if case .refused(.clientFault) = problem.failure { .configuration } else { .broken }
        case .providerUnavailable, .providerBusy: .unavailable
        default: .never
        }
    }

    // MARK: Sign-ins

    @Test(arguments: ProviderTable.all) func `signs users in by what it says when all is well`(
        table: ProviderTable
    ) async throws {
        let stage = try await SignInStage {
            Self.configure(&$0, as: table, asksUserinfo: table.userinfo != nil)
        }
        stage.transport.answer(
            stage.carrier.tokenEndpoint, table.tokens.response(idToken: try stage.carrier.idToken()))
        if let userinfo = table.userinfo { stage.transport.answer(stage.carrier.userinfoEndpoint, userinfo.response()) }
        #expect(try await stage.failure() == nil)
    }

    @Test(arguments: refusals(.code)) func `tells an app at a sign-in what it means`(spoken: Spoken) async throws {
        let stage = try await SignInStage { Self.configure(&$0, as: spoken.table, asksUserinfo: false) }
        stage.transport.answer(stage.carrier.tokenEndpoint, spoken.answer.response())
        let failure = try await stage.failure()
        #expect(outcome(failure) == spoken.outcome, "\(String(describing: failure))")
        // A provider that says no, whatever it says, is there.
        if [.over, .denied, .userMustAct, .configuration].contains(spoken.outcome) {
            let conditions = stage.provider.circuits.conditions().map(\.condition)
            #expect(conditions.allSatisfy { $0 == .closed })
        }
    }

    @Test func `that says no with the status of a broken server opens no circuit`() async throws {
        for (answer, later) in [
            (OutboundResponse.json(["error": "access_denied"], status: 500), ServiceError.accessDenied),
            (.page(status: 500), .providerCircuitOpen(retryAfterSeconds: 60)),
        ] {
            let stage = try await SignInStage {
                Self.configure(&$0, as: .auth0, asksUserinfo: false)
                $0.circuit = CircuitBreaker.Limits(
                    failures: 1, firstPause: .seconds(60), maximumPause: .seconds(60), probeLifetime: .seconds(60))
            }
            // Once found, metadata and keys are not asked for again, so that the token endpoint is all there is.
            #expect(try await stage.failure() == nil)
            stage.transport.answer(stage.carrier.tokenEndpoint, answer)
            #expect(try await stage.failure(["code": "first"]) != nil)
            let failure = try await stage.failure(["code": "second"])
            if case .providerCircuitOpen = later {
                guard case .providerCircuitOpen = failure else {
                    Issue.record("it is \(String(describing: failure))")
                    continue
                }
            } else {
                #expect(failure == later)
            }
        }
    }

    @Test(arguments: refusals(.userinfo)) func `tells what it means in the place of userinfo`(
        spoken: Spoken
    ) async throws {
        let stage = try await SignInStage { Self.configure(&$0, as: spoken.table, asksUserinfo: true) }
        stage.transport.answer(stage.carrier.userinfoEndpoint, spoken.answer.response())
        let failure = try await stage.failure()
        #expect(outcome(failure) == spoken.outcome, "\(String(describing: failure))")
        if spoken.answer.situation.hasPrefix("an access token that is over") {
            #expect(failure == .providerError(ProviderProblem(.userinfo, .status(401))), "it is renewed elsewhere")
        }
    }

    // MARK: Refreshes

    @Test(arguments: ProviderTable.all) func `renews a token by what it says when all is well`(
        table: ProviderTable
    ) async throws {
        let vault = try await VaultStage { Self.configure(&$0, as: table, asksUserinfo: false) }
        vault.stage.transport.answer(vault.stage.carrier.tokenEndpoint, table.refreshed.response())
        guard case .success(let token) = await vault.token() else {
            Issue.record("it is not renewed")
            return
        }
        #expect(table.refreshed.body.contains(token))
    }

    @Test(arguments: refusals(.refresh)) func `ends a grant only when it says so`(spoken: Spoken) async throws {
        let vault = try await VaultStage { Self.configure(&$0, as: spoken.table, asksUserinfo: false) }
        vault.stage.transport.answer(vault.stage.carrier.tokenEndpoint, spoken.answer.response())
        guard case .failure(let failure) = await vault.token() else {
            Issue.record("it is renewed")
            return
        }
        let isThere = try await vault.grant()?.tokens?.refreshToken != nil
        #expect(isThere == (spoken.outcome != .over), "\(failure)")
        let found = failure == .providerSignInRequired ? isThere ? .userMustAct : .over : outcome(failure)
        #expect(found == spoken.outcome, "\(failure)")
    }

    // MARK: Revocations

    /// What becomes of the revocation of an erased user's token.
    private func settlement(_ answer: SpokenAnswer?, _ table: ProviderTable) async throws -> SpokenAnswer.Outcome? {
        let vault = try await VaultStage { Self.configure(&$0, as: table, asksUserinfo: false) }
        if let answer { vault.stage.transport.answer(Self.revocationEndpoint, answer.response()) }
        #expect(try await vault.stage.repository.erase(vault.session.user, now: vault.stage.now))
        let settled = Mutex<[OutboxSettlement]>([])
        let delivery = OutboxDelivery(
            repository: vault.stage.repository, providers: vault.stage.providers, transport: vault.stage.transport,
            clock: vault.stage.clock, giveUpSeconds: 3600, observers: .none)
        try await delivery.deliver { report in settled.withLock { $0.append(report.settlement) } }
        return switch settled.withLock(\.first) {
        case .done: .good
        case .givenUp: .never
        case .again: .unavailable
        case nil: nil
        }
    }

    @Test(arguments: ProviderTable.all) func `is told what has ended, where it can be`(
        table: ProviderTable
    ) async throws {
        let expected: SpokenAnswer.Outcome = table.revoked == nil ? .never : .good
        #expect(try await settlement(table.revoked, table) == expected)
    }

    @Test(arguments: refusals(.revocation)) func `is told again what has ended until it says that it is done`(
        spoken: Spoken
    ) async throws {
        #expect(try await settlement(spoken.answer, spoken.table) == spoken.outcome)
    }

    // MARK: The probe

    @Test(arguments: refusals(.code).filter { $0.answer.probe != nil })
    func `is named to the operator with what it said and what to do`(spoken: Spoken) async throws {
        let transport = ScriptedTransport()
        let carrier = SigningProvider()
        carrier.publish(on: transport)
        transport.answer(carrier.tokenEndpoint, spoken.answer.response())
        let provider = Provider(.openID { Self.configure(&$0, as: spoken.table, asksUserinfo: false) })
        let findings = await ProviderProbe(
            provider, through: transport, redirectURI: "https://gatehouse.example/back", network: nil,
            now: { SigningProvider.now }
        ).run()
        let finding = try #require(findings.first { $0.step == .token })
        #expect(finding.isGood == (spoken.outcome == .over), "\(finding.sentence)")
        #expect(finding.sentence.contains(spoken.answer.probe ?? "?"), "\(finding.sentence)")
        #expect(finding.sentence.contains("\(spoken.table.dialect.dialect.title) says "), "\(finding.sentence)")
        #expect(finding.sentence.contains("carrier.example"))
    }

    // MARK: Authorization responses

    @Test(arguments: ProviderTable.all) func `says in the browser why there is no code`(table: ProviderTable) {
        for (code, meaning) in table.authorization {
            #expect(table.dialect.dialect.authorizationRefusal(code) == meaning, "\(code)")
        }
    }
}
