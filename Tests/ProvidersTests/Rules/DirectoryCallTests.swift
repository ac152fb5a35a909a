import Crypto
import HTTPClient
import JSON
import Providers
import Syntax
import TestSupport
import Testing

@Suite struct `A call to a directory of users` {
    private static let policy = OutboundPolicy(
        caFile: nil, allowsPrivateAddresses: false, connectionsPerHost: 1, maximumBodyBytes: 1,
        connectTimeout: .seconds(1))
    private static let binding = CredentialBinding(.email, authenticatorConfigID: "c", postBindingRedirectURI: nil)

    private func request(_ call: DirectoryCall, base: String = "https://api.example/v1/") throws -> OutboundRequest {
        try call.request(
            below: try EndpointURL(configured: base), token: Secret("the-token"), timeout: .seconds(1),
            policy: Self.policy)
    }

    @Test func `makes a user of 2021 by mail, as the API wants it`() throws {
        let request = try request(
            .addUser(externalID: "x", email: "j@example.com", userName: "x", displayName: "J \"D\""))
        #expect(request.method == .post && request.url.text == "https://api.example/v1/users")
        #expect(request.header("authorization") == "Bearer the-token")
        #expect(
            try JSONValue(parsing: request.body.span) == [
                "binding_token_delivery_method": "email", "external_id": "x", "email": "j@example.com",
                "user_name": "x", "display_name": "J \"D\"",
            ])
    }

    @Test func `asks for identities by a name that can't end its quotes`() throws {
        let request = try request(.findIdentity(username: #"a" or traits.username ne ""#), base: "https://api.example")
        #expect(request.method == .get && request.body.isEmpty)
        #expect(request.address == "https://api.example/identities")
        #expect(request.query.hasPrefix("filter=traits.username%20eq%20%22a%5C%22%20or"))
        #expect(request.query.hasSuffix("%5C%22%22"))
    }

    @Test(arguments: ["..", ".", "a/b", "a b", "", "%2e", String(repeating: "a", count: 256), "a?b"])
    func `never follows a name that is no part of a path`(id: String) {
        #expect(throws: ProviderCallError.refusedEndpoint("credential-binding-jobs")) {
            try request(.bind(id: id, Self.binding))
        }
    }

    @Test func `reads an account bare, and under user`() throws {
        let call = DirectoryCall.recoverUser(externalID: "x")
        for json: JSONValue in [["internal_id": "i"], ["user": ["internal_id": "i"]]] {
            #expect(try DirectoryAnswer(.json(json), to: call) == .account(id: "i"))
        }
    }

    @Test(arguments: [
        JSONValue.object(JSONObject()), ["internal_id": 7], ["internal_id": ""], ["user": []],
        ["internal_id": .string(String(repeating: "i", count: 256))],
    ])
    func `takes no answer for an account that names none`(json: JSONValue) {
        #expect(throws: ProviderCallError.invalidMember("internal_id")) {
            try DirectoryAnswer(.json(json), to: .recoverUser(externalID: "x"))
        }
    }

    @Test func `tells what may pass from what will not`() throws {
        let call = DirectoryCall.recoverUser(externalID: "x")
        for status in [400, 404, 405, 410, 422] {
            #expect(try DirectoryAnswer(.page(status: status), to: call) == .refused(status: status))
        }
        for status in [301, 401, 403, 408, 429, 500, 502, 503] {
            #expect(throws: ProviderCallError.status(status)) {
                try DirectoryAnswer(.page(status: status), to: call)
            }
        }
        #expect(try DirectoryAnswer(.page(status: 409), to: call) == .taken)
        #expect(throws: ProviderCallError.notJSON) { try DirectoryAnswer(.page, to: call) }
    }

    @Test func `reads how long a directory wants to be left alone`() {
        func wait(_ status: Int, _ value: String) -> Int64? {
            DirectoryAnswer.retryAfter(OutboundResponse(status: status, headers: [("Retry-After", value)]))
        }
        #expect(wait(429, "7") == 7 && wait(503, "0") == 0)
        #expect(wait(429, "-1") == nil && wait(429, "soon") == nil && wait(500, "7") == nil)
    }

    @Test func `reads a link where one is to be returned, and needs none elsewhere`() throws {
        let job: JSONValue = ["credential_binding_job": ["id": "job"], "credential_binding_link": "https://l"]
        var returned = Self.binding
        returned.delivery = .returned
        guard case .job(let read) = try DirectoryAnswer(.json(job), to: .bind(id: "a", returned)) else {
            Issue.record("no job")
            return
        }
        #expect(read.link == "https://l" && read.id == "job")
        #expect(throws: ProviderCallError.invalidMember("credential_binding_link")) {
            try DirectoryAnswer(.json([:]), to: .bind(id: "a", returned))
        }
        _ = try DirectoryAnswer(.json([:]), to: .bind(id: "a", Self.binding))
    }

    @Test func `keeps a token for less than its lifetime`() throws {
        func usable(_ json: JSONValue) throws -> Int64 { try DirectoryToken(.json(json)).usableSeconds }
        #expect(try usable(["access_token": "t", "token_type": "Bearer", "expires_in": 3600]) == 3570)
        #expect(try usable(["access_token": "t", "expires_in": 10]) == 5)
        #expect(try usable(["access_token": "t"]) == 270)
        #expect(try usable(["access_token": "t", "expires_in": -5]) == 0)
        for json: JSONValue in [["access_token": "a b"], ["access_token": ""], [:], ["access_token": "a\r\nX: y"]] {
            #expect(throws: ProviderCallError.invalidMember("access_token")) { try usable(json) }
        }
        #expect(throws: ProviderCallError.invalidMember("token_type")) {
            try usable(["access_token": "t", "token_type": "mac"])
        }
    }
}
