import Accounts
import Crypto
import HTTPClient
import JOSE
import JSON
import Syntax
import System
import TestSupport
import Testing

@testable import Providers
@testable import SignIn

/// The rules of a sign-in with what the phone holds; over sockets, and by dialect, they are tested in the flows.
@Suite struct `A sign-in with an ID token of the app's` {
    private static let preimage = "what-the-app-has-drawn"
    private static let nonce = Hexadecimal.encode(Digest.sha256.hash(preimage.utf8.span))

    private func stage(
        registration: RegistrationMode = .automatic, rules: NativeTokenRules? = nil,
        _ change: (inout ProviderConfiguration) -> Void = { _ in }
    ) async throws -> SignInStage {
        try await SignInStage(registration: registration) {
            $0.issuerSource = .configured(issuer: "https://carrier.example")
            $0.nativeTokens =
                rules ?? NativeTokenRules(audiences: [], nonceForm: .hexadecimalSHA256, maximumAgeSeconds: 600)
            change(&$0)
        }
    }

    private func token(
        of stage: SignInStage, _ change: (inout TokenDraft) -> Void = { _ in }
    ) throws -> String {
        try stage.carrier.idToken {
            $0.claims[setting: "nonce"] = .string(Self.nonce)
            change(&$0)
        }
    }

    /// What an app posts that has nothing but the token.
    private func posted(_ token: String, _ more: [String: String] = [:]) -> [String: String] {
        ["code": "", "redirect_uri": "", "mccmnc": "", "code_verifier": "", "nonce": Self.preimage, "id_token": token]
            .merging(more) { $1 }
    }

    private static func hash(_ text: String) -> JSONValue {
        .string(LeftHalfHash.leftHalf(of: text, algorithm: .rs256))
    }

    @Test func `makes a user of the person it is about, and asks the provider for keys alone`() async throws {
        let stage = try await stage()
        let outcome = try await stage.signIn(posted(try token(of: stage)))
        #expect(outcome.signedIn.isNewUser)
        #expect(stage.tokenRequests.isEmpty)
        #expect(stage.transport.requests(to: stage.carrier.userinfoEndpoint).isEmpty)
    }

    @Test func `is good once, whatever its signature, and until it is over`() async throws {
        let stage = try await stage()
        let token = try token(of: stage)
        try await stage.signIn(posted(token))
        #expect(try await stage.failure(posted(token)) == .invalidGrant(.codeAlreadyUsed))
        // Another signature over the same is no other token.
        let (input, signature) = (token.split(separator: ".").dropLast(), "AAAA")
        let other = (input + [Substring(signature)]).joined(separator: ".")
        #expect(try await stage.failure(posted(other)) == .invalidGrant(.codeAlreadyUsed))
        // Forgotten by then, and over.
        stage.pass(seconds: 5000)
        #expect(try await stage.failure(posted(token)) == .invalidIDToken(.expired))
    }

    @Test(arguments: [nil, -30, 30] as [Int64?])
    func `from before an end of sessions opens nothing, also where the provider's clock is ahead`(told: Int64?)
        async throws
    {
        let stage = try await stage()
        // A cache on the way gives an old Date, which makes no token younger.
        let lead = max(0, told ?? 0)
        if let told {
            let date = CalendarTime(secondsSince1970: stage.now + told).imfFixdate
            let headers = [(name: "Content-Type", value: "application/json"), (name: "Date", value: date)]
            let dated = OutboundResponse(status: 200, headers: headers, body: stage.carrier.keyDocument.serialized)
            stage.transport.answer(stage.carrier.keysEndpoint) { _ in .success(dated) }
        }
        func issued(_ seconds: Int64) throws -> [String: String] {
            posted(try token(of: stage) { $0.claims[setting: "iat"] = .integer(stage.now + seconds + lead) })
        }
        let user = try await stage.signIn(posted(try token(of: stage))).signedIn.user
        let line = NotBefore(drawnAt: (stage.now - 20) * 1000)
        _ = try await stage.repository.revokeSessions(of: user, except: nil, line: line, now: stage.now)
        #expect(try await stage.failure(try issued(-25)) != nil)
        #expect(try await stage.failure(try issued(-10)) == nil)
    }

    @Test func `is remembered for longer than any setting lets it in`() throws {
        let draft = SigningProvider().idTokenDraft
        let token = IDToken(
            issuer: "i", subject: "s", issuedAt: 1000, expiresAt: 1300, authenticationTime: nil,
            answersNonce: false, claims: .object(draft.claims))
        #expect(token.isRememberedUntil == 1300 + 3600)
        let lasting = IDToken(
            issuer: "i", subject: "s", issuedAt: 1000, expiresAt: 1_000_000, authenticationTime: nil,
            answersNonce: false, claims: .object(draft.claims))
        #expect(lasting.isRememberedUntil == 1000 + 86_400 + 3600)
    }

    @Test func `leaves a token that was refused to its owner`() async throws {
        let stage = try await stage()
        let token = try token(of: stage)
        #expect(try await stage.failure(posted(token, ["nonce": "a-guess"])) == .invalidIDToken(.nonce))
        #expect(try await stage.failure(posted(token, ["nonce": Self.nonce])) == .invalidIDToken(.nonce))
        try await stage.signIn(posted(token))
    }

    @Test func `is one of two that are tried at once`() async throws {
        let stage = try await stage()
        let token = try token(of: stage)
        let outcomes = try await withThrowingTaskGroup(of: ServiceError?.self) { group in
            for _ in 0..<8 { group.addTask { try await stage.failure(posted(token)) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == nil } == 1)
        #expect(outcomes.compactMap(\.self).allSatisfy { $0 == .invalidGrant(.codeAlreadyUsed) })
    }

    @Test func `takes a challenge of ours as what the app has drawn, once`() async throws {
        let stage = try await stage { $0.requiresChallenge = true }
        let challenge = try await stage.useCases.challenges.issue()
        func token(_ preimage: String) throws -> String {
            let nonce = Hexadecimal.encode(Digest.sha256.hash(preimage.utf8.span))
            return try self.token(of: stage) {
                $0.claims[setting: "nonce"] = .string(nonce)
                $0.claims[setting: "jti"] = .string(Random.token(byteCount: 8))
            }
        }
        #expect(try await stage.failure(posted(try token("mine"), ["nonce": "mine"])) == .invalidChallenge)
        try await stage.signIn(posted(try token(challenge), ["nonce": challenge]))
        #expect(try await stage.failure(posted(try token(challenge), ["nonce": challenge])) == .invalidChallenge)
    }

    @Test func `asks userinfo with the access token that the ID token names, and with no other`() async throws {
        let stage = try await stage()
        let named = try token(of: stage) { $0.claims[setting: "at_hash"] = Self.hash("access") }
        let outcome = try await stage.signIn(posted(named, ["access_token": "access"]))
        #expect(outcome.signedIn.profile.shown["email"] == "jane@example.com")
        let unnamed = try token(of: stage) { $0.claims[setting: "jti"] = "2" }
        try await stage.signIn(posted(unnamed, ["access_token": "of-another-user"]))
        #expect(stage.transport.requests(to: stage.carrier.userinfoEndpoint).count == 1)
        let wrong = try token(of: stage) { $0.claims[setting: "at_hash"] = Self.hash("other") }
        #expect(
            try await stage.failure(posted(wrong, ["access_token": "access"])) == .invalidIDToken(.accessTokenHash))
    }

    @Test func `does without userinfo where that is optional, but not with somebody else's`() async throws {
        let stage = try await stage { $0.userinfo = .optional }
        func posted(_ number: String) throws -> [String: String] {
            let token = try token(of: stage) {
                $0.claims[setting: "at_hash"] = Self.hash("access")
                $0.claims[setting: "jti"] = .string(number)
            }
            return self.posted(token, ["access_token": "access"])
        }
        stage.transport.answer(stage.carrier.userinfoEndpoint, .init(status: 500, headers: [], body: []))
        #expect(try await stage.signIn(posted("1")).signedIn.profile.shown["email"] == nil)
        stage.answerUserinfo(["sub": "somebody-else", "email": "other@example.com"])
        #expect(try await stage.failure(posted("2")) == .userinfoMismatch)
    }

    // MARK: A code beside it

    @Test func `exchanges the code beside it, which must be of the same user`() async throws {
        let stage = try await stage { $0.redirectURIUse = .omitted }
        let verifier = ["code": "the-code", "code_verifier": String(repeating: "v", count: 43)]
        try stage.answerToken { $0.claims[setting: "nonce"] = nil }
        try await stage.signIn(posted(try token(of: stage), verifier))
        let request = try #require(stage.tokenRequests.first)
        #expect(!String(decoding: request.body, as: UTF8.self).contains("redirect_uri"))
        // The code is spent by that, though the next token is another one.
        let next = try token(of: stage) { $0.claims[setting: "jti"] = "2" }
        #expect(try await stage.failure(posted(next, verifier)) == .invalidGrant(.codeAlreadyUsed))
        #expect(stage.tokenRequests.count == 1)
    }

    @Test func `sends no code anywhere whose ID token is refused or names another`() async throws {
        let stage = try await stage {
            $0.requiresPKCE = false; $0.redirectURIUse = .omitted
        }
        let named = try token(of: stage) { $0.claims[setting: "c_hash"] = Self.hash("another-code") }
        #expect(try await stage.failure(posted(named, ["code": "the-code"])) == .invalidIDToken(.codeHash))
        let stolen = posted(try token(of: stage), ["code": "the-code", "nonce": "a-guess"])
        #expect(try await stage.failure(stolen) == .invalidIDToken(.nonce))
        #expect(stage.tokenRequests.isEmpty)
    }

    @Test func `refuses a code of somebody else, and stores nobody`() async throws {
        let stage = try await stage {
            $0.requiresPKCE = false; $0.redirectURIUse = .omitted
        }
        try stage.answerToken { $0.claims[setting: "sub"] = "somebody-else" }
        let token = try token(of: stage)
        #expect(try await stage.failure(posted(token, ["code": "the-code"])) == .invalidIDToken(.subject))
        // The token has signed nobody in, so its owner still can.
        #expect(try await stage.signIn(posted(token)).signedIn.isNewUser)
    }

    // MARK: What the app says

    @Test func `gives a new user the name that the app tells, as the user's own word`() async throws {
        let stage = try await stage()
        let user = #"{"name":{"firstName":"Jane","lastName":"Doe"},"email":"boss@example.com"}"#
        let outcome = try await stage.signIn(posted(try token(of: stage), ["user": user]))
        #expect(outcome.signedIn.profile.own["name"] == "Jane Doe")
        #expect(outcome.signedIn.profile.own["email"] == nil && outcome.signedIn.profile.shown["email"] == nil)
        let again = try token(of: stage) { $0.claims[setting: "jti"] = "2" }
        let other = #"{"name":{"firstName":"Mallory"}}"#
        let known = try await stage.signIn(posted(again, ["user": other]))
        #expect(known.signedIn.profile.own["given_name"] == "Jane")
    }

    @Test func `leaves a name that the provider gives as it is, whatever the app tells beside it`() async throws {
        for claims in [["name": "Jane Doe"], ["given_name": "Jane"]] as [[String: JSONValue]] {
            let stage = try await stage()
            let token = try token(of: stage) { for (name, value) in claims { $0.claims[setting: name] = value } }
            let outcome = try await stage.signIn(
                posted(token, ["user": #"{"name":{"firstName":"Mallory","lastName":"Roe"}}"#]))
            let profile = outcome.signedIn.profile
            #expect(profile.own["name"] == nil && profile.shown["given_name"] == claims["given_name"]?.string)
            #expect(profile.shown.name == claims["name"]?.string)
        }
    }

    @Test func `has half an emoji in a name of the app's repaired`() async throws {
        let stage = try await stage()
        let user = #"{"name":{"firstName":"Ann \ud83d","lastName":"Doe"}}"#
        let outcome = try await stage.signIn(posted(try token(of: stage), ["user": user]))
        #expect(outcome.signedIn.profile.own["given_name"] == "Ann \u{FFFD}")
    }

    @Test(arguments: [
        "null", "{}", "not json", #"{"name":7}"#, #"{"name":{"firstName":""}}"#, #"{"name":{"firstName":"\u0007"}}"#,
    ])
    func `is kept from nobody by an odd name`(user: String) async throws {
        let stage = try await stage()
        let outcome = try await stage.signIn(posted(try token(of: stage), ["user": user]))
        #expect(outcome.signedIn.profile.own["name"] == nil)
    }

    // MARK: What is refused before anything is asked

    private func problem(_ parameters: [String: String], _ configuration: ProviderConfiguration) -> ParameterError? {
        do throws(ParameterError) {
            _ = try AuthorizedResponse({ parameters[$0.rawValue] }, for: Provider(configuration))
            return nil
        } catch {
            return error
        }
    }

    @Test func `is none where the provider's section does not say so`() {
        let problem = problem(["id_token": "a.b.c", "nonce": "n"], .openID())
        #expect(problem?.name == "id_token")
    }

    @Test func `needs what the app has drawn, unless nothing can be compared`() {
        let rules = { (form: NonceForm, forms: [String: NonceForm]) in
            ProviderConfiguration.openID {
                $0.nativeTokens = NativeTokenRules(
                    audiences: [], nonceForm: form, nonceForms: forms, maximumAgeSeconds: 600)
            }
        }
        let token = ["id_token": "a.b.c"]
        #expect(problem(token, rules(.hexadecimalSHA256, [:])) == ParameterError("nonce", "is missing"))
        #expect(problem(token, rules(.hexadecimalSHA256, ["android": .none])) == nil)
        #expect(problem(token, rules(.none, [:])) == nil)
        #expect(problem(token.merging(["nonce": "n"]) { $1 }, rules(.none, [:]))?.name == "nonce")
    }

    @Test func `brings no redirect URI where the provider's codes have none`() {
        let parameters = SignInStage.parameters
        func configuration(_ use: ProviderConfiguration.RedirectURIUse) -> ProviderConfiguration {
            .openID { $0.redirectURIUse = use }
        }
        #expect(problem(parameters, configuration(.omitted))?.name == "redirect_uri")
        #expect(problem(parameters, configuration(.empty))?.name == "redirect_uri")
        #expect(problem(parameters, configuration(.optional)) == nil)
        let without = parameters.filter { $0.key != "redirect_uri" }
        for use in ProviderConfiguration.RedirectURIUse.allCases {
            #expect(problem(without, configuration(use)) == nil)
        }
    }
}
