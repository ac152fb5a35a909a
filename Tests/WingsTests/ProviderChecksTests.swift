import Accounts
import JSON
import Providers
import Synchronization
import System
import Telemetry
import TestSupport
import Testing

@testable import SignIn
@testable import Wings

@Suite struct `A provider that is asked again` {
    private static let days: Int64 = 30 * 86_400

    /// Users whose sign-ins have just come by the stage's provider.
    private static func signIn(_ count: Int, on vault: VaultStage) async throws -> [SignInRecord] {
        var records: [SignInRecord] = []
        for number in 0..<count {
            let subject = Subject(issuer: vault.stage.carrier.issuer, value: "310260-\(number)")
            var record = Sample.keeping(
                subject, Sample.tokens("\(number)", expiresAt: vault.stage.now + 30), now: vault.stage.now)
            record.draft.provider = vault.stage.provider.configuration.name
            record.draft.session.expiresAt = vault.stage.now + 300 * 86_400
            _ = try await vault.stage.repository.signedIn(record)
            records.append(record)
        }
        return records
    }

    private static func checks(
        of vault: VaultStage, refreshes: GrantRefreshes = GrantRefreshes(areChecked: true)
    ) -> ProviderChecks {
        ProviderChecks(
            repository: vault.stage.repository, vault: vault.vault(of: refreshes), intervalSeconds: days,
            clock: vault.stage.clock, observers: .none)
    }

    /// - Parameter refused: whose refresh tokens the provider does not know any more.
    private static func answer(on vault: VaultStage, refusing refused: Range<Int>) {
        vault.stage.transport.answer(vault.stage.carrier.tokenEndpoint) { request in
            let isRefused = refused.contains { request.bodyText.hasSuffix("refresh-\($0)") }
            if isRefused { return .success(.json(["error": "invalid_grant"], status: 400)) }
            return .success(.json(["access_token": "new", "token_type": "Bearer", "expires_in": 30]))
        }
    }

    private static func live(_ records: [SignInRecord], on vault: VaultStage) async throws -> [Int] {
        var live: [Int] = []
        for (number, record) in records.enumerated() {
            let session = try await vault.stage.repository.session(record.session.id, now: vault.stage.now)
            if session != nil { live.append(number) }
        }
        return live
    }

    @Test func `is left alone until its time has come, and then ends the session of a user it knows no more`()
        async throws
    {
        let vault = try await VaultStage()
        let records = try await Self.signIn(1, on: vault)
        let checks = Self.checks(of: vault)
        let name = vault.stage.provider.configuration.name
        vault.answerRefreshes(.saysItIsOver)
        vault.stage.pass(seconds: Self.days - 1)
        #expect(try await checks.run().isEmpty)
        #expect(vault.sent.isEmpty)
        vault.stage.pass(seconds: 1)
        var report = ProviderChecks.Report(provider: name)
        (report.answered, report.refused, report.ended) = (1, 1, 1)
        #expect(try await checks.run() == [report])
        #expect(vault.sent.count == 1)
        #expect(try await Self.live(records, on: vault).isEmpty)
        #expect(try await checks.run().isEmpty, "it was told once")
    }

    @Test func `leaves a session open where it knows its user, and is asked again when its time has come once more`()
        async throws
    {
        let vault = try await VaultStage()
        let records = try await Self.signIn(1, on: vault)
        let checks = Self.checks(of: vault)
        Self.answer(on: vault, refusing: 0..<0)
        for round in 1...3 {
            vault.stage.pass(seconds: Self.days)
            #expect(try await checks.run().map(\.answered) == [1])
            #expect(try await checks.run().isEmpty)
            #expect(vault.sent.count == round)
            #expect(try await Self.live(records, on: vault) == [0])
        }
    }

    @Test func `ends nothing where it does not answer, and is asked again in an hour`() async throws {
        let vault = try await VaultStage()
        let records = try await Self.signIn(1, on: vault)
        let checks = Self.checks(of: vault)
        vault.answerRefreshes(.hangs)
        vault.stage.pass(seconds: Self.days)
        #expect(try await checks.run().map(\.answered) == [0])
        #expect(try await Self.live(records, on: vault) == [0])
        vault.stage.pass(seconds: 3599)
        #expect(try await checks.run().isEmpty)
        vault.stage.pass(seconds: 1)
        #expect(try await checks.run().count == 1)
    }

    @Test(arguments: [(refused: 2, isStopped: false), (3, true), (40, true)])
    func `is not believed where it refuses more than one in twenty`(refused: Int, isStopped: Bool) async throws {
        let vault = try await VaultStage()
        let records = try await Self.signIn(40, on: vault)
        let checks = Self.checks(of: vault)
        Self.answer(on: vault, refusing: 0..<refused)
        vault.stage.pass(seconds: Self.days)
        let report = try #require(try await checks.run().first)
        #expect((report.answered, report.refused, report.isStopped) == (40, refused, isStopped))
        #expect(report.ended == (isStopped ? 0 : refused))
        #expect(try await Self.live(records, on: vault) == Array((isStopped ? 0 : refused)..<40))
        let trail = try await vault.stage.repository.auditTrail()
        #expect(trail.contains(.providerChecksStopped) == isStopped)
        #expect(trail.contains(.providerCheckRefused) != isStopped)
        // Left alone for an hour; then those it had refused are asked about again.
        Self.answer(on: vault, refusing: 0..<0)
        vault.stage.pass(seconds: 3599)
        #expect(try await checks.run().isEmpty)
        vault.stage.pass(seconds: 1)
        #expect(try await checks.run().map(\.answered) == (isStopped ? [refused] : []))
    }

    @Test func `ends a session within a minute of what an app's own request has learned`() async throws {
        let vault = try await VaultStage()
        let refreshes = GrantRefreshes(areChecked: true)
        let checks = Self.checks(of: vault, refreshes: refreshes)
        vault.answerRefreshes(.saysItIsOver)
        #expect(await vault.token(from: vault.vault(of: refreshes)) == .failure(.providerSignInRequired))
        #expect(try await vault.stage.repository.session(vault.session.id, now: vault.stage.now) != nil)
        #expect(try await checks.run().map(\.ended) == [1])
        #expect(try await vault.stage.repository.session(vault.session.id, now: vault.stage.now) == nil)
    }
}
