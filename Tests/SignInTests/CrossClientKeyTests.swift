import Accounts
import JSON
import Providers
import TestSupport
import Testing

@testable import SignIn

@Suite struct `A key that names a person at all clients` {
    private func hash(_ idToken: JSONValue, _ userinfo: JSONValue? = nil, of claim: String = "kurtid") -> TokenHash? {
        CrossClientKey.hash(of: claim, idToken: idToken, userinfo: userinfo)
    }

    @Test(arguments: [
        "" as JSONValue, 7, true, .null, [], ["k"], ["value": "k"], .string(String(repeating: "k", count: 256)),
    ])
    func `is none when it is no text, empty or too long, wherever it stands`(value: JSONValue) {
        #expect(hash(["kurtid": value]) == nil)
        #expect(hash([:], ["kurtid": value]) == nil)
        // What is said twice is believed when it is the same.
        #expect(hash(["kurtid": "k"], ["kurtid": value]) == nil)
        #expect(hash(["kurtid": value], ["kurtid": "k"]) == nil)
    }

    @Test func `is the same in ID token and userinfo, and another under another claim`() {
        let key = hash(["kurtid": "k"])
        #expect(key != nil && hash([:], ["kurtid": "k"]) == key && hash(["kurtid": "k"], ["kurtid": "k"]) == key)
        #expect(hash(["kurtid": "k"], ["kurtid": "l"]) == nil)
        #expect(hash([:]) == nil && hash(["other": "k"]) == nil)
        #expect(hash(["personid": "k"], of: "personid") != key)
        #expect(hash(["kurtid": .string(String(repeating: "k", count: 255))]) != nil)
    }

    /// Two clients of one issuer, each with a subject of its own for the same person.
    private func stage(_ first: String?, _ second: String?) async throws -> (SignInStage, Provider) {
        let stage = try await SignInStage(
            others: [
                .openID {
                    $0.clientID = "other-client"
                    $0.crossClientKey = second
                }
            ]
        ) {
            $0.issuerSource = .configured(issuer: "https://carrier.example")
            $0.crossClientKey = first
        }
        return (stage, try #require(stage.providers.all.last))
    }

    private func signIn(
        _ stage: SignInStage, at provider: Provider, subject: JSONValue, key: JSONValue?, userinfo: JSONValue? = nil
    ) async throws -> SignedIn {
        try stage.answerToken {
            $0.claims[setting: "sub"] = subject
            $0.claims[setting: "aud"] = .string(provider.configuration.clientID)
            $0.claims[setting: "kurtid"] = key
        }
        stage.answerUserinfo(userinfo ?? ["sub": subject])
        let parameters = SignInStage.parameters.merging(["code": "code of \(subject) \(provider.configuration.name)"]) {
            $1
        }
        let response = try AuthorizedResponse({ parameters[$0.rawValue] }, for: provider)
        return try await stage.signInWithCode.signIn(
            response, with: provider, userAgent: nil, replacing: nil, in: .unobserved
        ).signedIn
    }

    @Test func `leads through another client to the same user`() async throws {
        let (stage, other) = try await stage("kurtid", "kurtid")
        let first = try await signIn(stage, at: stage.provider, subject: "a", key: "kurt")
        let second = try await signIn(
            stage, at: other, subject: "b", key: nil, userinfo: ["sub": "b", "kurtid": "kurt"])
        #expect(second.user == first.user && !second.isNewUser)
        let third = try await signIn(stage, at: other, subject: "c", key: "another")
        #expect(third.isNewUser)
    }

    @Test(arguments: [("kurtid", nil), (nil, "kurtid"), ("kurtid", "personid"), (nil, nil)])
    func `leads nowhere unless both clients look at the same claim`(first: String?, second: String?) async throws {
        let (stage, other) = try await stage(first, second)
        let one = try await signIn(stage, at: stage.provider, subject: "a", key: "kurt")
        let two = try await signIn(stage, at: other, subject: "b", key: "kurt")
        #expect(two.isNewUser && one.user != two.user)
    }

    @Test func `in userinfo of somebody else is nobody's`() async throws {
        let (stage, other) = try await stage("kurtid", "kurtid")
        _ = try await signIn(stage, at: stage.provider, subject: "a", key: "kurt")
        await #expect(throws: ServiceError.userinfoMismatch) {
            try await signIn(stage, at: other, subject: "b", key: nil, userinfo: ["sub": "a", "kurtid": "kurt"])
        }
    }
}
