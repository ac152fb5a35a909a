import Accounts
import Crypto
import HTTPClient
import JSON
import Providers
import SignIn
import Syntax
import TestSupport
import Testing

@Suite struct `A sign-in with a code` {
    @Test func `asks discovery, the token endpoint, the keys and userinfo, in this order`() async throws {
        let stage = try await SignInStage()
        try await stage.signIn(["correlation_id": "abc-1", "sdk_version": "2.0"])
        #expect(
            stage.transport.requests.map(\.address) == [
                ProviderConfiguration.discoveryURL, stage.carrier.tokenEndpoint, stage.carrier.keysEndpoint,
                stage.carrier.userinfoEndpoint,
            ])
        let request = try #require(stage.tokenRequests.first)
        #expect(
            request.bodyText == "grant_type=authorization_code&code=the-code"
                + "&redirect_uri=ccid-0123456789abcdef%3A%2F%2Fcom.xci.provider.sdk"
                + "&code_verifier=\(String(repeating: "v", count: 43))&correlation_id=abc-1&sdk_version=2.0")
        #expect(request.finishesWhenCancelled)
        let userinfo = try #require(stage.transport.requests(to: stage.carrier.userinfoEndpoint).first)
        #expect(userinfo.header("Authorization") == "Bearer access")
        #expect(userinfo.query == "correlation_id=abc-1")
    }

    @Test func `makes a user with identity, profile and session`() async throws {
        let stage = try await SignInStage()
        let outcome = try await stage.signIn()
        #expect(outcome.signedIn.isNewUser)
        #expect(!outcome.signedIn.migrated)
        #expect(outcome.authentication.acr == "a3")
        #expect(outcome.authentication.time == SigningProvider.now - 10)
        #expect(outcome.tokens.expiresIn == 900)
        #expect(outcome.signedIn.profile.carrier.name == "Jane Doe")
        let identity = try #require(try await stage.repository.identities(of: outcome.signedIn.user).first)
        #expect(identity.subject == Subject(issuer: stage.carrier.issuer, value: "310260-subject"))
        #expect(identity.provider == "zenkey")
        let session = try await stage.sessions.principal(of: outcome.tokens.accessToken).session
        #expect(session.authentication.amr == ["hwk", "pin"])
        #expect(session.client == "ccid-0123456789abcdef")
        #expect(session.provider == "zenkey")
        #expect(session.expiresAt == stage.now + 86_400)
    }

    @Test func `finds the user again`() async throws {
        let stage = try await SignInStage()
        let first = try await stage.signIn()
        let second = try await stage.signIn(["code": "another"])
        #expect(second.signedIn.user == first.signedIn.user)
        #expect(second.signedIn.reference == first.signedIn.reference)
        #expect(!second.signedIn.isNewUser)
        #expect(stage.transport.requests(to: stage.carrier.keysEndpoint).count == 1)
    }

    @Test func `gives nobody's subject away`() async throws {
        let stage = try await SignInStage()
        let outcome = try await stage.signIn()
        var shown = ""
        dump(outcome, to: &shown)
        #expect(!shown.contains("310260-subject"))
        #expect(!outcome.signedIn.reference.contains("310260"))
        let claims = try #require(
            outcome.tokens.accessToken.split(separator: ".").dropFirst().first.flatMap { Base64URL.decode(String($0)) })
        for personal in ["310260-subject", "Jane", "jane@example.com", "+12065550100", "90210"] {
            #expect(!String(decoding: claims, as: UTF8.self).contains(personal))
        }
    }

    @Test func `keeps users of two issuers apart though their subjects are the same`() async throws {
        let stage = try await SignInStage()
        let first = try await stage.signIn()
        try stage.moveTo(stage.former, network: "311480", subject: "310260-subject")
        let second = try await stage.signIn(["code": "another", "mccmnc": "311480"])
        #expect(second.signedIn.user != first.signedIn.user)
    }

    @Test func `writes the carrier's level in its present spelling`() async throws {
        let stage = try await SignInStage()
        try stage.answerToken { $0.claims[setting: "acr"] = "aal3" }
        let outcome = try await stage.signIn(["acr_values": "a3"])
        #expect(outcome.authentication.acr == "a3")
        #expect(try await stage.sessions.principal(of: outcome.tokens.accessToken).session.authentication.acr == "a3")
    }

    @Test func `stores the issuer under its present name`() async throws {
        let stage = try await SignInStage { $0.issuerAliases = ["https://carrier.example": "https://new.example"] }
        let user = try await stage.signIn().signedIn.user
        #expect(try await stage.repository.identities(of: user).map(\.subject.issuer) == ["https://new.example"])
    }

    @Test func `takes the attributes from the ID token where there is no userinfo`() async throws {
        let stage = try await SignInStage { $0.userinfo = .never }
        try stage.answerToken { $0.claims[setting: "email"] = "jane@token.example" }
        let outcome = try await stage.signIn()
        #expect(outcome.signedIn.profile.carrier == ["email": "jane@token.example"])
        #expect(stage.transport.requests(to: stage.carrier.userinfoEndpoint).isEmpty)
    }

    @Test func `a sign-in with a code does without userinfo at a provider that has none`() async throws {
        let stage = try await SignInStage()
        var metadata = try #require(stage.carrier.metadata.object)
        metadata[setting: "userinfo_endpoint"] = nil
        stage.transport.answer(stage.carrier.metadataURL, json: .object(metadata))
        try stage.answerToken { $0.claims[setting: "email"] = "jane@token.example" }
        let outcome = try await stage.signInWithCode.signIn(
            try stage.response(), with: Provider(.openID()), userAgent: nil, replacing: nil, in: .unobserved)
        #expect(outcome.signedIn.profile.carrier == ["email": "jane@token.example"])
    }

    @Test func `proves who we are with the renewed secret from the next exchange on`() async throws {
        let stage = try await SignInStage()
        try await stage.signIn()
        stage.provider.renew(
            authentication: .post(clientID: "ccid-0123456789abcdef", secret: Secret("renewed-secret")))
        try await stage.signIn(["code": "another"])
        #expect(stage.tokenRequests.map { $0.header("Authorization") != nil } == [true, false])
        #expect(stage.tokenRequests.map { $0.bodyText.contains("client_secret=renewed-secret") } == [false, true])
    }

    @Test func `takes signed userinfo`() async throws {
        let stage = try await SignInStage()
        let signed = try stage.carrier.sign(
            TokenDraft(
                header: stage.carrier.idTokenDraft.header,
                claims: JSONObject([("sub", "310260-subject"), ("email", "signed@example.com")])))
        stage.transport.answer(stage.carrier.userinfoEndpoint, .text(signed, type: "application/jwt"))
        #expect(try await stage.signIn().signedIn.profile.carrier.email == "signed@example.com")
    }

    @Test func `a sign-in with a code may leave out the nonce where the ID token has none either`() async throws {
        let stage = try await SignInStage()
        try stage.answerToken { $0.claims[setting: "nonce"] = nil }
        try await stage.signIn(["nonce": ""])
    }

    @Test func `refuses a redirect URI that is not the provider's before anything is asked`() async throws {
        let stage = try await SignInStage()
        #expect(try await stage.failure(["redirect_uri": "https://evil.example"]) == .redirectURINotAllowed)
        #expect(stage.transport.requests.isEmpty)
    }

    @Test func `gives each call a share of its time only`() async throws {
        let stage = try await SignInStage {
            $0.timeout = .seconds(5)
            $0.signInTimeout = .seconds(4)
        }
        try await stage.signIn()
        #expect(stage.transport.requests.allSatisfy { $0.timeout <= .seconds(4) && $0.timeout > .seconds(0) })
        let late = try await SignInStage { $0.signInTimeout = .zero }
        try await late.signIn()
        #expect(late.transport.requests.allSatisfy { $0.timeout == .milliseconds(1) })
    }

    @Test func `tells that nothing can be stored`() async throws {
        let stage = try await SignInStage()
        let tokens = SignInStage.tokens(idToken: try stage.carrier.idToken())
        stage.transport.answer(stage.carrier.tokenEndpoint) { [repository = stage.repository] _ in
            await repository.close()
            return .success(.json(tokens))
        }
        #expect(try await stage.failure() == .storageUnavailable(.closed))
    }
}

extension SignInStage {
    /// From now on that network is served by another carrier, which says this of its subscriber.
    func moveTo(
        _ carrier: SigningProvider, network: String, subject: String, portTokens: [String] = []
    ) throws {
        transport.answer(ProviderConfiguration.discoveryURL, json: carrier.metadata)
        let token = try carrier.idToken {
            $0.claims[setting: "sub"] = .string(subject)
            if !portTokens.isEmpty { $0.claims[setting: "aka"] = .array(portTokens.map { .string($0) }) }
        }
        transport.answer(carrier.tokenEndpoint, json: Self.tokens(idToken: token))
        transport.answer(carrier.userinfoEndpoint, json: ["sub": .string(subject)])
    }
}
