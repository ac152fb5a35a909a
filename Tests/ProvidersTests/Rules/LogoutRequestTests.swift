import HTTPClient
import JSON
import Providers
import Syntax
import TestSupport
import Testing

@Suite struct `A request that a user be signed out at the provider` {
    private static let asked = LogoutRequest(idToken: "head.claims&x=1.signature", state: "the state")

    @Test func `is an address for the browser, with everything escaped`() throws {
        let endpoint = try EndpointURL("https://id.example/connect/endsession?tenant=1", allowLoopbackHTTP: false)
        let address = Self.asked.address(
            at: endpoint, clientID: "client", redirectURI: "https://gatehouse.example/auth/telenor/logged-out")
        #expect(
            address == "https://id.example/connect/endsession?tenant=1&id_token_hint=head.claims%26x%3D1.signature"
                + "&client_id=client&post_logout_redirect_uri=https%3A%2F%2Fgatehouse.example%2Fauth%2Ftelenor%2Flogged-out"
                + "&state=the%20state")
    }

    @Test func `is a JSON object for the server, with nothing of the client's`() throws {
        let policy = OutboundPolicy(
            caFile: nil, allowsPrivateAddresses: false, connectionsPerHost: 1, maximumBodyBytes: 1,
            connectTimeout: .seconds(1))
        let request = Self.asked.request(
            to: try EndpointURL("https://id.example/connect/logout", allowLoopbackHTTP: false), timeout: .seconds(1),
            policy: policy)
        #expect(request.method == .post && request.header("content-type") == "application/json")
        #expect(request.header("authorization") == nil)
        #expect(
            try JSONValue(parsing: request.body.span) == [
                "id_token_hint": "head.claims&x=1.signature", "state": "the state",
            ])
    }

    @Test(arguments: [
        (200, LogoutOutcome.done), (204, .done), (302, .refused), (400, .refused), (401, .refused), (404, .refused),
        (408, .later), (424, .later), (429, .later), (500, .later), (502, .later), (503, .later),
    ])
    func `is done, refused for good, or to be asked again, by the status`(status: Int, outcome: LogoutOutcome) {
        #expect(LogoutOutcome(status: status) == outcome)
    }

    @Test(arguments: ["http://id.example/x", "javascript:alert(1)", "7", "//id.example"])
    func `has no address that browsers must not be sent to`(address: String) throws {
        var metadata = try #require(SigningProvider().metadata.object)
        metadata.append("end_session_endpoint", .string(address))
        metadata.append("custom_logout_endpoint", .integer(7))
        let read = try ProviderMetadata(.object(metadata), allowLoopbackHTTP: false)
        #expect(read.endSessionEndpoint == nil && read.customLogoutEndpoint == nil)
    }
}
