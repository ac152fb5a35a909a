import Accounts
import HTTPClient
import JSON
import Providers
import SignIn
internal import Syntax
import TestSupport
import Testing

@Suite struct `A user who changed carriers` {
    /// Somebody signed in at the former carrier as `old-subject`.
    private func ported() async throws -> (stage: SignInStage, user: SignInWithProvider.Outcome) {
        let stage = try await SignInStage()
        try stage.moveTo(stage.former, network: "311480", subject: "old-subject")
        let user = try await stage.signIn(["code": "old-code", "mccmnc": "311480"])
        return (stage, user)
    }

    private func move(_ stage: SignInStage, subject: String = "new-subject", portTokens: [String]) throws {
        try stage.moveTo(stage.carrier, network: "310260", subject: subject, portTokens: portTokens)
    }

    @Test func `a user who changed carriers is the same user by a port token`() async throws {
        let (stage, old) = try await ported()
        try move(stage, portTokens: [try stage.former.portToken()])
        let new = try await stage.signIn()
        #expect(new.signedIn.user == old.signedIn.user)
        #expect(new.signedIn.migrated)
        #expect(!new.signedIn.isNewUser)
        #expect(
            try await stage.repository.identities(of: old.signedIn.user).map(\.subject) == [
                Subject(issuer: stage.carrier.issuer, value: "new-subject")
            ])
        await #expect(throws: ServiceError.invalidToken) {
            try await stage.sessions.principal(of: old.tokens.accessToken).session
        }
        _ = try await stage.sessions.principal(of: new.tokens.accessToken).session
    }

    @Test func `a user who changed carriers is not asked for again once known`() async throws {
        let (stage, _) = try await ported()
        try move(stage, portTokens: [try stage.former.portToken()])
        try await stage.signIn()
        let asked = stage.transport.requests.filter { $0.url.host == "id.former.example" }.count
        let again = try await stage.signIn(["code": "another"])
        #expect(!again.signedIn.migrated)
        #expect(stage.transport.requests.filter { $0.url.host == "id.former.example" }.count == asked)
    }

    @Test func `needs no former carrier when the subject is known already`() async throws {
        let stage = try await SignInStage()
        try move(stage, portTokens: [])
        try await stage.signIn()
        try move(stage, portTokens: [try stage.former.portToken()])
        stage.transport.fail(stage.former.metadataURL, .couldNotConnect)
        try await stage.signIn(["code": "another"])
        #expect(stage.transport.requests(to: stage.former.metadataURL).isEmpty)
    }

    @Test func `a user who changed carriers is nobody else by a port token that was used`() async throws {
        let (stage, old) = try await ported()
        let token = try stage.former.portToken()
        try move(stage, portTokens: [token])
        try await stage.signIn()
        try move(stage, subject: "thief", portTokens: [token])
        let call = CallContext.unobserved
        let thief = try await stage.signInWithCode.signIn(
            stage.response(["code": "another"]), with: stage.provider, userAgent: nil, replacing: nil, in: call)
        #expect(thief.signedIn.isNewUser)
        #expect(thief.signedIn.user != old.signedIn.user)
        #expect(call.refusedPortTokens == [.used])
    }

    @Test func `a user who changed carriers is a new user by a port token that proves nothing`() async throws {
        let (stage, old) = try await ported()
        try move(stage, portTokens: [try stage.former.portToken { $0.claims[setting: "aud"] = "another" }])
        let new = try await stage.signIn()
        #expect(new.signedIn.isNewUser)
        #expect(new.signedIn.user != old.signedIn.user)
    }

    @Test func `a user with an account at either carrier signs in, and is told that the two may be one`() async throws {
        let (stage, old) = try await ported()
        try move(stage, portTokens: [])
        let new = try await stage.signIn()
        #expect(new.signedIn.isNewUser && !new.signedIn.isMergeOffered)
        try move(stage, portTokens: [try stage.former.portToken()])
        let late = try await stage.signIn(["code": "late"])
        #expect(late.signedIn.user == new.signedIn.user && late.signedIn.isMergeOffered)
        #expect(late.signedIn.user != old.signedIn.user && !late.signedIn.migrated)
        // One that proves nothing tells nothing, and neither does a carrier that can't be asked.
        try move(stage, portTokens: [try stage.former.portToken { $0.claims[setting: "aud"] = "another" }])
        #expect(try await !stage.signIn(["code": "later"]).signedIn.isMergeOffered)
        stage.transport.answer(stage.former.metadataURL) { _ in .failure(.couldNotConnect) }
        #expect(try await stage.signIn(["code": "latest"]).signedIn.user == new.signedIn.user)
    }

    @Test func `a user who changed carriers is refused when two old subjects are two users`() async throws {
        let (stage, _) = try await ported()
        try stage.moveTo(stage.former, network: "311480", subject: "older-subject")
        try await stage.signIn(["code": "older-code", "mccmnc": "311480"])
        let tokens = [
            try stage.former.portToken(), try stage.former.portToken { $0.claims[setting: "sub"] = "older-subject" },
        ]
        try move(stage, portTokens: tokens)
        #expect(try await stage.failure() == .migrationConflict)
        #expect(try await stage.failure() == .invalidGrant(.codeAlreadyUsed))
    }

    @Test(
        arguments: [
            (.failure(.couldNotConnect), .providerUnavailable),
            (.failure(.timedOut(requestSent: true)), .providerTimeout),
            (.success(.page(status: 429)), .providerUnavailable),
            (.success(.page(status: 500)), .providerError(ProviderProblem(.keys, .status(500)))),
        ] as [(ScriptedTransport.Outcome, ServiceError)])
    func `a user who changed carriers is not made a stranger while the former carrier can't be asked`(
        outcome: ScriptedTransport.Outcome, error: ServiceError
    ) async throws {
        let (stage, old) = try await ported()
        stage.transport.answer(stage.former.metadataURL) { _ in outcome }
        try move(stage, portTokens: [try stage.former.portToken()])
        #expect(try await stage.failure() == error)
        #expect(try await stage.failure() == .invalidGrant(.codeAlreadyUsed))
        // The provider's own memory of the failure passes with time; another start of the service has none.
        stage.former.publish(on: stage.transport)
        let restarted = Provider(stage.provider.configuration)
        let response = try stage.response(["code": "another"])
        let new = try await stage.signInWithCode.signIn(
            response, with: restarted, userAgent: nil, replacing: nil, in: .unobserved)
        #expect(new.signedIn.user == old.signedIn.user)
    }

    @Test func `a user who changed carriers is found under the present name of a carrier that changed it`() async throws
    {
        let stage = try await SignInStage {
            $0.issuerAliases = ["https://id.former.example": "https://new.former.example"]
        }
        try stage.moveTo(stage.former, network: "311480", subject: "old-subject")
        let old = try await stage.signIn(["code": "old-code", "mccmnc": "311480"])
        #expect(
            try await stage.repository.identities(of: old.signedIn.user).map(\.subject.issuer) == [
                "https://new.former.example"
            ])
        try move(stage, portTokens: [try stage.former.portToken()])
        #expect(try await stage.signIn().signedIn.user == old.signedIn.user)
    }
}
