import Accounts
import Apps
import JOSE
import Synchronization
import Syntax
import TestSupport
import Testing

@testable import SignIn

@Suite struct `Access tokens that were found good` {
    /// Tells how often a signature was verified.
    private final class Counted: Sendable {
        let count = Mutex(0)

        func verify(_ token: String) -> VerifiedToken? {
            count.withLock { $0 += 1 }
            guard token.hasPrefix("good") else { return nil }
            return VerifiedToken(
                issuer: "https://id.example",
                bearer: .init(
                    subject: token, session: SessionID(high: 1, low: 2), audience: "api", permissions: nil),
                expiresAt: 900)
        }
    }

    private func keySet(of stage: SignInStage) async throws -> SessionKeySet {
        try SessionKeySet(await stage.repository.signingKeys(), AccessTokenFormat(), now: stage.now)
    }

    @Test func `are verified once`() async throws {
        let keys = try await keySet(of: try SignInStage())
        let tokens = VerifiedTokens(maximumCount: 8, keys: keys)
        let counted = Counted()
        for _ in 0..<3 { #expect(tokens.token("good", by: keys, verify: counted.verify)?.bearer.subject == "good") }
        #expect(counted.count.withLock(\.self) == 1)
    }

    @Test func `are told apart, and what is not good is verified each time`() async throws {
        let keys = try await keySet(of: try SignInStage())
        let tokens = VerifiedTokens(maximumCount: 8, keys: keys)
        let counted = Counted()
        for name in ["good one", "good two", "bad", "bad"] {
            let expected = name == "bad" ? nil : name
            #expect(tokens.token(name, by: keys, verify: counted.verify)?.bearer.subject == expected)
        }
        #expect(counted.count.withLock(\.self) == 4)
    }

    @Test func `are forgotten with the keys that verified them`() async throws {
        let stage = try await SignInStage()
        let (keys, others) = (try await keySet(of: stage), try await keySet(of: stage))
        let tokens = VerifiedTokens(maximumCount: 8, keys: keys)
        #expect(tokens.token("good", by: keys, verify: Counted().verify) != nil)
        #expect(tokens.token("good", by: others) { _ in nil } == nil)
        // Nor is one remembered that former keys have verified meanwhile.
        #expect(tokens.token("good", by: keys, verify: Counted().verify) != nil)
        #expect(tokens.token("good", by: others) { _ in nil } == nil)
    }

    @Test func `are so many at most, and those in use stay`() async throws {
        let keys = try await keySet(of: try SignInStage())
        let tokens = VerifiedTokens(maximumCount: 8, keys: keys)
        let counted = Counted()
        for number in 0..<100 {
            _ = tokens.token("good \(number)", by: keys, verify: counted.verify)
            _ = tokens.token("good", by: keys, verify: counted.verify)
        }
        #expect(counted.count.withLock(\.self) == 101)
        _ = tokens.token("good 3", by: keys, verify: counted.verify)
        #expect(counted.count.withLock(\.self) == 102)
    }

    @Test(arguments: [0, 1]) func `are not remembered where none are to be`(count: Int) async throws {
        let keys = try await keySet(of: try SignInStage())
        let tokens = VerifiedTokens(maximumCount: count, keys: keys)
        let counted = Counted()
        for _ in 0..<3 { _ = tokens.token("good", by: keys, verify: counted.verify) }
        #expect(counted.count.withLock(\.self) == 3)
    }

    @Test func `end with their time, with their session, and with their key`() async throws {
        let stage = try await SignInStage()
        let (first, second) = (
            try await stage.signIn().tokens.accessToken,
            try await stage.signIn(["code": "another"]).tokens.accessToken
        )
        for token in [first, second] { _ = try await stage.sessions.principal(of: token) }
        try await stage.sessions.signOut(first)
        await #expect(throws: ServiceError.self) { _ = try await stage.sessions.principal(of: first) }
        #expect(stage.issuer.bearer(of: second, at: stage.now + 899) != nil)
        #expect(stage.issuer.bearer(of: second, at: stage.now + 900) == nil)
        let kid = try #require(stage.sessionKeys.signer.keyID)
        _ = try await SessionKeys.rotate(.session, in: stage.repository, now: stage.now, signsAtOnce: true)
        _ = try await stage.repository.retireSigningKey(kid, now: stage.now)
        try await stage.sessionKeys.reload(from: stage.repository, now: stage.now)
        await #expect(throws: ServiceError.self) { _ = try await stage.sessions.principal(of: second) }
    }

    @Test func `are no tokens of another issuer with the same keys`() async throws {
        let stage = try await SignInStage()
        let token = try await stage.signIn().tokens.accessToken
        #expect(stage.issuer.bearer(of: token, at: stage.now) != nil)
        var configuration = stage.issuer.configuration
        configuration.issuer = BaseURL("https://other.example")
        let other = TokenIssuer(
            configuration: configuration, keys: stage.sessionKeys, repository: stage.repository)
        #expect(other.bearer(of: token, at: stage.now) == nil)
    }
}
