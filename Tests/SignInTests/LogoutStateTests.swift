import Accounts
import Crypto
import Syntax
import TestSupport
import Testing

@testable import SignIn

@Suite struct `The state of a logout at a provider` {
    private static let target = LogoutReturn(
        clientID: "acme-id", address: "https://acme.example/bye", state: "app-state")

    private func states(_ stage: SignInStage) -> LogoutStates {
        LogoutStates(challenges: Challenges(repository: stage.repository, clock: stage.clock), clock: stage.clock)
    }

    @Test func `is none when a bit is changed, or a byte is missing or too many`() async throws {
        let stage = try await SignInStage()
        let state = try #require(try await states(stage).state(for: Self.target, at: "telenor"))
        let bytes = try #require(Base64URL.decode(state))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            let text = Base64URL.encode(changed)
            #expect(try await states(stage).target(of: text, at: "telenor") == nil, "byte \(index)")
        }
        for changed in [Array(bytes.dropLast()), bytes + [0], Array(bytes.prefix(8)), []] {
            #expect(try await states(stage).target(of: Base64URL.encode(changed), at: "telenor") == nil)
        }
        for text in ["", "x", "%%%", String(repeating: "A", count: 4096)] {
            #expect(try await states(stage).target(of: text, at: "telenor") == nil)
        }
    }

    @Test func `is another provider's nowhere, and no challenge is one`() async throws {
        let stage = try await SignInStage()
        let state = try #require(try await states(stage).state(for: Self.target, at: "telenor"))
        #expect(try await states(stage).target(of: state, at: "telenor2") == nil)
        #expect(try await states(stage).target(of: state, at: "") == nil)
        let challenge = try await Challenges(repository: stage.repository, clock: stage.clock).issue()
        #expect(try await states(stage).target(of: String(challenge.dropFirst(3)), at: "telenor") == nil)
    }

    @Test func `says nothing to others who see it, and the same each time to us`() async throws {
        let stage = try await SignInStage()
        let state = try #require(try await states(stage).state(for: Self.target, at: "telenor"))
        let bytes = try #require(Base64URL.decode(state))
        #expect(!String(decoding: bytes, as: UTF8.self).contains("acme"))
        for _ in 0..<2 { #expect(try await states(stage).target(of: state, at: "telenor") == Self.target) }
        let nothing = LogoutReturn(clientID: "acme-id", address: nil, state: nil)
        let other = try #require(try await states(stage).state(for: nothing, at: "telenor"))
        #expect(try await states(stage).target(of: other, at: "telenor") == nothing)
    }

    @Test func `leads nowhere after five minutes`() async throws {
        let stage = try await SignInStage()
        let state = try #require(try await states(stage).state(for: Self.target, at: "telenor"))
        stage.pass(seconds: 299)
        #expect(try await states(stage).target(of: state, at: "telenor")?.address != nil)
        stage.pass(seconds: 1)
        #expect(try await states(stage).target(of: state, at: "telenor")?.address == nil)
    }

    @Test func `is known after its key has been replaced`() async throws {
        let stage = try await SignInStage()
        let state = try #require(try await states(stage).state(for: Self.target, at: "telenor"))
        try await stage.repository.rotateSecretKey(
            for: .challenge, keepingSeconds: Challenges.keyMemorySeconds, now: stage.now)
        #expect(try await states(stage).target(of: state, at: "telenor") == Self.target)
    }

    @Test func `is never too long for an address`() async throws {
        let stage = try await SignInStage()
        let long = LogoutReturn(
            clientID: "acme-id", address: "https://acme.example/bye", state: String(repeating: "x", count: 2000))
        #expect(try await states(stage).state(for: long, at: "telenor") == nil)
    }
}
