import JSON
import Providers
import SignIn
import TestSupport
import Testing

/// What keeps a posted code from being good for anybody else who has come by it.
@Suite struct `A posted code` {
    private static let callback = "https://gatehouse.example/auth/zenkey/callback"

    /// A stage where each of these is among the redirect URIs, whatever the configuration's rules say.
    private func stage(
        returning redirectURIs: [String], _ change: (inout ProviderConfiguration) -> Void = { _ in }
    ) async throws -> SignInStage {
        try await SignInStage {
            $0.redirectURIs = redirectURIs
            change(&$0)
        }
    }

    @Test(arguments: [
        callback, "https://gatehouse.example/auth/another/callback",
        "https://GATEHOUSE.example:443/auth/zenkey/callback",
        "https://gatehouse.example/auth/zenkey/callback?x=1", "https://gatehouse.example/%61uth/zenkey/callback",
        "https://gatehouse.example//auth/zenkey/callback", "https://gatehouse.example/x/../auth/zenkey/callback",
    ])
    func `that came back to this service is refused before anything is asked, however its address is written`(
        address: String
    ) async throws {
        let stage = try await stage(returning: [address])
        #expect(try await stage.failure(["redirect_uri": address]) == .redirectURINotAllowed)
        // Where it is the only one, it is not filled in either.
        #expect(try await stage.failure(["redirect_uri": ""]) == .redirectURINotAllowed)
        #expect(stage.transport.requests.isEmpty)
    }

    @Test(arguments: [
        "https://gatehouse.example/acme/callback", "https://other.example/auth/zenkey/callback",
        "https://gatehouse.example:8443/auth/zenkey/callback", "com.example.app:/auth/zenkey/callback",
    ])
    func `that came back to an app is taken`(address: String) async throws {
        let stage = try await stage(returning: [address, Self.callback])
        try await stage.signIn(["redirect_uri": address])
    }

    private static let missing = ServiceError.invalidParameter(
        ParameterError(
            "nonce", "is missing: a code needs one without a code_verifier that this provider is known to compare"))

    /// The carrier's tokens have no nonce, and its metadata announces these methods.
    private func stage(
        _ pkce: CodeProtection.PKCE, announcing methods: JSONValue? = nil, nonce: CodeProtection.Nonce = .required
    ) async throws -> SignInStage {
        let stage = try await SignInStage {
            $0.codeProtection = CodeProtection(pkce: pkce, nonce: nonce)
            $0.requiresPKCE = false
        }
        try stage.answerToken { $0.claims[setting: "nonce"] = nil }
        var metadata = stage.carrier.metadata.object ?? JSONObject()
        if let methods { metadata.append("code_challenge_methods_supported", methods) }
        stage.transport.answer(ProviderConfiguration.discoveryURL, json: .object(metadata))
        return stage
    }

    @Test func `needs a nonce where the provider passes PKCE over, and is good with one then`() async throws {
        let stage = try await stage(.ignored)
        #expect(try await stage.failure(["nonce": ""]) == Self.missing)
        #expect(stage.tokenRequests.isEmpty)
        try stage.answerToken()
        try await stage.signIn()
    }

    @Test(
        arguments: [
            (.auto, nil, true), (.auto, [], true), (.auto, ["plain"], true), (.auto, ["plain", "S256"], false),
            (.auto, "S256", false), (.enforced, nil, false), (.ignored, ["S256"], true),
        ] as [(CodeProtection.PKCE, JSONValue?, Bool)])
    func `needs a nonce where PKCE is not known to be enforced`(
        pkce: CodeProtection.PKCE, methods: JSONValue?, isNeeded: Bool
    ) async throws {
        let stage = try await stage(pkce, announcing: methods)
        #expect(try await stage.failure(["nonce": ""]) == (isNeeded ? Self.missing : nil))
        // Without a verifier nothing is enforced.
        #expect(try await stage.failure(["nonce": "", "code_verifier": "", "code": "2"]) == Self.missing)
    }

    @Test func `needs none by the operator's word that an SDK puts in one nobody can read`() async throws {
        let stage = try await stage(.ignored, nonce: .optional)
        try await stage.signIn(["nonce": ""])
        try stage.answerToken { $0.claims[setting: "nonce"] = "of-the-sdk" }
        try await stage.signIn(["nonce": "", "code": "another"])
        // One that is named is compared all the same.
        #expect(try await stage.failure(["nonce": "mine", "code": "third"]) == .invalidIDToken(.nonce))
    }

    @Test func `whose token has a nonce is taken from who names it, and from nobody else`() async throws {
        let stage = try await SignInStage()
        #expect(try await stage.failure(["nonce": ""]) == .invalidIDToken(.nonce))
        #expect(try await stage.failure(["nonce": "a-guess", "code": "2"]) == .invalidIDToken(.nonce))
        try await stage.signIn(["code": "3"])
        for nonce in [nil, "", .null] as [JSONValue?] {
            try stage.answerToken { $0.claims[setting: "nonce"] = nonce }
            try await stage.signIn(["nonce": "", "code": "without \(nonce == nil)\(nonce == "")"])
        }
        try stage.answerToken { $0.claims[setting: "nonce"] = 7 }
        #expect(try await stage.failure(["nonce": "", "code": "4"]) == .invalidIDToken(.nonce))
    }
}
