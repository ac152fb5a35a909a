import Accounts
import HTTPClient
import JSON
import Providers
import SignIn
import TestSupport
import Testing

@testable import Wings

extension SignInStage {
    /// Signs in by an ID token that names a session of the carrier's.
    func signIn(
        under session: JSONValue?, subject: String = "310260-subject", code: String = "the-code"
    ) async throws -> SignInWithProvider.Outcome {
        try answerToken { [now] in
            for (name, time) in [("iat", now), ("auth_time", now), ("exp", now + 300)] {
                $0.claims[setting: name] = .integer(time)
            }
            $0.claims[setting: "sid"] = session
            $0.claims[setting: "sub"] = .string(subject)
        }
        answerUserinfo(["sub": .string(subject)])
        return try await signIn(["code": code])
    }

    /// Why a logout token is refused; nil when it is not.
    func refusal(of token: String, at other: Provider? = nil) async -> ServiceError? {
        do throws(ServiceError) {
            try await backChannelLogout.end(token, at: other ?? provider, in: .unobserved)
            return nil
        } catch {
            return error
        }
    }

    func refusal(_ change: (inout TokenDraft) -> Void = { _ in }) async throws -> ServiceError? {
        await refusal(of: try carrier.logoutToken(change))
    }
}

@Suite struct `A logout by a provider` {
    @Test func `ends the sessions that came of its own, with their refresh tokens, and no other`() async throws {
        let stage = try await SignInStage()
        let phone = try await stage.signIn(under: "the-sid", code: "1")
        let tablet = try await stage.signIn(under: "another", code: "2")
        let watch = try await stage.signIn(under: nil, code: "3")
        #expect(try await stage.refusal() == nil)
        #expect(await !stage.isSignedIn(phone))
        await #expect(throws: ServiceError.invalidGrant(.unknownRefreshToken)) {
            try await stage.sessions.refresh(phone.tokens.refreshToken)
        }
        #expect(await stage.isSignedIn(tablet))
        #expect(await stage.isSignedIn(watch))
        #expect(try await stage.auditTrail() == [.userCreated, .providerLogout])
    }

    @Test func `ends everything of a user where it names no session`() async throws {
        let stage = try await SignInStage()
        let outcomes = [
            try await stage.signIn(under: "the-sid", code: "1"), try await stage.signIn(under: nil, code: "2"),
        ]
        let other = try await stage.signIn(under: nil, subject: "other", code: "3")
        #expect(try await stage.refusal { $0.claims[setting: "sid"] = nil } == nil)
        for outcome in outcomes { #expect(await !stage.isSignedIn(outcome)) }
        #expect(await stage.isSignedIn(other))
    }

    @Test func `says the same of a session and of users that nobody knows, and writes nothing down`() async throws {
        let stage = try await SignInStage()
        let outcome = try await stage.signIn(under: "the-sid")
        let strangers: [(inout TokenDraft) -> Void] = [
            { $0.claims[setting: "sid"] = "unknown" }, { $0.claims[setting: "sub"] = "unknown" },
            {
                $0.claims[setting: "sid"] = nil
                $0.claims[setting: "sub"] = "unknown"
            },
        ]
        for (number, change) in strangers.enumerated() {
            let refusal = try await stage.refusal {
                change(&$0)
                $0.claims[setting: "jti"] = .string("\(number)")
            }
            #expect(refusal == nil)
        }
        #expect(await stage.isSignedIn(outcome))
        #expect(try await stage.auditTrail() == [.userCreated])
    }

    @Test(arguments: [JSONValue.null, "", 7, ["the-sid"], .string(String(repeating: "s", count: 513))])
    func `finds nothing by what no session can be named by`(session: JSONValue) async throws {
        let stage = try await SignInStage()
        let outcome = try await stage.signIn(under: session)
        #expect(try await stage.refusal { $0.claims[setting: "sub"] = nil } == nil)
        #expect(await stage.isSignedIn(outcome))
    }

    @Test func `finds whom an issuer knew that has another name by now`() async throws {
        let stage = try await SignInStage {
            $0.issuerAliases = ["https://carrier.example": "https://new.example"]
        }
        let bySession = try await stage.signIn(under: "the-sid", code: "1")
        #expect(try await stage.refusal() == nil)
        #expect(await !stage.isSignedIn(bySession))
        let bySubject = try await stage.signIn(under: nil, code: "2")
        let refusal = try await stage.refusal {
            $0.claims[setting: "sid"] = nil
            $0.claims[setting: "jti"] = "second"
        }
        #expect(refusal == nil)
        #expect(await !stage.isSignedIn(bySubject))
    }

    @Test func `ends what was opened before the issuer had another name, by its session at the provider`() async throws
    {
        let before = try await SignInStage()
        let outcome = try await before.signIn(under: "the-sid")
        let after = try await SignInStage(in: before.repository) {
            $0.issuerAliases = ["https://carrier.example": "https://new.example"]
        }
        #expect(try await after.refusal { $0.claims[setting: "sub"] = nil } == nil)
        #expect(await !before.isSignedIn(outcome))
    }

    @Test func `counts once, and again where the store could not take it`() async throws {
        let stage = try await SignInStage()
        #expect(try await stage.refusal() == nil)
        #expect(try await stage.refusal() == .invalidLogoutToken(.replayed))
        let second: (inout TokenDraft) -> Void = { $0.claims[setting: "jti"] = "second" }
        #expect(try await stage.refusal(second) == nil)
        #expect(try await stage.refusal(second) == .invalidLogoutToken(.replayed))
        await stage.repository.close()
        for _ in 0..<2 {
            let refusal = try await stage.refusal { $0.claims[setting: "jti"] = "third" }
            guard case .storageUnavailable = refusal else {
                Issue.record("\(String(describing: refusal))")
                return
            }
        }
    }

    @Test func `of many copies at once ends a session by one`() async throws {
        let stage = try await SignInStage()
        _ = try await stage.signIn(under: "the-sid")
        let token = try stage.carrier.logoutToken()
        let taken = await withTaskGroup(of: ServiceError?.self) { group in
            for _ in 0..<16 { group.addTask { await stage.refusal(of: token) } }
            return await group.reduce(into: 0) { $0 += $1 == nil ? 1 : 0 }
        }
        #expect(taken == 1)
    }
}

@Suite struct `A forged logout` {
    @Test func `of an ID token ends nothing`() async throws {
        let stage = try await SignInStage()
        let outcome = try await stage.signIn(under: "the-sid")
        let token = try stage.carrier.idToken { $0.claims[setting: "sid"] = "the-sid" }
        #expect(await stage.refusal(of: token) == .invalidLogoutToken(.type))
        let typed = try stage.carrier.idToken {
            $0.claims[setting: "sid"] = "the-sid"
            $0.header[setting: "typ"] = "logout+jwt"
        }
        #expect(await stage.refusal(of: typed) == .invalidLogoutToken(.event))
        #expect(await stage.isSignedIn(outcome))
    }

    @Test func `token signs nobody in`() async throws {
        let stage = try await SignInStage()
        for type in ["JWT", "logout+jwt"] {
            let token = try stage.carrier.logoutToken {
                $0.header[setting: "typ"] = .string(type)
                $0.claims[setting: "acr"] = "a3"
            }
            stage.transport.answer(stage.carrier.tokenEndpoint, json: SignInStage.tokens(idToken: token))
            #expect(try await stage.failure(["code": type, "nonce": ""]) == .invalidIDToken(.malformed))
        }
    }

    @Test func `of another provider is refused at this one, and the other way round`() async throws {
        let stage = try await SignInStage(others: [
            .openID { $0.issuerSource = .configured(issuer: "https://plain.example") }
        ])
        let plain = SigningProvider(issuer: "https://plain.example", key: TestKeys.otherRSA)
        plain.publish(on: stage.transport)
        let other = try #require(stage.providers.all.last)
        #expect(await stage.refusal(of: try stage.carrier.logoutToken(), at: other) == .invalidLogoutToken(.issuer))
        #expect(await stage.refusal(of: try plain.logoutToken()) == .invalidLogoutToken(.issuer))
        #expect(await stage.refusal(of: try plain.logoutToken(), at: other) == nil)
    }

    /// The subjects of two issuers may be the same text, and so may the names of their sessions.
    @Test func `of another carrier ends nothing of this one's`() async throws {
        let stage = try await SignInStage()
        let outcome = try await stage.signIn(under: "the-sid")
        for (number, session) in [JSONValue.string("the-sid"), nil].enumerated() {
            let token = try stage.former.logoutToken {
                $0.claims[setting: "sid"] = session
                $0.claims[setting: "jti"] = .string("\(number)")
            }
            #expect(await stage.refusal(of: token) == nil)
        }
        #expect(await stage.isSignedIn(outcome))
        // Who signs as one carrier is not believed as another.
        let token = try stage.former.logoutToken { $0.claims[setting: "iss"] = "https://carrier.example" }
        #expect(await stage.refusal(of: token) == .invalidLogoutToken(.signature))
    }

    @Test func `is refused before anybody is asked where its issuer is not trusted, or its algorithm`() async throws {
        let stage = try await SignInStage()
        let stranger = SigningProvider(issuer: "https://stranger.example")
        stranger.publish(on: stage.transport)
        #expect(await stage.refusal(of: try stranger.logoutToken()) == .invalidLogoutToken(.issuer))
        #expect(await stage.refusal(of: "garbage") == .invalidLogoutToken(.malformed))
        #expect(try await stage.refusal { $0.header[setting: "alg"] = "none" } == .invalidLogoutToken(.algorithm))
        #expect(try await stage.refusal { $0.header[setting: "alg"] = "ES256" } == .invalidLogoutToken(.algorithm))
        #expect(try await stage.refusal { $0.claims[setting: "iss"] = nil } == .invalidLogoutToken(.issuer))
        #expect(stage.transport.requests.isEmpty)
    }

    @Test func `of made-up issuers and keys costs a handful of requests, and no sign-in of a carrier`() async throws {
        let stage = try await SignInStage()
        let outcome = try await stage.signIn(under: "the-sid")
        let before = stage.transport.requests.count
        let start = ContinuousClock.now
        for number in 0..<200 {
            let issuer = try stage.carrier.logoutToken {
                $0.claims[setting: "iss"] = .string("https://carrier.example/\(number)")
            }
            let refusal = await stage.refusal(of: issuer)
            #expect(refusal != nil)
            let key = try stage.carrier.logoutToken { $0.header[setting: "kid"] = .string("\(number)") }
            #expect(await stage.refusal(of: key) == .invalidLogoutToken(.unknownKey))
        }
        // Ten issuers' documents, each tried twice, and five key sets; then one every six seconds, and one a minute.
        let seconds = Int((ContinuousClock.now - start).components.seconds) + 1
        #expect(stage.transport.requests.count - before <= 2 * (10 + seconds / 6 + 1) + 5 + seconds / 60 + 1)
        // The carrier's own metadata is known by its users' sign-ins.
        #expect(try await stage.refusal() == nil)
        #expect(await !stage.isSignedIn(outcome))
    }

    @Test func `says nothing of a token whose keys can't be had, which may come again`() async throws {
        let stage = try await SignInStage()
        stage.transport.fail(stage.carrier.keysEndpoint, .couldNotConnect)
        #expect(try await stage.refusal() == .providerUnavailable)
    }
}
