import HTTPClient
import Providers
import TestSupport
import Testing

@Suite struct `The former carrier` {
    private static func failed(_ failure: ProviderCallError) -> ProviderError { .call(ProviderProblem(.keys, failure)) }

    @Test func `the former carrier is known by its present name when it has changed it`() async throws {
        let port = Port { $0.issuerAliases = ["https://id.former.example": "https://new.former.example"] }
        #expect(try await port.verified { _ in }.map(\.issuer) == ["https://new.former.example"])
        #expect(port.provider.currentName(of: "https://id.former.example") == "https://new.former.example")
        #expect(port.provider.currentName(of: "https://carrier.example") == "https://carrier.example")
    }

    @Test(arguments: [404, 410])
    func `the former carrier is left out when it is gone for good`(status: Int) async throws {
        let port = Port()
        port.transport.answer(port.former.metadataURL, .page(status: status))
        #expect(try await port.verified { _ in }.isEmpty)
    }

    @Test(
        arguments: [
            (.page(status: 500), .status(500)), (.page(status: 503), .status(503)), (.page(status: 429), .status(429)),
            (.page(status: 408), .status(408)), (.page, .notJSON), (.page(status: 302), .status(302)),
        ] as [(OutboundResponse, ProviderCallError)])
    func `fails the sign-in when it can't be asked now`(response: OutboundResponse, failure: ProviderCallError)
        async throws
    {
        let port = Port()
        port.transport.answer(port.former.metadataURL, response)
        await #expect(throws: Self.failed(failure)) { try await port.verified { _ in } }
    }

    @Test func `fails the sign-in when it can't be reached`() async throws {
        let port = Port()
        port.transport.fail(port.former.metadataURL, .couldNotConnect)
        await #expect(throws: Self.failed(.transport(.couldNotConnect))) { try await port.verified { _ in } }
    }

    @Test func `fails the sign-in when its keys can't be had`() async throws {
        let port = Port()
        port.transport.fail(port.former.keysEndpoint, .timedOut(requestSent: true))
        await #expect(throws: Self.failed(.transport(.timedOut(requestSent: true)))) {
            try await port.verified { _ in }
        }
    }

    @Test func `fails the sign-in when its metadata names another issuer`() async throws {
        let port = Port()
        port.transport.answer(
            port.former.metadataURL, json: SigningProvider(issuer: "https://x.former.example").metadata)
        let mismatch = ProviderCallError.issuerMismatch(
            found: PrintableName("https://x.former.example"), expected: PrintableName(port.former.issuer))
        await #expect(throws: Self.failed(mismatch)) { try await port.verified { _ in } }
    }
}
