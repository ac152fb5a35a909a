import Crypto
import HTTPClient
import JSON
import TestSupport
import Testing

@testable import Providers

@Suite struct `Asking Apple about an app's users` {
    private static let tokenEndpoint = "https://carrier.example/auth/token"
    private static let infoEndpoint = "https://carrier.example/auth/usermigrationinfo"
    private static let now = SigningProvider.now

    private let transport = ScriptedTransport()
    private let call = CallContext.unobserved

    init() throws {
        let signing = SigningProvider()
        var metadata = try #require(signing.metadata.object)
        metadata[setting: "token_endpoint"] = .string(Self.tokenEndpoint)
        transport.answer(signing.metadataURL, json: .object(metadata))
        transport.answer(Self.tokenEndpoint, json: ["access_token": "the-token", "token_type": "Bearer"])
        transport.answer(Self.infoEndpoint, json: ["transfer_sub": "the-transfer"])
    }

    /// What Apple tells of one user, or how the log has it that it does not.
    private func ask() async throws -> Result<String, TransferFailure> {
        let secret = try AppleClientSecret(
            clientID: "com.example.app", teamID: "OLDTEAM001", keyID: "KEY0000001", key: TestKeys.p256)
        let provider = Provider(.openID { $0.authentication = .apple([secret]) })
        let client = try provider.client(through: transport, in: call)
        do throws(ProviderError) {
            let issuer = try await client.issuer(serving: nil)
            let token = try await client.migrationToken(at: issuer, now: Self.now)
            let asked = UserMigrationRequest(subject: "the-subject-1", team: "NEWTEAM001", token: token)
            return .success(try await client.transferSubject(asked, at: issuer, now: Self.now).value)
        } catch {
            return .failure(TransferFailure(error, call.facts))
        }
    }

    @Test func `takes a token, and then one question a user, each sent once`() async throws {
        #expect(try await ask() == .success("the-transfer"))
        #expect(transport.requests(to: Self.tokenEndpoint).count == 1)
        let asked = try #require(transport.requests(to: Self.infoEndpoint).first)
        #expect(asked.header("authorization") == "Bearer the-token")
        #expect(
            asked.bodyText.hasPrefix("sub=the-subject-1&target=NEWTEAM001&client_id=com.example.app&client_secret=ey"))
    }

    @Test func `a user who is refused is that user's matter, and the words of it name nobody`() async throws {
        transport.answer(
            Self.infoEndpoint,
            .json(["error": "invalid_request", "error_description": "the-subject-1 by the-token"], status: 400))
        guard case .failure(let failure) = try await ask() else {
            Issue.record("nothing was refused")
            return
        }
        #expect(failure.isOfUser && failure.sentence.hasPrefix("refuses the subject, or the team (invalid_request"))
        #expect(!failure.sentence.contains("the-subject-1") && !failure.sentence.contains("the-token"))
        #expect(call.facts?.step == .transfer)
    }

    @Test(arguments: [
        (OutboundResponse.json(["error": "invalid_client"], status: 400), "does not know us"),
        (.json(["error": "unauthorized_client"], status: 400), ""), (.page(status: 503), "answers 503"),
        (.json(["transfer_sub": ""]), "the answer's transfer_sub is missing"), (.page, "the answer is no JSON object"),
        (.json(["error": "temporarily_unavailable"], status: 429), "can't answer now"),
    ])
    func `whatever else goes wrong is nobody's matter, and is said`(answer: OutboundResponse, words: String)
        async throws
    {
        transport.answer(Self.infoEndpoint, answer)
        guard case .failure(let failure) = try await ask() else {
            Issue.record("nothing went wrong")
            return
        }
        #expect(!failure.isOfUser && failure.sentence.hasPrefix(words), "\(failure.sentence)")
        #expect(failure.sentence.hasSuffix("at carrier.example"))
    }

    @Test func `nobody is asked about without a token`() async throws {
        transport.answer(Self.tokenEndpoint, .json(["error": "invalid_client"], status: 400))
        guard case .failure(let failure) = try await ask() else {
            Issue.record("there is no token")
            return
        }
        #expect(!failure.isOfUser && transport.requests(to: Self.infoEndpoint).isEmpty)
    }
}
