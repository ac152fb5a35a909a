import Providers
import SignIn
import TestSupport
import Testing

@Suite struct `What is posted to exchange an access token` {
    private func problem(_ changes: [String: String]) async throws -> ServiceError? {
        let stage = try await SignInStage()
        do {
            _ = try stage.subjectToken("opaque", changes)
            return nil
        } catch let error as ServiceError {
            return error
        }
    }

    @Test(arguments: ["", " ", "a b", "a\r\nAuthorization: Basic x", "\u{0}", "é", "a\n"])
    func `is a token that ends no header`(token: String) async throws {
        let problem = token.isEmpty ? "is missing" : "has characters that no access token has"
        #expect(
            try await self.problem(["subject_token": token])
                == .invalidParameter(ParameterError("subject_token", problem)))
    }

    @Test func `is no longer than it may be`() async throws {
        #expect(SubjectToken.maximumBytes == 16_384)
        let longest = String(repeating: "x", count: SubjectToken.maximumBytes)
        #expect(try await problem(["subject_token": longest]) == nil)
        #expect(
            try await problem(["subject_token": longest + "x"])
                == .invalidParameter(ParameterError("subject_token", "is longer than 16384 bytes")))
    }

    @Test(arguments: ["", "id_token", "refresh_token", "saml2"])
    func `is called an access token`(type: String) async throws {
        let type = type.isEmpty ? "" : "urn:ietf:params:oauth:token-type:\(type)"
        guard case .invalidParameter(let error) = try await problem(["subject_token_type": type]) else {
            Issue.record("it is taken")
            return
        }
        #expect(error.name == "subject_token_type")
    }

    @Test func `is called a JWT only where it has to be one`() async throws {
        let stage = try await SignInStage.exchanging(TokenExchange(.introspection))
        await #expect(throws: ServiceError.self) {
            try await stage.exchange("opaque", ["subject_token_type": SubjectToken.jwtType])
        }
        #expect(stage.transport.requests.isEmpty)
        let signed = try await SignInStage.exchanging(TokenExchange(.jwt))
        _ = try await signed.exchange(
            try signed.carrier.accessToken(), ["subject_token_type": SubjectToken.jwtType])
    }

    @Test(arguments: ["actor_token", "actor_token_type", "requested_token_type"])
    func `asks for nothing else`(name: String) async throws {
        let value = "urn:ietf:params:oauth:token-type:id_token"
        guard case .invalidParameter(let error) = try await problem([name: value]) else {
            Issue.record("it is taken")
            return
        }
        #expect(error.name == name)
        #expect(try await problem(["requested_token_type": SubjectToken.accessTokenType]) == nil)
    }

    @Test(arguments: ["audience", "resource"]) func `asks for tokens for this service`(name: String) async throws {
        let stage = try await SignInStage.exchanging(TokenExchange(.jwt))
        let token = try stage.carrier.accessToken()
        await #expect(throws: ServiceError.invalidTarget) {
            try await stage.exchange(token, [name: "https://other.example"])
        }
        #expect(try await problem(["resource": "api", "audience": "https://gatehouse.example"]) == .invalidTarget)
        #expect(try await problem([name: "api"]) == nil)
    }
}
