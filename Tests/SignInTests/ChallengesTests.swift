import Accounts
import Crypto
import JOSE
import Syntax
import TestSupport
import Testing

@testable import SignIn

@Suite struct `A challenge of ours` {
    private static func challenges(_ stage: SignInStage) -> Challenges {
        Challenges(repository: stage.repository, clock: stage.clock)
    }

    private static func isOurs(_ nonce: String, _ stage: SignInStage) async throws -> Bool {
        do throws(ServiceError) {
            return try await challenges(stage).challenge(in: nonce, isRequired: false) != nil
        } catch {
            #expect(error == .invalidChallenge)
            return false
        }
    }

    private static func content(_ nonce: String) throws -> [UInt8] {
        try #require(Base64URL.decode(String(nonce.dropFirst(3))))
    }

    @Test func `tells when it expires, and each is another`() async throws {
        let stage = try await SignInStage()
        let nonce = try await Self.challenges(stage).issue()
        let challenge = try await Self.challenges(stage).challenge(in: nonce, isRequired: true)
        #expect(challenge?.use.hash == TokenHash(sha256: nonce) && challenge?.use.expiresAt == stage.now + 300)
        #expect(challenge?.issuedAt == stage.now * 1000)
        #expect(try await Self.challenges(stage).issue() != nonce)
    }

    @Test func `a challenge of ours is an HMAC under a key of its own`() async throws {
        let stage = try await SignInStage()
        let key = try #require(try await stage.repository.secretKeys(for: .challenge).first)
        let bytes = try Self.content(try await Self.challenges(stage).issue())
        #expect(bytes.count == 60)
        #expect(Array(bytes[28...]) == HMAC.sha256(Array(bytes[..<28]), key: key.bytes))
        // What somebody makes up under another key is none, however it looks.
        var forged = Array(bytes[..<28])
        forged += HMAC.sha256(forged, key: [UInt8](repeating: 0, count: 32))
        #expect(try await !Self.isOurs("gh." + Base64URL.encode(forged), stage))
    }

    @Test func `a challenge of ours is none when a bit is changed, or a byte is missing or too many`() async throws {
        let stage = try await SignInStage()
        let nonce = try await Self.challenges(stage).issue()
        let bytes = try Self.content(nonce)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(try await !Self.isOurs("gh." + Base64URL.encode(changed), stage), "byte \(index)")
        }
        // What has the form of ours is refused, also where a nonce of the app's own is welcome.
        let forged = "gh." + Base64URL.encode(bytes.map { ~$0 })
        await #expect(throws: ServiceError.invalidChallenge) {
            try await Self.challenges(stage).challenge(in: forged, isRequired: false)
        }
        for other in [Array(bytes.dropLast()), bytes + [0], [], [1, 2, 3]] {
            #expect(try await !Self.isOurs("gh." + Base64URL.encode(other), stage))
        }
        #expect(try await !Self.isOurs(String(nonce.dropFirst(3)), stage))
        #expect(try await Self.isOurs(nonce, stage))
    }

    @Test func `outlives a new key for as long as it is good`() async throws {
        let stage = try await SignInStage()
        func rotate() async throws {
            try await stage.repository.rotateSecretKey(
                for: .challenge, keepingSeconds: Challenges.keyMemorySeconds, now: stage.now)
        }
        stage.pass(seconds: Challenges.keyMemorySeconds)
        let nonce = try await Self.challenges(stage).issue()
        try await rotate()
        stage.pass(seconds: Challenges.lifetimeSeconds - 1)
        try await rotate()
        #expect(try await Self.isOurs(nonce, stage))
        let next = try await Self.challenges(stage).issue()
        #expect(try Self.content(next)[..<4] != Self.content(nonce)[..<4])
        // Long after, the key has gone.
        stage.pass(seconds: Challenges.keyMemorySeconds)
        try await rotate()
        stage.pass(seconds: Challenges.keyMemorySeconds)
        try await rotate()
        #expect(try await !Self.isOurs(nonce, stage))
    }
}
