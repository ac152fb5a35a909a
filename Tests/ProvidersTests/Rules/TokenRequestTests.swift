import Crypto
import HTTPClient
import JSON
import Syntax
import TestSupport
import Testing

@testable import Providers

private let policy = OutboundPolicy(
    caFile: nil, allowsPrivateAddresses: false, connectionsPerHost: 4, maximumBodyBytes: 1000,
    connectTimeout: .seconds(1))

@Suite struct `A token request` {
    private func request(
        as client: ClientAuthentication, code: String = "the code/+&=", verifier: String? = "v-._~",
        correlationID: String? = nil, sdkVersion: String? = nil
    ) throws -> OutboundRequest {
        let endpoint = try EndpointURL("https://carrier.example/token", allowLoopbackHTTP: false)
        let issuer = try ProviderMetadata(
            [
                "issuer": "https://carrier.example", "token_endpoint": .string(endpoint.text),
                "jwks_uri": "https://carrier.example/jwks",
            ], allowLoopbackHTTP: false)
        let proof = try client.proof(at: endpoint, of: issuer, keys: ClientKeys(), now: 0)
        return TokenRequest(
            code: code, redirectURI: "ccid-1://com.xci.provider.sdk", codeVerifier: verifier,
            correlationID: correlationID, sdkVersion: sdkVersion
        ).request(
            to: endpoint, as: proof, timeout: .seconds(7), policy: policy)
    }

    private let basic = ClientAuthentication.basic(clientID: "id", secret: Secret("s"), encoding: .form)

    @Test func `a token request has exactly the fields of the exchange in its body`() throws {
        let request = try request(as: basic)
        #expect(
            request.bodyText == "grant_type=authorization_code&code=the+code%2F%2B%26%3D"
                + "&redirect_uri=ccid-1%3A%2F%2Fcom.xci.provider.sdk&code_verifier=v-._~")
    }

    @Test func `a token request is a form sent once, and finished though its caller goes away`() throws {
        let request = try request(as: basic)
        #expect(request.method == .post)
        #expect(request.url.text == "https://carrier.example/token")
        #expect(request.header("Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.header("Accept") == "application/json")
        #expect(request.timeout == .seconds(7))
        #expect(request.policy == policy)
        #expect(request.finishesWhenCancelled)
    }

    @Test func `names the sign-in and the SDK where the app did`() throws {
        let request = try request(as: basic, verifier: nil, correlationID: "abc-123", sdkVersion: "2.0 beta")
        #expect(
            request.bodyText == "grant_type=authorization_code&code=the+code%2F%2B%26%3D"
                + "&redirect_uri=ccid-1%3A%2F%2Fcom.xci.provider.sdk&correlation_id=abc-123&sdk_version=2.0+beta")
    }

    @Test func `escapes every byte but the unreserved ones`() throws {
        let request = try request(as: basic, code: "\"%<>é€😀\u{0}\n;,?#[]@!$'()*")
        #expect(
            request.bodyText.contains(
                "&code=%22%25%3C%3E%C3%A9%E2%82%AC%F0%9F%98%80%00%0A%3B%2C%3F%23%5B%5D%40%21%24%27%28%29%2A&"))
    }

    @Test func `carries form-encoded credentials in Basic and no client_id beside it`() throws {
        let client = ClientAuthentication.basic(
            clientID: "a:b c", secret: Secret("p+q/r=s%t é"), encoding: .form)
        let request = try request(as: client)
        let header = try #require(request.header("Authorization"))
        #expect(header.hasPrefix("Basic "))
        let credentials = try #require(Base64.decode(String(header.dropFirst(6))))
        #expect(String(decoding: credentials, as: UTF8.self) == "a%3Ab+c:p%2Bq%2Fr%3Ds%25t+%C3%A9")
        #expect(!request.bodyText.contains("client_id"))
        #expect(!request.bodyText.contains("client_secret"))
    }

    @Test func `carries raw credentials where a provider does not decode`() throws {
        let client = ClientAuthentication.basic(clientID: "a b", secret: Secret("p+q/r=s%t é"), encoding: .raw)
        let header = try #require(try request(as: client).header("Authorization"))
        let credentials = try #require(Base64.decode(String(header.dropFirst(6))))
        #expect(String(decoding: credentials, as: UTF8.self) == "a b:p+q/r=s%t é")
    }

    @Test func `carries credentials in its body where the provider wants them there`() throws {
        let request = try request(as: .post(clientID: "a&b", secret: Secret("p+q=é")), verifier: nil)
        #expect(request.header("Authorization") == nil)
        #expect(
            request.bodyText == "grant_type=authorization_code&code=the+code%2F%2B%26%3D"
                + "&redirect_uri=ccid-1%3A%2F%2Fcom.xci.provider.sdk&client_id=a%26b&client_secret=p%2Bq%3D%C3%A9")
    }

    @Test func `shows no secret when its credentials are printed`() {
        let clients = [
            ClientAuthentication.basic(clientID: "id", secret: Secret("hunter2"), encoding: .raw),
            .post(clientID: "id", secret: Secret("hunter2")),
        ]
        for client in clients {
            var dumped = ""
            dump(client, to: &dumped)
            #expect(!dumped.contains("hunter2"))
            #expect(!dumped.contains(Base64.encode(Array("id:hunter2".utf8))))
        }
    }
}
