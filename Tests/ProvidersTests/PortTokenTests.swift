import Crypto
import JSON
import Providers
import TestSupport
import Testing

@Suite struct `A port token` {
    @Test func `proves who the user was at the former carrier`() async throws {
        let port = Port()
        let token = try port.former.portToken()
        let verified = try #require(try await port.verified(.string(token)).first)
        #expect(verified.issuer == "https://id.former.example")
        #expect(verified.subject == "old-subject")
        #expect(verified.issuedAt == Port.now - 86_400)
        #expect(verified.fingerprint == Digest.sha256.hash(Array(token.utf8)))
        #expect(port.transport.requests.map(\.address) == [port.former.metadataURL, port.former.keysEndpoint])
    }

    @Test func `a port token is found in all four shapes of aka`() async throws {
        let port = Port()
        let token = JSONValue.string(try port.former.portToken())
        let second = JSONValue.string(try port.former.portToken { $0.claims[setting: "sub"] = "older-subject" })
        #expect(try await port.verified(token).map(\.subject) == ["old-subject"])
        #expect(try await port.verified([token, second]).map(\.subject) == ["old-subject", "older-subject"])
        #expect(try await port.verified(["port_token": token]).map(\.subject) == ["old-subject"])
        #expect(
            try await port.verified(["port_token": [second, token]]).map(\.subject) == ["older-subject", "old-subject"])
        #expect(try await port.verified([["port_token": token]]).map(\.subject) == ["old-subject"])
    }

    @Test func `means nothing at a plain OpenID Provider`() async throws {
        let plain = Port(isCarrier: false)
        #expect(Port().provider.takesPortTokens && !plain.provider.takesPortTokens)
        #expect(try !plain.provider.tellsOfOtherCarriers(plain.idToken(aka: "token")))
        #expect(try await plain.verified { _ in }.isEmpty)
        #expect(plain.transport.requests.isEmpty)
    }

    @Test(arguments: [nil, .null, 7, true, "", [], ["other": "x"], [.null, 7], ["port_token": 7]] as [JSONValue?])
    func `a port token is not there in any other shape`(aka: JSONValue?) async throws {
        let port = Port()
        let idToken = try port.idToken(aka: aka)
        #expect(PortToken.candidates(in: idToken.claims).isEmpty)
        #expect(port.provider.tellsOfOtherCarriers(idToken) == (aka != nil))
        #expect(try await port.verified(aka).isEmpty)
        #expect(port.transport.requests.isEmpty)
    }

    @Test func `counts among the first four only, and no longer than eight kilobytes`() async throws {
        let many = JSONValue.array((0..<10).map { .string("token-\($0)") })
        #expect(PortToken.candidates(in: ["aka": many]) == ["token-0", "token-1", "token-2", "token-3"])
        let long = String(repeating: "a", count: 16_385)
        let port = Port()
        #expect(try await port.outcome([.string(long)]).refusals == [.malformed])
        #expect(port.transport.requests.isEmpty)
    }

    @Test func `a port token is found under the claim's name in the guides, too`() {
        #expect(PortToken.candidates(in: ["AKA": ["token"]]) == ["token"])
        #expect(PortToken.candidates(in: ["aka": "one", "AKA": ["port_token": "two"]]) == ["one", "two"])
    }

    @Test func `tells why it proves nothing`() async throws {
        let port = Port()
        let former = port.former
        func changed(_ claim: String, _ value: JSONValue?) throws -> JSONValue {
            .string(try former.portToken { $0.claims[setting: claim] = value })
        }
        let cases: [(JSONValue, PortTokenError)] = [
            ("garbage", .malformed), (.string(try port.carrier.portToken()), .issuer),
            (.string(try SigningProvider(issuer: "https://evil.example").portToken()), .untrustedIssuer),
            (.string(try former.portTokenDraft.signed(by: TestKeys.rsa, with: .rs256)), .signature),
            (.string(try former.portToken { $0.header[setting: "kid"] = "another" }), .unknownKey),
            (.string(try former.portToken { $0.header[setting: "alg"] = "none" }), .algorithm),
            (.string(try former.portToken { $0.header[setting: "typ"] = "JWT" }), .type),
            (try changed("sub", nil), .subject), (try changed("aud", "another"), .audience),
            (try changed("iat", 0), .issuedAt), (try changed("exp", .integer(Port.now - 60)), .expired),
        ]
        for (token, refusal) in cases { #expect(try await port.outcome(token).refusals == [refusal]) }
        let gone = Port()
        gone.transport.answer(gone.former.metadataURL, .page(status: 404))
        #expect(try await gone.outcome(.string(try gone.former.portToken())).refusals == [.carrierGone])
        let both = try await Port().outcome([.string(try former.portToken()), "garbage"])
        #expect(both.tokens.count == 1)
        #expect(both.refusals == [.malformed])
    }

    @Test(arguments: [
        "https://evil.example", "http://id.former.example", "https://former.example", "https://evilformer.example",
        "https://id.former.example.evil.example", "https://127.0.0.1", "https://169.254.169.254", "", "former",
        "https://id.former.example@evil.example", "https://id.former.example/?a=b", "https://id.former.example/#a",
    ])
    func `a port token is thrown away before anything is fetched when its issuer is not trusted`(issuer: String)
        async throws
    {
        let port = Port()
        let stranger = SigningProvider(issuer: issuer)
        stranger.publish(on: port.transport)
        #expect(try await port.verified(.string(stranger.portToken())).isEmpty)
        #expect(port.transport.requests.isEmpty)
    }

    @Test func `a port token is thrown away before anything is fetched when it is from the present carrier`()
        async throws
    {
        let port = Port()
        port.carrier.publish(on: port.transport)
        #expect(try await port.verified(.string(port.carrier.portToken())).isEmpty)
        #expect(port.transport.requests.isEmpty)
    }

    @Test(arguments: ["garbage", "a.b.c", "e30.e30.e30", "..", "eyJhbGciOiJub25lIn0.e30."])
    func `a port token is thrown away before anything is fetched when it is no token`(text: String) async throws {
        let port = Port()
        #expect(try await port.verified(.string(text)).isEmpty)
        #expect(port.transport.requests.isEmpty)
    }

    @Test(arguments: ["none", "None", "HS256"])
    func `a port token is thrown away with an algorithm that proves nothing`(name: String) async throws {
        let port = Port()
        #expect(try await port.verified { $0.header[setting: "alg"] = .string(name) }.isEmpty)
        #expect(port.transport.requests.isEmpty)
    }

    @Test func `a port token is thrown away with an algorithm that port tokens do not use`() async throws {
        let port = Port { $0.algorithms = [.rs256, .ps256] }
        let former = SigningProvider(issuer: "https://pss.former.example", key: TestKeys.otherRSA, algorithm: .ps256)
        former.publish(on: port.transport)
        #expect(try await port.verified(.string(former.portToken())).isEmpty)
    }

    @Test func `a port token may be signed with an elliptic curve whatever ID tokens use`() async throws {
        let port = Port()
        let former = SigningProvider(issuer: "https://ec.former.example", key: TestKeys.p256, algorithm: .es256)
        former.publish(on: port.transport)
        #expect(try await port.verified(.string(former.portToken())).map(\.subject) == ["old-subject"])
    }

    @Test func `a port token is thrown away when another key signed it`() async throws {
        let port = Port()
        let forged = try port.former.portTokenDraft.signed(by: TestKeys.rsa, with: .rs256)
        #expect(try await port.verified(.string(forged)).isEmpty)
    }

    @Test func `a port token is thrown away when the former carrier does not know its key`() async throws {
        let port = Port()
        #expect(try await port.verified { $0.header[setting: "kid"] = "another" }.isEmpty)
    }
}
