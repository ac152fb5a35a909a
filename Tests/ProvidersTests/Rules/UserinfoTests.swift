import Crypto
import HTTPClient
import JOSE
import JSON
import Providers
import Syntax
import TestSupport
import Testing

@Suite struct `A userinfo request` {
    private func request(correlationID: String?) throws -> OutboundRequest {
        UserinfoRequest.request(
            to: try EndpointURL("https://carrier.example/userinfo?v=2", allowLoopbackHTTP: false),
            accessToken: "access", correlationID: correlationID, timeout: .seconds(3),
            policy: OutboundPolicy(
                caFile: nil, allowsPrivateAddresses: false, connectionsPerHost: 1, maximumBodyBytes: 1,
                connectTimeout: .seconds(1)))
    }

    @Test func `a userinfo request is a GET with the access token in its header and nowhere else`() throws {
        let request = try request(correlationID: nil)
        #expect(request.method == .get)
        #expect(request.url.text == "https://carrier.example/userinfo?v=2")
        #expect(request.header("Authorization") == "Bearer access")
        #expect(request.header("Accept") == "application/json, application/jwt")
        #expect(request.body.isEmpty)
        #expect(request.timeout == .seconds(3))
        #expect(!request.finishesWhenCancelled)
    }

    @Test func `names the sign-in`() throws {
        let request = try request(correlationID: "abc-1")
        #expect(request.url.text == "https://carrier.example/userinfo?v=2&correlation_id=abc-1")
    }
}

@Suite struct `A userinfo answer` {
    private func failure(_ response: OutboundResponse) -> UserinfoError? {
        Result { () throws(UserinfoError) in try UserinfoAnswer(response) }.failure
    }

    @Test(arguments: ["application/json", "application/json; charset=utf-8", "text/plain", "APPLICATION/JSON"])
    func `a userinfo answer is claims when it is a JSON object`(type: String) throws {
        guard case .claims(let claims) = try UserinfoAnswer(.text(#"{"sub":"s"}"#, type: type)) else {
            Issue.record("no claims")
            return
        }
        #expect(claims["sub"] == "s")
    }

    @Test func `a userinfo answer may come without a type`() throws {
        let response = OutboundResponse(status: 200, body: Array("{}".utf8))
        guard case .claims = try UserinfoAnswer(response) else {
            Issue.record("no claims")
            return
        }
    }

    @Test(arguments: ["application/jwt", "application/JWT; charset=utf-8"])
    func `a userinfo answer is a signed token when its type says so`(type: String) throws {
        guard case .signed = try UserinfoAnswer(.text(try SigningProvider().idToken(), type: type)) else {
            Issue.record("not taken for a token")
            return
        }
    }

    @Test func `a userinfo answer is a mismatch when it is an array, or no token though it says so`() {
        #expect(failure(.json(["a"])) == .mismatch)
        #expect(failure(.json("text")) == .mismatch)
        #expect(failure(.json(.null)) == .mismatch)
        #expect(failure(.text(#"{"sub":"s"}"#, type: "application/jwt")) == .mismatch)
        #expect(failure(.text("e30.e30.", type: "application/jwt")) == .mismatch)
    }

    @Test func `a userinfo answer is the provider's trouble when it can't be read`() {
        #expect(failure(.page) == .provider(.notJSON))
        #expect(failure(.text("", type: "application/json")) == .provider(.notJSON))
        #expect(
            failure(.text(#"{"sub":"a","sub":"b"}"#, type: "application/json")) == .provider(.doubtfulMember("sub")))
        #expect(failure(.json(["sub": "s"], status: 401)) == .provider(.status(401)))
        #expect(failure(.page(status: 503)) == .provider(.status(503)))
        #expect(failure(.page(status: 302)) == .provider(.status(302)))
    }
}

@Suite struct Userinfos {
    @Test func `a userinfo answer are taken when they are about the subject of the ID token`() throws {
        #expect(try Userinfo(["sub": "s", "name": "Jane"], subject: "s").claims["name"] == "Jane")
    }

    @Test(
        arguments: [[:], ["sub": "t"], ["sub": "S"], ["sub": "s "], ["sub": 7], ["sub": .null], ["sub": ["s"]]]
            as [JSONValue])
    func `a userinfo answer are refused when they are about nobody or another`(claims: JSONValue) {
        #expect(throws: UserinfoError.mismatch) { try Userinfo(claims, subject: "s") }
    }

    @Test(
        arguments: [
            (["sub": "s"], true), (["sub": "s", "iss": "https://carrier.example"], true),
            (["sub": "s", "aud": "ccid-0123456789abcdef"], true),
            (["sub": "s", "aud": ["x", "ccid-0123456789abcdef"]], true),
            (["sub": "t"], false), ([:], false), (["sub": "s", "iss": "https://other.example"], false),
            (["sub": "s", "iss": .null], false), (["sub": "s", "aud": "another"], false),
            (["sub": "s", "aud": ["another"]], false), (["sub": "s", "aud": []], false),
            (["sub": "s", "aud": 7], false),
        ] as [(JSONValue, Bool)])
    func `a userinfo answer that are signed must be from the issuer and for us`(claims: JSONValue, isTaken: Bool) throws
    {
        let provider = SigningProvider()
        let token = try TokenDraft(header: provider.idTokenDraft.header, claims: try #require(claims.object))
            .signed(by: provider.key, with: .rs256)
        let verified = try JWS.verify(token, keys: provider.keySet, allowed: [.rs256], maximumByteCount: 10_000)
        let result = Result { () throws(UserinfoError) in
            try Userinfo(verified, issuer: provider.issuer, clientID: provider.clientID, subject: "s")
        }
        #expect(result.failure == (isTaken ? nil : .mismatch))
    }

    @Test func `a userinfo answer that are signed must be an object`() throws {
        let provider = SigningProvider()
        let token = try TokenDraft.signed(
            header: JSONValue.object(provider.idTokenDraft.header).serialized, payload: Array("[]".utf8),
            by: provider.key, with: .rs256)
        let verified = try JWS.verify(token, keys: provider.keySet, allowed: [.rs256], maximumByteCount: 10_000)
        #expect(throws: UserinfoError.mismatch) {
            try Userinfo(verified, issuer: provider.issuer, clientID: provider.clientID, subject: "s")
        }
    }
}
