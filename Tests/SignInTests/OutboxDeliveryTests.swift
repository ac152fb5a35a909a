import Accounts
import HTTPClient
import JSON
import Patience
import Providers
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import SignIn

@Suite struct `What providers are told of what has ended` {
    private static let endpoint = "https://id.carrier.example/revoke"
    private static let giveUpSeconds: Int64 = 3600

    /// A user whose tokens are kept at a carrier that revokes them, and who has just been erased.
    private func erased(
        revocationEndpoint: String? = endpoint, _ change: (inout ProviderConfiguration) -> Void = { _ in }
    ) async throws -> VaultStage {
        let vault = try await VaultStage(change)
        if let revocationEndpoint {
            var metadata = try #require(vault.stage.carrier.metadata.object)
            metadata.append("revocation_endpoint", .string(revocationEndpoint))
            vault.stage.transport.answer(
                vault.stage.carrier.issuer + "/.well-known/openid-configuration", json: .object(metadata))
        }
        vault.stage.transport.answer(Self.endpoint, .text("", type: "text/plain"))
        #expect(try await vault.stage.repository.erase(vault.session.user, now: vault.stage.now))
        return vault
    }

    /// - Returns: what came of each.
    private func deliver(_ vault: VaultStage) async throws -> [OutboxSettlement] {
        let settled = Mutex<[OutboxSettlement]>([])
        // What discovery has remembered is of no matter here.
        let delivery = OutboxDelivery(
            repository: vault.stage.repository,
            providers: ProviderRegistry([Provider(vault.stage.provider.configuration)]),
            transport: vault.stage.transport, clock: vault.stage.clock, giveUpSeconds: Self.giveUpSeconds,
            observers: .none)
        try await delivery.deliver { report in settled.withLock { $0.append(report.settlement) } }
        return settled.withLock(\.self)
    }

    private func revocations(_ vault: VaultStage) -> [OutboundRequest] {
        vault.stage.transport.requests(to: Self.endpoint)
    }

    @Test func `revokes the refresh token as our client, once`() async throws {
        let vault = try await erased()
        #expect(try await deliver(vault) == [.done])
        let request = try #require(revocations(vault).first)
        #expect(request.bodyText == "token=refresh-0&token_type_hint=refresh_token")
        #expect(request.header("authorization")?.hasPrefix("Basic ") == true)
        vault.stage.pass(seconds: 10_000)
        #expect(try await deliver(vault).isEmpty)
        #expect(try await vault.stage.auditTrail() == [.userCreated, .userErased, .providerRevocationDone])
    }

    @Test func `tries again, ever later, while the provider is down, and is done when it is back`() async throws {
        let vault = try await erased()
        vault.stage.transport.answer(Self.endpoint, .page(status: 503))
        var pauses: [Int64] = []
        for _ in 0..<5 {
            let settled = try await deliver(vault)
            guard case .again(let time) = settled.first else {
                Issue.record("it is \(settled)")
                return
            }
            #expect(try await deliver(vault).isEmpty, "not before its time")
            pauses.append(time - vault.stage.now)
            vault.stage.pass(seconds: time - vault.stage.now)
        }
        #expect(pauses.first.map { (1...5).contains($0) } == true)
        #expect(pauses.last.map { $0 > 30 } == true, "\(pauses)")
        #expect(try await vault.stage.repository.outboxStatus().pending == 1)
        vault.stage.transport.answer(Self.endpoint, .text("", type: "text/plain"))
        #expect(try await deliver(vault) == [.done])
        #expect(try await vault.stage.repository.outboxStatus().pending == 0)
    }

    @Test func `gives up in the end, and the audit trail says so`() async throws {
        let vault = try await erased()
        vault.stage.transport.fail(Self.endpoint, .couldNotConnect)
        var settled: [OutboxSettlement] = []
        let began = vault.stage.now
        try await eventually("the last try") {
            settled += try await deliver(vault)
            if case .again(let time) = settled.last { vault.stage.pass(seconds: time - vault.stage.now) }
            return settled.last == .givenUp || vault.stage.now - began > Self.giveUpSeconds + 10
        }
        #expect(settled.last == .givenUp)
        #expect(vault.stage.now - began <= Self.giveUpSeconds)
        #expect(try await vault.stage.auditTrail().last == .providerRevocationGivenUp)
        #expect(try await vault.stage.repository.outboxStatus().pending == 0)
    }

    @Test(arguments: [
        (OutboundResponse.json(["error": "invalid_token"], status: 400), OutboxSettlement.done),
        (.json(["error": "unsupported_token_type"], status: 400), .givenUp),
    ])
    func `takes a provider's last word`(answer: OutboundResponse, settlement: OutboxSettlement) async throws {
        let vault = try await erased()
        vault.stage.transport.answer(Self.endpoint, answer)
        #expect(try await deliver(vault) == [settlement])
    }

    @Test func `our own faults are tried again: they can be mended`() async throws {
        let vault = try await erased()
        vault.stage.transport.answer(Self.endpoint, .json(["error": "invalid_client"], status: 401))
        guard case .again? = try await deliver(vault).first else {
            Issue.record("it was given up")
            return
        }
    }

    @Test func `gives up at once where the provider has no address for it`() async throws {
        let vault = try await erased(revocationEndpoint: nil)
        #expect(try await deliver(vault) == [.givenUp])
        #expect(revocations(vault).isEmpty)
    }

    @Test func `a provider that is not configured any more is waited for`() async throws {
        let vault = try await erased()
        let settled = Mutex<[OutboxSettlement]>([])
        let delivery = OutboxDelivery(
            repository: vault.stage.repository, providers: ProviderRegistry([]), transport: vault.stage.transport,
            clock: vault.stage.clock, giveUpSeconds: Self.giveUpSeconds, observers: .none)
        try await delivery.deliver { report in settled.withLock { $0.append(report.settlement) } }
        guard case .again? = settled.withLock(\.first) else {
            Issue.record("it was given up")
            return
        }
    }

    @Test func `tells another issuer nothing that was the former's, whatever the section says now`() async throws {
        let vault = try await erased()
        let other = ProviderConfiguration.openID {
            $0.name = "zenkey"
            $0.issuerSource = .configured(issuer: "https://id.former.example")
        }
        var metadata = try #require(vault.stage.former.metadata.object)
        metadata.append("revocation_endpoint", .string(Self.endpoint))
        vault.stage.transport.answer(
            "https://id.former.example/.well-known/openid-configuration", json: .object(metadata))
        let settled = Mutex<[OutboxSettlement]>([])
        let delivery = OutboxDelivery(
            repository: vault.stage.repository, providers: ProviderRegistry([Provider(other)]),
            transport: vault.stage.transport, clock: vault.stage.clock, giveUpSeconds: Self.giveUpSeconds,
            observers: .none)
        try await delivery.deliver { report in settled.withLock { $0.append(report.settlement) } }
        guard case .again? = settled.withLock(\.first) else {
            Issue.record("it is \(settled.withLock(\.self))")
            return
        }
        #expect(revocations(vault).isEmpty)
    }

    @Test func `pauses double up to an hour, and are never the same for all`() {
        #expect((1...4).map { OutboxDelivery.pause(after: $0, random: 1) } == [5, 10, 20, 40])
        #expect(OutboxDelivery.pause(after: 40, random: 1) == 3600)
        #expect(OutboxDelivery.pause(after: 40, random: 0.5) == 1800)
        #expect(OutboxDelivery.pause(after: 1, random: 0.5) == 2)
        #expect(OutboxDelivery.pause(after: 0, random: 1) == 5)
    }
}
