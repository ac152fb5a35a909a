import Accounts
import Crypto
import HTTPClient
import JSON
import Providers
import SignIn
import TestSupport
import Testing

@testable import Wings

@Suite struct `A flood of events` {
    @Test func `that come again costs one write, and is done once`() async throws {
        let stage = try await SignInStage(telling: .apple)
        _ = try await stage.signIn(under: nil, code: "1")
        let token = try stage.carrier.notification()
        let receipts = try await withThrowingTaskGroup(of: EventReceiver.Receipt.self) { group in
            for _ in 0..<50 { group.addTask { try await stage.taken(token).get() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(receipts.reduce(0) { $0 + $1.changes } == 1)
        #expect(try await stage.taken(token).get().isRepeated)
        #expect(try await stage.auditTrail() == [.userCreated, .providerConsentRevoked])
        // Nobody asks the store any more.
        await stage.repository.close()
        #expect(try await stage.taken(token).get().isRepeated)
    }

    @Test func `that are forged never reaches the store, nor anybody's keys where that can be told before`()
        async throws
    {
        let stage = try await SignInStage(telling: .apple)
        let forger = SigningProvider(key: TestKeys.otherRSA)
        await stage.repository.close()
        for number in 0..<50 {
            let jti = JSONValue.string("\(number)")
            let forged = try forger.notification { $0.claims[setting: "jti"] = jti }
            #expect(await stage.taken(forged).failure == .invalidEvent(.signature))
            let foreign = try stage.carrier.notification { $0.claims[setting: "aud"] = jti }
            #expect(await stage.taken(foreign).failure == .invalidEvent(.audience))
            #expect(await stage.taken(request: "x").failure == .invalidEvent(.event))
        }
        // Metadata, keys, and keys once more: another key may have got the name.
        #expect(stage.transport.requests.count == 3)
    }

    @Test func `that are right, each another, about nobody and about what is over, leaves the trail alone`()
        async throws
    {
        let stage = try await SignInStage(telling: .apple)
        _ = try await stage.signIn(under: nil)
        for number in 0..<50 {
            let token = try stage.carrier.notification {
                $0.claims[setting: "jti"] = .string("\(number)")
                if number % 2 == 1 {
                    $0.claims[setting: "events"] = SigningProvider.notification("consent-revoked", subject: "nobody")
                }
            }
            #expect(try await stage.taken(token).get().changes == (number == 0 ? 1 : 0))
        }
        #expect(try await stage.auditTrail() == [.userCreated, .providerConsentRevoked])
    }
}

@Suite struct `A forged event` {
    @Test func `of an ID token or a logout token ends nothing, and an event logs nobody out`() async throws {
        let stage = try await SignInStage(telling: .apple)
        let outcome = try await stage.signIn(under: "the-sid")
        #expect(await stage.taken(try stage.carrier.idToken()).failure == .invalidEvent(.event))
        #expect(await stage.taken(try stage.carrier.logoutToken()).failure == .invalidEvent(.type))
        let logout = try stage.carrier.logoutToken { $0.header[setting: "typ"] = "JWT" }
        #expect(await stage.taken(logout).failure == .invalidEvent(.event))
        let event = try stage.carrier.notification { $0.claims[setting: "exp"] = .integer(stage.now + 60) }
        #expect(await stage.refusal(of: event) == .invalidLogoutToken(.type))
        let untyped = try await SignInStage { $0.demandsLogoutType = false }
        #expect(await untyped.refusal(of: event) == .invalidLogoutToken(.event))
        #expect(await stage.isSignedIn(outcome))
    }

    @Test func `signs nobody in`() async throws {
        let stage = try await SignInStage(telling: .apple)
        let token = try stage.carrier.notification {
            $0.claims[setting: "sub"] = "310260-subject"
            $0.claims[setting: "exp"] = .integer(stage.now + 60)
            $0.claims[setting: "acr"] = "a3"
        }
        stage.transport.answer(stage.carrier.tokenEndpoint, json: SignInStage.tokens(idToken: token))
        #expect(try await stage.failure(["nonce": ""]) == .invalidIDToken(.malformed))
    }

    @Test func `of another provider is refused at this one, and where no such events are taken`() async throws {
        let stage = try await SignInStage(
            telling: .apple, others: [.openID { $0.issuerSource = .configured(issuer: "https://plain.example") }])
        let plain = SigningProvider(issuer: "https://plain.example", key: TestKeys.otherRSA)
        plain.publish(on: stage.transport)
        let other = try #require(stage.providers.all.last)
        #expect(await stage.taken(try plain.notification()).failure == .invalidEvent(.issuer))
        #expect(await stage.taken(try plain.notification(), at: other).failure == .invalidEvent(.event))
        let request = SigningProvider.signedRequest()
        #expect(await stage.taken(request: request).failure == .invalidEvent(.event))
    }

    @Test func `of a transmitter is believed by the document that the operator names, and by no other`() async throws {
        let stage = try await SignInStage(telling: .risc)
        let outcome = try await stage.signIn(under: nil)
        stage.transport.answer(
            stage.carrier.riscConfigurationURL,
            json: ["issuer": "https://other.example/", "jwks_uri": .string(stage.carrier.keysEndpoint)])
        let token = try stage.carrier.securityEvent { $0.claims[setting: "iss"] = "https://other.example/" }
        guard case .failure(.providerError) = await stage.taken(token) else {
            Issue.record("a document spoke for another host")
            return
        }
        #expect(await stage.isSignedIn(outcome))
    }

    @Test func `is not done where the store is away, and may come again`() async throws {
        let stage = try await SignInStage(telling: .apple)
        let token = try stage.carrier.notification()
        await stage.repository.close()
        for _ in 0..<2 {
            guard case .failure(.storageUnavailable) = await stage.taken(token) else {
                Issue.record("it was told to be done")
                return
            }
        }
        let keyless = try await SignInStage(telling: .risc)
        keyless.transport.fail(keyless.carrier.keysEndpoint, .couldNotConnect)
        #expect(await keyless.taken(try keyless.carrier.securityEvent()).failure == .providerUnavailable)
    }

    @Test func `under a secret that was replaced is refused, and its confirmation is none any more`() async throws {
        let stage = try await SignInStage(telling: .facebook)
        let request = SigningProvider.signedRequest()
        let code = try #require(try await stage.taken(request: request, as: .deletionRequested).get().confirmation)
        let receiver = stage.eventReceiver
        #expect(receiver.requestTime(ofConfirmation: code, at: stage.provider) == SigningProvider.now - 5)
        stage.provider.renew(
            authentication: .basic(clientID: "ccid-0123456789abcdef", secret: Secret("another"), encoding: .form))
        #expect(await stage.taken(request: request).failure == .invalidEvent(.signature))
        #expect(receiver.requestTime(ofConfirmation: code, at: stage.provider) == nil)
        let renewed = SigningProvider.signedRequest(secret: "another") {
            $0[setting: "issued_at"] = .integer(SigningProvider.now)
        }
        #expect(try await stage.taken(request: renewed).get().kinds == [.deauthorized])
    }
}
