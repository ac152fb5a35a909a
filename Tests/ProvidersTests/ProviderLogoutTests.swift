import HTTPClient
import JSON
import TestSupport
import Testing

@testable import Providers

@Suite struct `Signing a user out at a provider, from server to server` {
    private static let endpoint = "https://carrier.example/logout"
    private static let asked = LogoutRequest(idToken: "eyJhbGciOiJSUzI1NiJ9.claims.signature", state: "the-state")

    private let transport = ScriptedTransport()
    private let call = CallContext.unobserved

    private func outcome(endpoint: JSONValue? = .string(endpoint)) async throws -> LogoutOutcome {
        let signing = SigningProvider()
        var metadata = try #require(signing.metadata.object)
        if let endpoint { metadata.append("custom_logout_endpoint", endpoint) }
        transport.answer(signing.metadataURL, json: .object(metadata))
        let client = try Provider(.openID()).client(through: transport, in: call)
        return await client.logOut(Self.asked, at: try await client.issuer(serving: nil))
    }

    @Test(arguments: [(200, LogoutOutcome.done), (400, .refused), (401, .refused), (424, .later), (503, .later)])
    func `is asked once, and noted unless it is done`(status: Int, outcome: LogoutOutcome) async throws {
        transport.answer(
            Self.endpoint,
            .json(
                ["error": "x", "error_description": "the-state eyJhbGciOiJSUzI1NiJ9.claims.signature"], status: status))
        #expect(try await self.outcome() == outcome)
        #expect(transport.requests(to: Self.endpoint).count == 1)
        #expect(call.facts?.step == (outcome == .done ? nil : .logout))
        let words = call.facts?.words.map { "\($0)" } ?? ""
        #expect(!words.contains("the-state") && !words.contains("eyJ"))
    }

    @Test func `may fare better another time where nobody answers`() async throws {
        transport.fail(Self.endpoint, .connectionBroken(requestSent: true))
        #expect(try await outcome() == .later)
        #expect(transport.requests(to: Self.endpoint).count == 1)
        #expect(call.facts?.failure == .transport(.connectionBroken(requestSent: true)))
    }

    @Test func `is refused where there is no address for it`() async throws {
        #expect(try await outcome(endpoint: nil) == .refused)
        #expect(try await outcome(endpoint: "http://carrier.example/logout") == .refused)
        #expect(transport.requests(to: Self.endpoint).isEmpty)
    }
}
