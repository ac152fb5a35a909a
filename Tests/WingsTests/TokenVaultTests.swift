import Accounts
import HTTPClient
import JSON
import Patience
import Providers
import Synchronization
import TestSupport
import Testing

@testable import SignIn
@testable import Wings

@Suite struct `A provider's access token from the vault` {
    @Test func `is the one of the sign-in while it is good for more than a minute, and nobody is asked`() async throws {
        let vault = try await VaultStage(lifetime: 3600)
        #expect(await vault.token() == .success("access-0"))
        vault.stage.pass(seconds: 3600 - 61)
        #expect(await vault.token() == .success("access-0"))
        #expect(vault.sent.isEmpty)
        vault.stage.pass(seconds: 1)
        #expect(await vault.token() == .success("access-1"))
        #expect(vault.sent.count == 1)
    }

    @Test func `is refreshed by the refresh token alone, without a scope`() async throws {
        let vault = try await VaultStage()
        _ = await vault.token()
        #expect(vault.sent == ["grant_type=refresh_token&refresh_token=refresh-0"])
        vault.stage.pass(seconds: 3600)
        _ = await vault.token()
        #expect(vault.sent.last == "grant_type=refresh_token&refresh_token=refresh-1")
    }

    @Test func `keeps the refresh token and the scope where the answer has none`() async throws {
        let vault = try await VaultStage()
        vault.answerRefreshes(.keepsItsToken)
        #expect(await vault.token() == .success("access-1"))
        let tokens = try #require(try await vault.grant()?.tokens)
        #expect(tokens.refreshToken == "refresh-0" && tokens.scope == "openid email")
        #expect(tokens.expiresAt == vault.stage.now + 3600)
    }

    @Test func `never expires where the provider has not said when`() async throws {
        let vault = try await VaultStage(lifetime: nil)
        vault.stage.pass(seconds: 80_000)
        #expect(await vault.token() == .success("access-0"))
        #expect(vault.sent.isEmpty)
    }

    @Test func `takes a sign-in, and no call, where it is stale and there is no refresh token`() async throws {
        let vault = try await VaultStage(hasRefreshToken: false)
        #expect(await vault.token() == .failure(.providerSignInRequired))
        #expect(vault.sent.isEmpty)
    }

    @Test func `takes a sign-in where none are kept, and is not there for another user's identity`() async throws {
        let vault = try await VaultStage { $0.keepsTokens = false }
        #expect(await vault.token() == .failure(.providerSignInRequired))
        let other = IdentityID(rawValue: vault.identity.rawValue + 1)
        await #expect(throws: ServiceError.notFound) {
            try await vault.vault().accessToken(
                of: other, under: vault.session, allowed: { _ in true }, isForced: false, in: .unobserved)
        }
    }

    @Test func `is for those alone who may have it, before anybody is asked`() async throws {
        let vault = try await VaultStage()
        await #expect(throws: ServiceError.unauthorizedClient) {
            try await vault.vault().accessToken(
                of: vault.identity, under: vault.session, allowed: { $0 == "another" }, isForced: false, in: .unobserved
            )
        }
        #expect(vault.sent.isEmpty)
    }

    @Test func `is renewed where it was refused, but not when it is just a few seconds old`() async throws {
        let vault = try await VaultStage(lifetime: 3600)
        #expect(await vault.token(isForced: true) == .success("access-0"))
        vault.stage.pass(seconds: 10)
        #expect(await vault.token(isForced: true) == .success("access-1"))
        #expect(await vault.token(isForced: true) == .success("access-1"))
        #expect(vault.sent.count == 1)
    }

    @Test(arguments: VaultStage.Provider.allCases)
    func `is refreshed once for two hundred who ask at once`(provider: VaultStage.Provider) async throws {
        let vault = try await VaultStage()
        let gate = Gate()
        vault.answerRefreshes(provider, behind: gate)
        let outcomes = try await withThrowingTaskGroup(of: Result<String, ServiceError>.self) { group in
            for _ in 0..<200 { group.addTask { await vault.token() } }
            try await eventually("two hundred callers") {
                vault.stage.ofWings.refreshes.callers(of: vault.identity) >= 200
            }
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count == 200)
        #expect(vault.sent.count == 1)
        switch provider {
        case .rotates, .keepsItsToken:
            #expect(outcomes.allSatisfy { $0 == .success("access-1") })
            #expect(try await vault.grant()?.tokens?.accessToken == "access-1")
        case .saysItIsOver:
            #expect(outcomes.allSatisfy { $0 == .failure(.providerSignInRequired) })
            #expect(try await vault.grant()?.tokens == nil)
        case .failsOnce, .hangs, .dropsTheConnection:
            #expect(outcomes.allSatisfy { $0 == outcomes[0] && (try? $0.get()) == nil })
            #expect(try await vault.grant()?.tokens?.refreshToken == "refresh-0")
        }
    }

    @Test func `is over for good when the provider says so, until another sign-in`() async throws {
        let vault = try await VaultStage()
        vault.answerRefreshes(.saysItIsOver)
        for _ in 0..<3 { #expect(await vault.token() == .failure(.providerSignInRequired)) }
        #expect(vault.sent.count == 1)
        #expect(try await vault.stage.auditTrail() == [.userCreated, .providerGrantEnded])
    }

    @Test(arguments: [
        (OutboundResponse.json(["error": "invalid_client"], status: 401), false),
        (.json(["error": "invalid_scope"], status: 400), false), (.page(status: 400), false),
        (.json(["error": "who_knows"], status: 400), false), (.page(status: 429), false),
        (.json(["error": "temporarily_unavailable"], status: 503), false),
        (.json(["error": "interaction_required"], status: 400), true), (.json(["access_token": "a"]), false),
    ])
    func `may pass whatever else the provider says, and everything stays`(
        answer: OutboundResponse, needsUser: Bool
    ) async throws {
        let vault = try await VaultStage()
        vault.stage.transport.answer(vault.stage.carrier.tokenEndpoint, answer)
        let outcome = await vault.token()
        guard case .failure(let error) = outcome else {
            Issue.record("it is \(outcome)")
            return
        }
        #expect((error == .providerSignInRequired) == needsUser, "\(error)")
        #expect(try await vault.grant()?.tokens?.refreshToken == "refresh-0")
        vault.answerRefreshes(.rotates)
        #expect(await vault.token() == .success("access-1"))
        #expect(try await vault.stage.repository.grantCounts() == GrantCounts(refreshes: 1, failures: 1, ended: 0))
    }

    @Test func `is refreshed to its end though its caller has gone`() async throws {
        let vault = try await VaultStage()
        let gate = Gate()
        vault.answerRefreshes(.rotates, behind: gate)
        let caller = Task { await vault.token() }
        await gate.arrivals()
        caller.cancel()
        gate.open()
        _ = await caller.value
        #expect(try await vault.grant()?.tokens?.refreshToken == "refresh-1")
        #expect(await vault.token() == .success("access-1"))
        #expect(vault.sent.count == 1)
    }

    @Test(arguments: 0..<4)
    func `is nobody's when the user signs out, unlinks or is erased meanwhile; what came is revoked`(
        way: Int
    ) async throws {
        let vault = try await VaultStage()
        let gate = Gate()
        vault.answerRefreshes(.rotates, behind: gate)
        async let outcome = vault.token()
        await gate.arrivals()
        let store = vault.stage.repository
        switch way {
        case 0: #expect(try await store.erase(vault.session.user, now: vault.stage.now))
        case 1: _ = try await store.revokeSessions(of: vault.session.user, except: nil, now: vault.stage.now)
        case 2:
            try await store.linked(Sample.link(Sample.subject("2"), vault.session.id, now: vault.stage.now))
            try await store.unlinked(
                vault.identity, under: vault.session.id, demands: Sample.demands, now: vault.stage.now)
        default: #expect(try await store.revokeSession(vault.session.id, now: vault.stage.now))
        }
        gate.open()
        guard case .failure(let error) = await outcome else {
            Issue.record("somebody has got it")
            return
        }
        let (old, new) = (
            OutboxMessage.Content.revocation(token: "refresh-0", isRefreshToken: true),
            OutboxMessage.Content.revocation(token: "refresh-1", isRefreshToken: true)
        )
        if way == 3 {
            // The grant is the user's, not the session's.
            #expect(error == .invalidToken)
            #expect(try await vault.outbox().isEmpty)
            #expect(try await vault.grant()?.tokens?.refreshToken == "refresh-1")
        } else {
            #expect(error == .providerSignInRequired)
            #expect(try await vault.outbox() == [old, new])
            #expect(try await vault.grant() == nil)
        }
    }

    @Test func `is refreshed by one of two servers, and the other waits for what comes of it`() async throws {
        let vault = try await VaultStage()
        let gate = Gate()
        vault.answerRefreshes(.rotates, behind: gate)
        let watched = WatchedVault(vault.stage.repository)
        let other = vault.vault(of: GrantRefreshes(), on: watched)
        async let first = vault.token()
        await gate.arrivals()
        async let second = vault.token(from: other)
        try await eventually("the second") {
            watched.turnedAway.load(ordering: .relaxed) > 0 || vault.sent.count >= 2
        }
        gate.open()
        #expect(await first == .success("access-1"))
        #expect(await second == .success("access-1"))
        #expect(vault.sent.count == 1)
    }

    @Test func `is tried once more after a server that was killed, and honestly over where that has rotated it`()
        async throws
    {
        let vault = try await VaultStage()
        let grant = try #require(try await vault.grant())
        let dead = GrantLease(grant: grant, holder: [9], expiresAt: vault.stage.now + 20)
        #expect(try await vault.stage.repository.leaseGrant(dead, now: vault.stage.now) == .leased)
        vault.stage.pass(seconds: 20)
        vault.answerRefreshes(.saysItIsOver)
        #expect(await vault.token() == .failure(.providerSignInRequired))
        #expect(vault.sent.count == 1)
        #expect(try await vault.grant()?.tokens == nil)
    }

    @Test func `is handed to nobody before the store has it, and is stored later without another refresh`() async throws
    {
        let vault = try await VaultStage()
        let failing = WatchedVault(vault.stage.repository)
        let over = vault.vault(on: failing)
        failing.isFailing.store(true, ordering: .sequentiallyConsistent)
        for _ in 0..<3 { #expect(await vault.token(from: over) == .failure(.storageUnavailable(.diskFull))) }
        await over.storeWhatWaits()
        #expect(vault.sent.count == 1, "the former token may be spent")
        failing.isFailing.store(false, ordering: .sequentiallyConsistent)
        await over.storeWhatWaits()
        #expect(try await vault.grant()?.tokens?.refreshToken == "refresh-1")
        #expect(await vault.token(from: over) == .success("access-1"))
        #expect(vault.sent.count == 1)
    }

    @Test func `stands in no description`() async throws {
        let vault = try await VaultStage()
        _ = await vault.token()
        let tokens = try #require(try await vault.grant()?.tokens)
        #expect(!"\(tokens)".contains("access") && !"\(tokens)".contains("refresh"))
    }
}
