import Crypto
import HTTPClient
import JSON
import Syntax
import TestSupport
import Testing

@testable import Providers

@Suite struct `Asking Apple by what users will be known` {
    private static let policy = OutboundPolicy(
        caFile: nil, allowsPrivateAddresses: false, connectionsPerHost: 1, maximumBodyBytes: 1,
        connectTimeout: .seconds(1))
    private static let token: JSONValue = ["access_token": "the-token", "token_type": "Bearer", "expires_in": 3600]

    private func send(_ asked: some ClientRequest, to address: String) throws -> OutboundRequest {
        asked.request(
            to: try EndpointURL(address, allowLoopbackHTTP: false),
            as: .posted(clientID: "com.example.app", secret: Secret("the-secret")), timeout: .seconds(1),
            policy: Self.policy)
    }

    private func endpoint(beside address: String) throws -> String {
        try UserMigrationRequest.endpoint(beside: EndpointURL(address, allowLoopbackHTTP: true)).text
    }

    @Test func `the token is asked for as the team that the app leaves, for users' migration alone`() throws {
        let request = try send(MigrationTokenRequest(), to: "https://appleid.apple.com/auth/token")
        #expect(
            request.bodyText
                == "grant_type=client_credentials&scope=user.migration&client_id=com.example.app&client_secret=the-secret"
        )
        #expect(request.method == .post && request.header("authorization") == nil)
    }

    @Test func `a user is asked about by the subject and the other team, under that token`() throws {
        let asked = UserMigrationRequest(
            subject: "001122.a&b=c.0001", team: "NEWTEAM001", token: try MigrationToken(.json(Self.token)))
        let request = try send(asked, to: "https://appleid.apple.com/auth/usermigrationinfo")
        #expect(
            request.bodyText
                == "sub=001122.a%26b%3Dc.0001&target=NEWTEAM001&client_id=com.example.app&client_secret=the-secret")
        #expect(request.headers.filter { $0.name == "Authorization" }.map(\.value) == ["Bearer the-token"])
        #expect(asked.secrets == ["001122.a&b=c.0001", "the-token"])
    }

    @Test(arguments: [
        ("https://appleid.apple.com/auth/token", "https://appleid.apple.com/auth/usermigrationinfo"),
        ("https://appleid.apple.com/token?a=/b", "https://appleid.apple.com/usermigrationinfo"),
        ("http://127.0.0.1:8080/apple/auth/token", "http://127.0.0.1:8080/apple/auth/usermigrationinfo"),
    ])
    func `the address is beside the token endpoint`(token: String, expected: String) throws {
        #expect(try endpoint(beside: token) == expected)
    }

    @Test func `there is no address where the token endpoint is a host and nothing else`() {
        #expect(throws: ProviderCallError.refusedEndpoint("token_endpoint")) {
            try endpoint(beside: "https://appleid.apple.com")
        }
    }

    @Test(
        arguments: [
            ["access_token": "a\r\nb", "token_type": "Bearer"], ["access_token": "", "token_type": "Bearer"],
            ["access_token": 7, "token_type": "Bearer"], ["access_token": "t", "token_type": "mac"],
        ] as [JSONValue])
    func `no token is taken that could not stand in a header`(answer: JSONValue) {
        #expect(throws: ProviderCallError.self) { try MigrationToken(.json(answer)) }
    }

    @Test func `a refusal names its code, and another answer its status`() {
        #expect(throws: ProviderCallError.refused(.clientFault("invalid_client"))) {
            try MigrationToken(.json(["error": "invalid_client"], status: 400))
        }
        #expect(throws: ProviderCallError.refused(.clientFault("invalid_request"))) {
            try TransferSubject(.json(["error": "invalid_request"], status: 400))
        }
        #expect(throws: ProviderCallError.status(503)) { try TransferSubject(.page(status: 503)) }
    }

    @Test(arguments: [
        "" as JSONValue, "t\u{0}", 7, true, .null, [], ["t"], ["value": "t"],
        .string(String(repeating: "t", count: 256)),
    ])
    func `what is no text of 1 to 255 bytes is no transfer_sub, in an answer and in a token`(value: JSONValue) {
        let document: JSONValue = ["transfer_sub": value]
        #expect(TransferSubject(in: document) == nil)
        #expect(throws: ProviderCallError.invalidMember("transfer_sub")) { try TransferSubject(.json(document)) }
    }

    @Test func `a transfer_sub is read as it is written, and shown to nobody`() throws {
        let subject = try TransferSubject(.json(["transfer_sub": "001122.T"]))
        #expect(subject.value == "001122.T")
        #expect(!"\(subject) \(String(reflecting: subject))".contains("001122"))
        #expect(TransferSubject(in: ["transfer_sub": .string(String(repeating: "t", count: 255))]) != nil)
        #expect(TransferSubject(in: [:]) == nil)
    }
}
